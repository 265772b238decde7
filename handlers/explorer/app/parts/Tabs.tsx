import { useValue } from '../hooks/useValue.ts'
import { query } from '../route.ts'

export type Tab = { readonly id: string; readonly name: string }

/** The tab in the address, or the first one. */
export const useTab = (tabs: readonly Tab[]): string => {
  const wanted = useValue(query).get('tab')
  return tabs.find(({ id }) => id === wanted)?.id ?? (tabs[0] as Tab).id
}

/** Parts of a page, each with an address of its own. */
export const Tabs = ({ tabs, current }: { readonly tabs: readonly Tab[]; readonly current: string }) => (
  <nav class="tabs" aria-label="Parts of this page">
    {tabs.map(({ id, name }) => (
      <a
        key={id}
        href={`${location.pathname}?tab=${id}`}
        {...(id === current ? { 'aria-current': 'true' as const } : {})}
      >
        {name}
      </a>
    ))}
  </nav>
)
