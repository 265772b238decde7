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
import { isInstalled, RUNTIME_COMMANDS, RUNTIMES, type RuntimeName } from '../../support/runtimeCommands.ts'

const HOLDER = fileURLToPath(new URL('../../support/lockHolder.ts', import.meta.url))

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

describe('the lock of a data path', () => {
  test('is taken once, and again after its release; it makes the folder', async () => {
    const lock = await lockDataPath(path)
    expect(existsSync(path)).toBe(true)
    expect(await rejection(lockDataPath(path))).toBeInstanceOf(DataPathInUse)
    lock.release()
    lock.release()
    ;(await lockDataPath(path)).release()
  })

  test('that cannot be opened names its file and says what to do', async () => {
    mkdirSync(join(path, 'lock.sqlite'), { recursive: true })
    const error = await rejection(lockDataPath(path))
    expect(error).toBeInstanceOf(SqliteFileError)
    expect((error as SqliteFileError).message).toContain(join(path, 'lock.sqlite'))
  })

  for (const runtime of RUNTIMES)
    test.skipIf(!isInstalled(runtime))(
      `held by a process on ${runtime} is refused with its number, and free as soon as that is killed`,
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

  test('and the files of a store are refused too when another one has them open', async () => {
    const kv = await openStorage('sqlite', path)
    expect(await rejection(openStorage('sqlite', path))).toBeInstanceOf(DataPathInUse)
    await kv.close()
    await (await openStorage('sqlite', path)).close()
  })
})
