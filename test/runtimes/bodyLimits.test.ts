import { connect, type Socket } from 'node:net'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'bun:test'
import { userToml } from '../handlers/auth/login/loginNode.ts'
import { withFolder } from '../runtime/folder.ts'
import { isInstalled, type RuntimeName, startNode } from '../runtime/nodeProcess.ts'
import { independent } from '../support/scenario.ts'
import { until } from '../support/until.ts'

const RUNTIMES: readonly RuntimeName[] = ['bun', 'node', 'deno']

const CALL = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const MEGABYTE = 1024 * 1024

/** Sends the head of a request and, perhaps, some of its body; gives the connection and the status line that comes. */
const begin = (
  url: string,
  headers: readonly string[],
  body = '',
): { readonly socket: Socket; readonly status: Promise<string> } => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const status = new Promise<string>((resolve, reject) => {
    socket.once('data', data => resolve(data.toString().split('\r\n')[0] ?? ''))
    socket.once('error', reject)
  })
  socket.write(['POST / HTTP/1.1', 'Host: localhost', ...headers, '', body].join('\r\n'))
  return { socket, status }
}

const eachRuntime = independent.each(RUNTIMES.filter(isInstalled).map(runtime => [runtime] as const))

eachRuntime(
  'given a node on %s with tokens, when a request has a bad one, then it is refused before its body has come',
  runtime =>
    withFolder(async folder => {
      const users = join(folder, 'users.toml')
      writeFileSync(users, userToml('alice', 'secret', ['eth:*']))
      const options = [
        '--rpc-http-authentication-enabled',
        `--rpc-http-authentication-credentials-file=${users}`,
      ]
      const node = await startNode(folder, options, { runtime })
      try {
        for (const length of ['Content-Length: 5000000', 'Transfer-Encoding: chunked']) {
          const { socket, status } = begin(node.url, ['Authorization: Bearer x.y.z', length])
          expect(await status).toStartWith('HTTP/1.1 401')
          socket.destroy()
        }
      } finally {
        await node.stop()
      }
    }),
)

eachRuntime(
  'given a node on %s, when bodies are too long, long, or of too many requests, then each is answered for what it is and others go on',
  runtime =>
    withFolder(async folder => {
      const node = await startNode(folder, [], { runtime })
      const post = async (body: string): Promise<readonly [status: number, code: number | undefined]> => {
        const response = await fetch(node.url, { method: 'POST', body })
        const text = await response.text()
        const answer = text === '' ? {} : (JSON.parse(text) as { error?: { code: number } })
        return [response.status, answer.error?.code]
      }
      const silent: Socket[] = []
      try {
        expect(await post(' '.repeat(5 * MEGABYTE - CALL.length) + CALL)).toEqual([200, undefined])
        const longer = begin(node.url, [`Content-Length: ${5 * MEGABYTE + 1}`])
        expect(await longer.status).toStartWith('HTTP/1.1 413')
        longer.socket.destroy()
        expect(await post(`[${'{},'.repeat(MEGABYTE)}{}]`)).toEqual([200, -32005])
        const params = `[${'{},'.repeat(MEGABYTE)}{}]`
        expect(await post(`{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":${params}}`)).toEqual([
          400, -32005,
        ])
        const big = `{"jsonrpc":"2.0","id":12345678901234567890,"method":"eth_call","params":["${'x'.repeat(MEGABYTE)}"]}`
        const echoed = await fetch(node.url, { method: 'POST', body: big })
        expect(await echoed.text()).toStartWith('{"jsonrpc":"2.0","id":12345678901234567890,"error":')
        // A thousand requests that never send their bodies, from one address.
        for (let i = 0; i < 1000; i++) {
          const { socket, status } = begin(node.url, [`Content-Length: ${CALL.length}`])
          status.catch(() => undefined)
          silent.push(socket)
        }
        const answerOfOneMore = async (): Promise<string> => {
          const { socket, status } = begin(node.url, [`Content-Length: ${CALL.length}`], CALL)
          const line = await status
          socket.destroy()
          return line
        }
        await until(async () => (await answerOfOneMore()).startsWith('HTTP/1.1 503'))
        for (const socket of silent.splice(0)) socket.destroy()
        await until(async () => (await answerOfOneMore()).startsWith('HTTP/1.1 200'))
      } finally {
        for (const socket of silent) socket.destroy()
        await node.stop()
      }
    }),
)
