/**
 * Loaded before a program on Node: ends the process by SIGKILL before its KILL_AT-th write to the disk (a statement of
 * SQLite, a file, a folder, a rename or a removal). Without KILL_AT it prints their number at the end, on a line of its own.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import process from 'node:process'
import { DatabaseSync, StatementSync } from 'node:sqlite'

const killAt = Number(process.env['KILL_AT'] ?? 0)
let writes = 0

const countWrite = (): void => {
  writes++
  if (writes === killAt) process.kill(process.pid, 'SIGKILL')
}

type Functions = Record<string, (...values: unknown[]) => unknown>

const counted = (owner: Functions, name: string): void => {
  const original = owner[name] as Functions[string]
  owner[name] = function (this: unknown, ...values: unknown[]) {
    countWrite()
    return original.apply(this, values)
  }
}

for (const name of ['mkdirSync', 'renameSync', 'rmSync', 'linkSync', 'writeFileSync', 'ftruncate', 'write'])
  counted(fs as unknown as Functions, name)
syncBuiltinESMExports()
counted(StatementSync.prototype as unknown as Functions, 'run')
counted(DatabaseSync.prototype as unknown as Functions, 'exec')

if (killAt === 0) process.on('exit', () => process.stderr.write(`writes=${writes}\n`))
