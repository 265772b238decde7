import { useValue } from '../hooks/useValue.ts'
import { route } from '../route.ts'
import { HeadState } from './HeadState.tsx'
import { SearchBox } from './SearchBox.tsx'
import { ThemeButton } from './ThemeButton.tsx'

const LINKS = [
  ['home', 'Home', '/explorer'],
  ['blocks', 'Blocks', '/explorer/blocks'],
  ['validators', 'Validators', '/explorer/validators'],
  ['network', 'Network', '/explorer/network'],
  ['pool', 'Pool', '/explorer/pool'],
] as const

export const Header = () => {
  const { page } = useValue(route)
  return (
    <header class="top">
      <div class="bar">
        <a class="brand" href="/explorer">
          <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
            <path d="M12 2 21 7v10l-9 5-9-5V7Z" fill="none" stroke="currentColor" stroke-width="2" />
            <circle cx="12" cy="12" r="3.4" fill="currentColor" />
          </svg>
          Quorate
        </a>
        <nav aria-label="Pages">
          {LINKS.map(([name, text, path]) => (
            <a key={name} href={path} {...(page === name ? { 'aria-current': 'page' as const } : {})}>
              {text}
            </a>
          ))}
        </nav>
        <SearchBox />
        <HeadState />
        <ThemeButton />
      </div>
    </header>
  )
}
