#!/usr/bin/env node
import module from 'node:module'
import process from 'node:process'
import { unsupportedRuntime } from './requirements.ts'

const refusal = unsupportedRuntime(process.versions)
if (refusal !== undefined) {
  process.stderr.write(`${refusal}\n`)
  process.exit(1)
}

// Node strips types and compiles at every start unless its cache is on, which takes a third of the start. Others are faster.
const { enableCompileCache } = module as { readonly enableCompileCache?: () => unknown }
enableCompileCache?.()

// Loaded after that, so that the cache applies.
const { runCommandLine } = await import('./commands/run.ts')
const { forbidForeignWrites } = await import('./files/umask.ts')
const { processTerminal } = await import('./cli/terminal/terminal.ts')

forbidForeignWrites()
const code = await runCommandLine(process.argv.slice(2), process.env, processTerminal)
await processTerminal.flush()
// Open handles must not keep a finished command alive.
process.exit(code)
