import { connect } from 'node:net'
import { expect } from 'bun:test'
import { withFolder } from '../runtime/folder.ts'
import { isInstalled, type RuntimeName, startNode } from '../runtime/nodeProcess.ts'
import { independent } from '../support/scenario.ts'

const RUNTIMES: readonly RuntimeName[] = ['bun', 'node', 'deno']

const UPGRADE = [
  'GET / HTTP/1.1',
  'Host: localhost',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  '',
  '',
].join('\r\n')

/** Frames of a client, masked with zeros. */
const MESSAGE = Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x78])
const FIRST_OF_MANY = Buffer.from([0x01, 0x81, 0, 0, 0, 0, 0x78])
const FRAGMENT = Buffer.from([0x00, 0x80, 0, 0, 0, 0])
const PING = Buffer.from([0x89, 0x80, 0, 0, 0, 0])

/** As many bytes as the kernel keeps for a connection that nobody reads, and some. */
const FLOOD_BYTES = 24 * 1024 * 1024
const PIECE_FRAMES = 10_000

/** Sends the frame until the other side closes the connection; resolves to the number of bytes it had to send. */
const flood = (url: string, first: Buffer, frame: Buffer): Promise<number> =>
  new Promise(resolve => {
    const { hostname, port } = new URL(url)
    const piece = Buffer.concat(Array.from({ length: PIECE_FRAMES }, () => frame))
    const socket = connect(Number(port), hostname, () => socket.write(UPGRADE))
    let sent = 0
    const write = (): void => {
      while (sent < FLOOD_BYTES) {
        sent += piece.length
        if (!socket.write(piece)) return
      }
      socket.end()
    }
    socket.once('data', () => {
      socket.resume()
      socket.on('drain', write)
      socket.write(first)
      write()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(sent))
  })

const ping = async (url: string): Promise<string> => {
  const socket = new WebSocket(url)
  const answered = new Promise<string>((resolve, reject) => {
    socket.addEventListener('message', ({ data }) => resolve(String(data)))
    socket.addEventListener('error', () => reject(new Error('the connection failed')))
  })
  socket.addEventListener('open', () => socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'))
  const answer = await answered
  socket.close()
  return answer
}

independent.each(RUNTIMES.filter(isInstalled).map(runtime => [runtime] as const))(
  'given a node on %s, when WebSocket clients send short messages, fragments and pings without an end, then each is disconnected early, the log says why, and others are answered',
  runtime =>
    withFolder(async folder => {
      const node = await startNode(folder, ['--rpc-ws-enabled', '--rpc-ws-port=0'], { runtime })
      const url = node.wsUrl ?? ''
      try {
        const kinds: readonly (readonly [Buffer, Buffer])[] = [
          [MESSAGE, MESSAGE],
          [PING, PING],
          // Bun does not show the frames of a message; it reads them for some ten nanoseconds each.
          ...(runtime === 'bun' ? [] : [[FIRST_OF_MANY, FRAGMENT] as const]),
        ]
        for (const [first, frame] of kinds)
          expect(await flood(url.replace('ws:', 'http:'), first, frame)).toBeLessThan(FLOOD_BYTES)
        expect(node.output()).toContain('Clients without a login send WebSocket frames of a few bytes')
        expect(await ping(url)).toBe('{"jsonrpc":"2.0","id":1,"result":"0x539"}')
      } finally {
        await node.stop()
      }
    }),
)
