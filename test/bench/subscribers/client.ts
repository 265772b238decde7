import type { Socket } from 'bun'
import type { Deliveries } from './deliveries.ts'

type State = { onOpen: (() => void) | undefined; text: string }

const HANDSHAKE = `GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`
const SUBSCRIBE = '{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}'

/** Masked with zeros; shorter than 126 bytes. */
const subscribeFrame = (): Buffer =>
  Buffer.concat([Buffer.from([0x81, 0x80 | SUBSCRIBE.length, 0, 0, 0, 0]), Buffer.from(SUBSCRIBE)])

const now = (): number => performance.timeOrigin + performance.now()

/**
 * Subscribers to newHeads, each on a connection of its own: plain TCP that looks for what it waits for and reads no more, or
 * it would measure itself.
 * @param told of the first and the last delivery of each block, milliseconds since 1970.
 */
const subscribe = async (
  port: number,
  count: number,
  told: (deliveries: Deliveries) => void,
): Promise<void> => {
  let left = count
  let first = 0
  const frame = subscribeFrame()
  const onData = (socket: Socket<State>, chunk: Buffer): void => {
    const { data } = socket
    if (data.onOpen !== undefined) {
      data.text += chunk.toString('latin1')
      if (data.text.endsWith('\r\n\r\n')) void socket.write(frame)
      else if (data.text.includes('"result":"0x')) {
        data.onOpen()
        data.onOpen = undefined
      }
      return
    }
    if (!chunk.includes('eth_subscription')) return
    if (left === count) first = now()
    if (--left === 0) {
      left = count
      told({ first, last: now() })
    }
  }
  // One after the other: a server's queue of new connections is shorter than a thousand.
  for (let i = 0; i < count; i++)
    await new Promise<void>((resolve, reject) => {
      void Bun.connect<State>({
        hostname: '127.0.0.1',
        port,
        data: { onOpen: resolve, text: '' },
        socket: {
          open: socket => {
            socket.write(HANDSHAKE)
          },
          data: onData,
          error: (_, error) => reject(error),
          close: () => reject(new Error('a subscriber was cut off')),
        },
      })
    })
}

const [port, count] = process.argv.slice(2).map(Number) as [number, number]
await subscribe(port, count, deliveries => process.send?.(deliveries))
process.send?.('ready')
