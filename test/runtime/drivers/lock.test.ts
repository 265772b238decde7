import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DataPathInUse, lockDataPath } from '../../../runtime/drivers/lock.ts'
import { openStorage } from '../../../runtime/drivers/open.ts'
import { SqliteFileError } from '../../../runtime/drivers/databaseFile.ts'
import { rejection } from '../../support/rejection.ts'
import {
  isInstalled,
  RUNTIME_COMMANDS,
  RUNTIMES,
  type RuntimeName,
} from '../../support/programs/runtimeCommands.ts'

const HOLDER = fileURLToPath(new URL('./lockHolder.ts', import.meta.url))

let path: string
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'quorate-lock-')), 'data')
})
afterEach(() => rmSync(join(path, '..'), { recursive: true, force: true }))

const holdInProcess = (runtime: RuntimeName): Promise<ChildProcess> =>
  new Promise((resolve, reject) => {
    const [program, ...rest] = RUNTIME_COMMANDS[runtime]
    const holder = spawn(program, [...rest, HOLDER, path], { stdio: ['pipe', 'pipe', 'inherit'] })
    holder.stdout.on('data', () => resolve(holder))
    holder.on('exit', () => reject(new Error('the holder ended')))
  })

const killed = (holder: ChildProcess): Promise<void> =>
  new Promise(resolve => {
    holder.on('exit', () => resolve())
    holder.kill('SIGKILL')
  })

describe('given the lock of a data path', () => {
  test('when it is taken, then once, and again after its release; it creates the folder', async () => {
    const lock = await lockDataPath(path)
    expect(existsSync(path)).toBe(true)
    expect(await rejection(lockDataPath(path))).toBeInstanceOf(DataPathInUse)
    lock.release()
    lock.release()
    ;(await lockDataPath(path)).release()
  })

  test('when it cannot be opened, then the error names its file and what to do', async () => {
    mkdirSync(join(path, 'lock.sqlite'), { recursive: true })
    const error = await rejection(lockDataPath(path))
    expect(error).toBeInstanceOf(SqliteFileError)
    expect((error as SqliteFileError).message).toContain(join(path, 'lock.sqlite'))
  })

  for (const runtime of RUNTIMES)
    test.skipIf(!isInstalled(runtime))(
      `when a process on ${runtime} holds it, then it is refused with that process’s number, and free after a kill`,
      async () => {
        const holder = await holdInProcess(runtime)
        const error = await rejection(lockDataPath(path))
        await killed(holder)
        expect(error).toBeInstanceOf(DataPathInUse)
        expect((error as DataPathInUse).message).toContain(`by another node (process ${holder.pid})`)
        ;(await lockDataPath(path)).release()
      },
      30_000,
    )

  test('when another process has the files of a store open, then they are refused, too', async () => {
    const kv = await openStorage('sqlite', path)
    expect(await rejection(openStorage('sqlite', path))).toBeInstanceOf(DataPathInUse)
    await kv.close()
    await (await openStorage('sqlite', path)).close()
  })
})
