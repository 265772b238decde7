/** A compiled binary holds its modules below this folder. */
const EMBEDDED_FOLDER = '$bunfs'

/** Whether this is the compiled binary, which needs no file of the program. */
export const IS_BINARY: boolean = import.meta.url.includes(EMBEDDED_FOLDER)

/** @param moduleUrl of a module of the program: TypeScript in a checkout, JavaScript in the package, embedded in the binary */
export const programOf = (moduleUrl: string): string =>
  moduleUrl.endsWith('.ts') && !moduleUrl.includes(EMBEDDED_FOLDER) ? 'bun run node' : 'quorate'

/** The program as a user types it: in the folder of a checkout, or installed. Help, examples and written pages name it. */
export const PROGRAM = programOf(import.meta.url)
