import { connect } from 'node:net'
import { expect } from 'bun:test'
import { withFolder } from '../runtime/folder.ts'
import { isInstalled, type RuntimeName, startNode } from '../runtime/nodeProcess.ts'
import { independent } from '../support/scenario.ts'

const RUNTIMES: readonly RuntimeName[] = ['bun', 'node', 'deno']

const request = (id: number): string => {
  const body = `{"jsonrpc":"2.0","id":${id},"method":"eth_chainId"}`
  return `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/** Sends so many requests at once on one connection and resolves to the ids of the answers, once all came or it was closed. */
const idsAnswered = (url: string, requests: number): Promise<readonly number[]> =>
  new Promise(resolve => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    let text = ''
    const ids = (): readonly number[] => [...text.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id))
    socket.setEncoding('utf8')
    socket.on('data', (data: string) => {
      text += data
      if (ids().length === requests) socket.destroy()
    })
    // The node may reset the connection of a client that sends too many.
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(ids()))
    socket.write(Array.from({ length: requests }, (_, id) => request(id)).join(''))
  })

independent.each(RUNTIMES.filter(isInstalled).map(runtime => [runtime] as const))(
  'given a node on %s, when a connection carries several requests at once, then they are answered in their order',
  runtime =>
    withFolder(async folder => {
      const node = await startNode(folder, [], { runtime })
      try {
        const order = Array.from({ length: 50 }, (_, id) => id)
        const few = await idsAnswered(node.url, 50)
        // Bun closes the connection when an answer takes longer than the next request.
        expect(few).toEqual(runtime === 'bun' ? order.slice(0, few.length) : order)
        const many = await idsAnswered(node.url, 400)
        expect(many).toEqual(many.map((_, id) => id))
        // node:http would start all of them at once.
        if (runtime === 'node') expect(many.length).toBeLessThan(400)
        expect(
          (await fetch(node.url, { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}' }))
            .status,
        ).toBe(200)
      } finally {
        await node.stop()
      }
    }),
)
