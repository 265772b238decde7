import { useValue } from '../hooks/useValue.ts'
import { nextTheme, theme } from '../theme.ts'

const SIGNS = { system: '◐', light: '☀', dark: '☾' } as const

export const ThemeButton = () => {
  const name = useValue(theme)
  return (
    <button
      type="button"
      class="quiet"
      onClick={nextTheme}
      title={`Colours: ${name}`}
      aria-label={`Colours: ${name}. Change`}
    >
      <span aria-hidden="true">{SIGNS[name]}</span>
    </button>
  )
}
