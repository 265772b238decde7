import { connect } from 'node:net'
import { expect } from 'bun:test'
import { withFolder } from '../runtime/folder.ts'
import { isInstalled, type RuntimeName, startNode } from '../runtime/nodeProcess.ts'
import { independent } from '../support/scenario.ts'

const RUNTIMES: readonly RuntimeName[] = ['bun', 'node', 'deno']

/** Resolves to the status line that comes. */
const statusOf = (url: string, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.once('data', data => {
      resolve(data.toString().split('\r\n')[0] ?? '')
      socket.destroy()
    })
    socket.once('error', reject)
  })

const UPGRADE = [
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
]

independent.each(RUNTIMES.filter(isInstalled).map(runtime => [runtime] as const))(
  'given a node on %s for every host, when a request has two Host headers, then each port refuses it',
  runtime =>
    withFolder(async folder => {
      const options = [
        '--host-allowlist=*',
        '--rpc-ws-enabled',
        '--rpc-ws-port=0',
        '--graphql-http-enabled',
        '--graphql-http-port=0',
      ]
      const node = await startNode(folder, options, { runtime })
      try {
        const ask = (
          url: string | undefined,
          line: string,
          hosts: readonly string[],
          more: readonly string[] = [],
        ) =>
          statusOf(
            url ?? '',
            [`${line} HTTP/1.1`, ...hosts.map(host => `Host: ${host}`), ...more, '', ''].join('\r\n'),
          )
        const asked = (hosts: readonly string[]) =>
          Promise.all([
            ask(node.url, 'GET /', hosts),
            ask(node.graphqlUrl, 'GET /graphql?query={chainID}', hosts),
            ask(node.wsUrl, 'GET /', hosts, UPGRADE),
          ])
        const served = await asked(['localhost'])
        expect(served.map(line => line.slice(0, 12))).toEqual([
          'HTTP/1.1 201',
          'HTTP/1.1 200',
          'HTTP/1.1 101',
        ])
        for (const hosts of [
          ['localhost', 'evil.example'],
          ['localhost', 'localhost'],
        ])
          for (const line of await asked(hosts)) expect(line).toStartWith('HTTP/1.1 400')
      } finally {
        await node.stop()
      }
    }),
)
