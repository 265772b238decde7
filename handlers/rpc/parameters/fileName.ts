/** Cannot leave its folder, and looks neither like a hidden nor like an incomplete file. */
const FILE_NAME = /^(?!.*\.part$)[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/

/** The name of a file that the node writes; undefined for any other value. */
export const fileNameOf = (value: unknown): string | undefined =>
  typeof value === 'string' && FILE_NAME.test(value) ? value : undefined
