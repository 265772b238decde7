/** A structured log: `{name}` in a text is replaced by the value of that name. */
export type Log = Readonly<
  Record<'debug' | 'info' | 'warn' | 'error', (text: string, values?: Record<string, unknown>) => void>
>
