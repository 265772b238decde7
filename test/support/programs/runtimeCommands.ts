import { existsSync } from 'node:fs'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'

export type RuntimeName = 'bun' | 'node' | 'deno'

const program = (path: string): string =>
  fileURLToPath(new URL(`../../../node_modules/${path}`, import.meta.url))

/**
 * How each runtime runs a file. Node and Deno come with the development dependencies; the programs themselves are named,
 * not the scripts in `.bin` that may stand before them, so that a signal reaches the process that is meant.
 */
export const RUNTIME_COMMANDS: Readonly<Record<RuntimeName, readonly [program: string, ...args: string[]]>> =
  {
    bun: [execPath],
    node: [program('node/bin/node')],
    deno: [program('deno/deno'), 'run', '-A', '--quiet'],
  }

export const RUNTIMES: readonly RuntimeName[] = ['bun', 'node', 'deno']

export const isInstalled = (runtime: RuntimeName): boolean => existsSync(RUNTIME_COMMANDS[runtime][0])
