import { createValue } from './rpc/value.ts'

export type Theme = 'system' | 'light' | 'dark'

const KEY = 'quorate-theme'
const THEMES: readonly Theme[] = ['system', 'light', 'dark']

const stored = localStorage.getItem(KEY)

/** The colours that the reader chose; those of the system by default. */
export const theme = createValue<Theme>(THEMES.find(name => name === stored) ?? 'system')

export const applyTheme = (): void => {
  document.documentElement.dataset['theme'] = theme.get()
  dispatchEvent(new Event('theme'))
}

export const nextTheme = (): void => {
  theme.set(THEMES[(THEMES.indexOf(theme.get()) + 1) % THEMES.length] as Theme)
  localStorage.setItem(KEY, theme.get())
  applyTheme()
}
