import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withFolder } from '../folder.ts'
import { PROCESS_TEST_TIMEOUT_MS, runCommand, startNode } from '../nodeProcess.ts'

describe('given a node with files and blocks that the operator names', () => {
  test(
    'then the file of its process id lives as long as it, and a chain with another block is refused',
    () =>
      withFolder(async folder => {
        const pidFile = join(folder, 'run', 'node.pid')
        const data = join(folder, 'data')
        const node = await startNode(data, [`--pid-path=${pidFile}`, '--nat-method=DOCKER'])
        const { hash } = await node.rpc<{ hash: string }>('eth_getBlockByNumber', '0x0', false)
        expect(readFileSync(pidFile, 'utf8')).toBe(String(node.pid))
        const second = await runCommand([
          `--data-path=${join(folder, 'other')}`,
          '--rpc-http-port=0',
          `--pid-path=${pidFile}`,
        ])
        expect([second.code, second.error]).toEqual([
          1,
          expect.stringContaining(`it names the process ${node.pid}, a node that runs; stop that one`),
        ])
        expect(readFileSync(pidFile, 'utf8')).toBe(String(node.pid))
        await node.stop()
        // A program that has the id of a node that was killed keeps no node from starting.
        writeFileSync(pidFile, String(process.pid))
        expect(node.output()).toContain(
          '--nat-method=DOCKER is accepted: other nodes dial the address of --p2p-host',
        )

        const again = await startNode(data, [`--required-blocks=0=${hash}`, `--pid-path=${pidFile}`])
        expect(readFileSync(pidFile, 'utf8')).toBe(String(again.pid))
        expect(await again.stop()).toBe(0)
        expect(existsSync(pidFile)).toBe(false)
        const other = `0x${'12'.repeat(32)}`
        const refused = await runCommand([
          `--data-path=${data}`,
          '--rpc-http-port=0',
          `--required-block=0=${other}`,
        ])
        expect(refused.code).toBe(1)
        expect(refused.error).toContain(`block 0 is ${hash}, but --required-blocks requires ${other}`)
      }),
    PROCESS_TEST_TIMEOUT_MS,
  )

  test('when the file cannot be written, then one sentence says so', () =>
    withFolder(async folder => {
      const { code, error } = await runCommand([`--data-path=${folder}`, `--pid-path=${folder}`])
      expect(code).toBe(1)
      expect(error).toContain(`Cannot write --pid-path=${folder}: `)
    }))

  test.each([
    ['the id of a process', ['--pid-path='], 'is no file with the id of a process'],
    ['a socket', ['--Xrpc-ipc-enabled', '--Xrpc-ipc-path='], 'is no socket'],
    ['the log', ['--log-file='], 'does not begin with a line of a log'],
  ])(
    'when the path of %s is another file, such as the key, then the node does not start and the file stays',
    (_, options, reason) =>
      withFolder(async folder => {
        const file = join(folder, 'kept')
        writeFileSync(file, `0x${'12'.repeat(32)}`)
        const [last, ...first] = options.toReversed()
        const { code, error } = await runCommand([
          `--data-path=${join(folder, 'data')}`,
          '--p2p-enabled=false',
          '--rpc-http-port=0',
          ...first,
          `${last}${file}`,
        ])
        expect([code, error]).toEqual([1, expect.stringContaining(`${file}: it exists and ${reason}`)])
        expect(readFileSync(file, 'utf8')).toBe(`0x${'12'.repeat(32)}`)
      }),
    PROCESS_TEST_TIMEOUT_MS,
  )

  test(
    'when a file that it writes is also another one, or the path of a socket is too long, then one sentence says so',
    () =>
      withFolder(async folder => {
        const data = join(folder, 'data')
        const run = (...args: readonly string[]) =>
          runCommand([`--data-path=${data}`, '--rpc-http-port=0', ...args])
        const key = join(data, 'key')
        expect((await run(`--log-file=${key}`)).error).toContain(
          `--log-file=${key} is also the path of the key of the node: give another one`,
        )
        expect((await run(`--log-file=${folder}/a`, `--pid-path=${folder}/b/../a`)).error).toContain(
          `--log-file=${folder}/a is also the path of --pid-path`,
        )
        expect(existsSync(key)).toBe(false)
        const path = join(folder, 'x'.repeat(100))
        expect(
          (await run('--p2p-enabled=false', '--Xrpc-ipc-enabled', `--Xrpc-ipc-path=${path}`)).error,
        ).toMatch(
          /: the path of a socket has at most 10[37] bytes on this system, and this one has \d+; give a shorter --Xrpc-ipc-path/,
        )
      }),
    PROCESS_TEST_TIMEOUT_MS,
  )
})
