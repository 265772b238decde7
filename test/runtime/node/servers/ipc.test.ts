import { afterAll, describe, expect, setDefaultTimeout } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RUNTIMES, isInstalled } from '../../../support/programs/runtimeCommands.ts'
import { independent } from '../../../support/scenario.ts'
import { until } from '../../../support/until.ts'
import { PROCESS_TEST_TIMEOUT_MS, startNode } from '../../nodeProcess.ts'
import { rejection } from '../../../support/rejection.ts'

setDefaultTimeout(2 * PROCESS_TEST_TIMEOUT_MS)

const folder = mkdtempSync(join(tmpdir(), 'quorate-ipc-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Sends the pieces one after the other, and resolves to the lines of the answers once there are so many. */
const exchange = async (
  path: string,
  pieces: readonly string[],
  count: number,
): Promise<readonly unknown[]> => {
  const socket = connect(path)
  let text = ''
  socket.on('data', chunk => {
    text += chunk.toString()
  })
  const lines = (): readonly string[] => text.split('\n').slice(0, -1)
  for (const piece of pieces) socket.write(piece)
  await until(() => lines().length >= count)
  socket.destroy()
  return lines().map(line => JSON.parse(line) as unknown)
}

describe('given a node with --Xrpc-ipc-enabled', () => {
  for (const runtime of RUNTIMES)
    independent.skipIf(!isInstalled(runtime))(
      `on ${runtime}, when a program writes requests to the socket file, then it reads an answer to each`,
      async () => {
        const data = join(folder, runtime)
        const path = join(data, 'besu.ipc')
        const args = ['--Xrpc-ipc-enabled', '--Xrpc-ipc-api=ETH,WEB3']
        const node = await startNode(data, args, { runtime })
        try {
          expect(statSync(path).mode & 0o777).toBe(0o600)
          const request = (id: number, method: string) =>
            JSON.stringify({ jsonrpc: '2.0', id, method, params: [] })
          const answers = await exchange(
            path,
            [
              request(1, 'eth_chainId').slice(0, 9),
              `${request(1, 'eth_chainId').slice(9)}${request(2, 'txpool_content')}`,
              `[${request(3, 'eth_blockNumber')},${request(4, 'web3_clientVersion')}]`,
              '{"a":nonsense}',
            ],
            4,
          )
          expect(answers).toMatchObject([
            { id: 1, result: '0x539' },
            { id: 2, error: { code: -32604, data: 'add TXPOOL to --Xrpc-ipc-api' } },
            [{ id: 3 }, { id: 4 }],
            { error: { code: -32700 } },
          ])
          expect(node.output()).toContain(`"ipc":"${path}"`)
          const second = startNode(join(folder, `${runtime}-other`), [...args, `--Xrpc-ipc-path=${path}`])
          expect(String(await rejection(second))).toContain('give another --Xrpc-ipc-path')
        } finally {
          await node.stop()
        }
        expect(existsSync(path)).toBe(false)
      },
    )

  independent('when a client speaks HTTP, then it is told what the socket takes', async () => {
    const data = join(folder, 'http')
    const node = await startNode(data, ['--Xrpc-ipc-enabled'])
    try {
      const answer = await fetch('http://localhost/', {
        method: 'POST',
        body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
        unix: join(data, 'besu.ipc'),
      })
      expect(answer.status).toBe(400)
      expect(await answer.text()).toContain('bare JSON, not over HTTP')
    } finally {
      await node.stop()
    }
  })

  independent('when a killed process has left its file, then the next start replaces it', async () => {
    const data = join(folder, 'killed')
    const node = await startNode(data, ['--Xrpc-ipc-enabled'])
    await node.kill()
    if (!existsSync(join(data, 'besu.ipc'))) writeFileSync(join(data, 'besu.ipc'), '')
    const again = await startNode(data, ['--Xrpc-ipc-enabled'])
    try {
      const request = '{"jsonrpc":"2.0","id":1,"method":"net_version","params":[]}'
      expect(await exchange(join(data, 'besu.ipc'), [request], 1)).toMatchObject([{ result: '1337' }])
    } finally {
      await again.stop()
    }
  })
})
