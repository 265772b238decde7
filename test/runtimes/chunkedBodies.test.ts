import { connect } from 'node:net'
import { expect } from 'bun:test'
import { withFolder } from '../runtime/folder.ts'
import { isInstalled, type RuntimeName, startNode } from '../runtime/nodeProcess.ts'
import { independent } from '../support/scenario.ts'

const RUNTIMES: readonly RuntimeName[] = ['bun', 'node', 'deno']

const CALL = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const ANSWER = '{"jsonrpc":"2.0","id":1,"result":"0x539"}'

const headOf = (path: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n`
const HEAD = headOf('/')

/** As many bytes on the wire as the kernel keeps for a connection that nobody reads, and some. */
const FLOOD_BYTES = 24 * 1024 * 1024
const PIECE = '1\r\n \r\n'.repeat(10_000)

const chunksOf = (text: string, length: number): string => {
  let chunked = ''
  for (let at = 0; at < text.length; at += length) {
    const chunk = text.slice(at, at + length)
    chunked += `${chunk.length.toString(16)}\r\n${chunk}\r\n`
  }
  return `${chunked}0\r\n\r\n`
}

/** Sends a request; resolves to what comes until the other side closes the connection. */
const exchange = (url: string, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname, () => socket.write(text))
    let received = ''
    socket.setEncoding('utf8')
    socket.on('data', data => {
      received += data
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(received))
  })

/** Sends chunks of one byte until the other side closes the connection; resolves to the number of bytes it had to send. */
const flood = (url: string, path = '/'): Promise<number> =>
  new Promise(resolve => {
    const { hostname, port } = new URL(url)
    let sent = 0
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${headOf(path)}\r\n`)
      write()
    })
    const write = (): void => {
      while (sent < FLOOD_BYTES) {
        sent += PIECE.length
        if (!socket.write(PIECE)) return
      }
      socket.end()
    }
    socket.on('drain', write)
    socket.on('error', () => undefined)
    socket.resume()
    socket.on('close', () => resolve(sent))
  })

independent.each(RUNTIMES.filter(isInstalled).map(runtime => [runtime] as const))(
  'given a node on %s, when bodies come in chunks of one byte, then their connections are closed early, the log says why, and bodies in ordinary chunks are read',
  runtime =>
    withFolder(async folder => {
      const node = await startNode(folder, [], { runtime })
      try {
        for (let i = 0; i < 6; i++) expect(await flood(node.url)).toBeLessThan(FLOOD_BYTES)
        // Answered without its body; Deno receives the rest of such a body, and nobody sees it.
        if (runtime !== 'deno') expect(await flood(node.url, '/login')).toBeLessThan(FLOOD_BYTES)
        expect(node.output()).toContain(
          'Clients without a login send chunks of request bodies of a few bytes',
        )
        for (const length of [5, 40]) {
          const text = `${HEAD}Connection: close\r\n\r\n${chunksOf(CALL, length)}`
          expect(await exchange(node.url, text)).toContain(ANSWER)
        }
      } finally {
        await node.stop()
      }
    }),
)
