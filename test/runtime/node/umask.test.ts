import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import process from 'node:process'
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { forbidForeignWrites, withPrivateFiles } from '../../../runtime/files/umask.ts'
import { RUNTIMES, isInstalled } from '../../support/programs/runtimeCommands.ts'
import { independent } from '../../support/scenario.ts'
import { PROCESS_TEST_TIMEOUT_MS, runCommand, startNode } from '../nodeProcess.ts'

setDefaultTimeout(2 * PROCESS_TEST_TIMEOUT_MS)

const folder = mkdtempSync(join(tmpdir(), 'quorate-umask-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What the user of another account may do with a file of the folder. */
const modesIn = (root: string): ReadonlyMap<string, number> =>
  new Map(
    readdirSync(root, { recursive: true, withFileTypes: true }).map(entry => {
      const path = join(entry.parentPath, entry.name)
      return [relative(root, path), lstatSync(path).mode & 0o777] as const
    }),
  )

/** Calls `start`, which begins its process at once, with the umask 000. Other tests run until it resolves. */
const withOpenUmask = <T>(start: () => Promise<T>): Promise<T> => {
  const before = process.umask(0)
  try {
    return start()
  } finally {
    process.umask(before)
  }
}

const SECRETS = ['key', 'besu.ipc']

describe('given the umask 000', () => {
  for (const runtime of RUNTIMES)
    independent.skipIf(!isInstalled(runtime))(
      `on ${runtime}, when a node runs, then nobody else may write to its files, or open its key and its socket`,
      async () => {
        const data = join(folder, runtime)
        const args = [
          '--Xrpc-ipc-enabled',
          `--log-file=${join(data, 'logs', 'node.log')}`,
          `--pid-path=${join(data, 'run', 'node.pid')}`,
        ]
        const node = await withOpenUmask(() => startNode(data, args, { runtime }))
        try {
          const modes = modesIn(data)
          for (const name of [...SECRETS, 'chain', 'lock.pid', 'txpool.dump', 'besu.ports', 'logs', 'run'])
            expect(modes.has(name)).toBe(true)
          for (const [path, mode] of modes) {
            expect(`${path} ${(mode & 0o022).toString(8)}`).toBe(`${path} 0`)
            if (SECRETS.includes(path)) expect(mode).toBe(0o600)
          }
        } finally {
          await node.stop()
        }
      },
    )

  independent('when a network is set up, then nobody else may write to its files', async () => {
    const network = join(folder, 'network')
    await withOpenUmask(() => runCommand(['network', 'init', network, '--validators=1']))
    const modes = modesIn(network)
    expect(modes.size).toBeGreaterThan(2)
    for (const [path, mode] of modes) expect(`${path} ${(mode & 0o022).toString(8)}`).toBe(`${path} 0`)
  })

  test('when a stricter umask is set, then it stays, and private files end with what creates them', async () => {
    const before = process.umask(0o077)
    try {
      forbidForeignWrites()
      expect(process.umask()).toBe(0o077)
      const failing = withPrivateFiles(() => Promise.reject(new Error('no room')))
      expect(process.umask()).toBe(0o177)
      expect(await failing.catch(String)).toBe('Error: no room')
      expect(process.umask()).toBe(0o077)
    } finally {
      process.umask(before)
    }
  })
})
