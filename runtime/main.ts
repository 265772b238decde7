#!/usr/bin/env node
import module from 'node:module'
import process from 'node:process'
import { unsupportedRuntime } from './requirements.ts'

const refusal = unsupportedRuntime(process.versions)
if (refusal !== undefined) {
  process.stderr.write(`${refusal}\n`)
  process.exit(1)
}

// Node strips the types and compiles at every start unless told to keep the result: a third of its start. Others do it faster.
const { enableCompileCache } = module as { readonly enableCompileCache?: () => unknown }
enableCompileCache?.()

// Loaded after that, so that it counts.
const { runCommandLine } = await import('./commands/run.ts')
const { processTerminal } = await import('./cli/terminal.ts')

const code = await runCommandLine(process.argv.slice(2), process.env, processTerminal)
await processTerminal.flush()
// Nothing that is still open may keep a finished command alive.
process.exit(code)
