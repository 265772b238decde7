#!/usr/bin/env bun
import process from 'node:process'
import { runCommandLine } from './cli/run.ts'
import { processTerminal } from './cli/terminal.ts'

// The same on Bun, Node and Deno.
const code = await runCommandLine(process.argv.slice(2), process.env, processTerminal)
await processTerminal.flush()
// Nothing that is still open may keep a finished command alive.
process.exit(code)
