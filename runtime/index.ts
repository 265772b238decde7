/** `quorate`: the command line of the node, and the functions with which a program opens a chain on Bun, Node and Deno. */
export { type Environment } from './cli/sources/resolve.ts'
export { EXIT_FAILURE, EXIT_USAGE, runCommandLine } from './commands/run.ts'
export { processTerminal, type Terminal } from './cli/terminal/terminal.ts'
export { loadFastestEngine } from './crypto/fastest.ts'
export { openStorage, StorageUnavailable } from './drivers/open.ts'
export type { OpenNode } from './node/runningNode.ts'
export { openNode, type OpenOptions } from './node/opening/openNode.ts'
export { clientVersion, NAME, RUNTIME, VERSION } from './version.ts'
