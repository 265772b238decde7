import { createValue } from './rpc/value.ts'

/** A page of the explorer, with the part of its path that names what it shows. */
export type Route =
  | { readonly page: 'home' | 'blocks' | 'validators' | 'network' | 'pool' | 'login' | 'missing' }
  | { readonly page: 'block' | 'tx' | 'address' | 'token' | 'search'; readonly subject: string }

const PAGES = {
  '': 'home',
  blocks: 'blocks',
  validators: 'validators',
  network: 'network',
  pool: 'pool',
  login: 'login',
} as const

const routeOf = (path: string): Route => {
  const [first = '', second = '', third] = path.split('/').slice(1).map(decodePart)
  if (first === 'block' || first === 'tx' || first === 'address' || first === 'token')
    return { page: first, subject: second }
  if (first !== 'explorer') return { page: 'missing' }
  if (second === 'search') return { page: 'search', subject: third ?? '' }
  return { page: Object.hasOwn(PAGES, second) ? PAGES[second as keyof typeof PAGES] : 'missing' }
}

const decodePart = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    // Not the encoding of a text: it is shown as it is.
    return part
  }
}

export const route = createValue<Route>(routeOf(location.pathname))

/** Query of the address, such as `?tab=events`. */
export const query = createValue(new URLSearchParams(location.search))

const read = (): void => {
  route.set(routeOf(location.pathname))
  query.set(new URLSearchParams(location.search))
}

export const navigate = (path: string): void => {
  history.pushState(null, '', path)
  read()
  scrollTo(0, 0)
}

/** Pages that the script draws; other links leave the explorer. */
const isPage = (path: string): boolean => /^\/(?:explorer|block|tx|address|token)(?:\/|$)/.test(path)

/** Follows links inside the explorer without a new load, and the buttons of the browser. */
export const startRouting = (): void => {
  addEventListener('popstate', read)
  document.addEventListener('click', event => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (link === null || event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || link.target !== '') return
    if (link.origin !== location.origin || !isPage(link.pathname)) return
    event.preventDefault()
    navigate(link.pathname + link.search)
  })
}
