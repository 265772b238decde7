/** A structured log: `{name}` in a text stands for the value of that name. */
export type Log = Readonly<
  Record<'debug' | 'info' | 'warn' | 'error', (text: string, values?: Record<string, unknown>) => void>
>
