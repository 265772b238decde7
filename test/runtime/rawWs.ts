import { connect } from 'node:net'

/** A connection that is upgraded, whose reader can stop. */
export type RawWs = {
  /** Sends a text message in the given frames. */
  send(...frames: readonly string[]): void
  /** What came so far, with its frame headers, as latin-1. */
  received(): string
  readonly receivedBytes: number
  pause(): void
  resume(): void
  readonly closed: Promise<void>
  destroy(): void
}

const CLOSE_WITH_POLICY_VIOLATION = '\x03\xf0'

/** True where a close frame with the code 1008 and that reason is among what came. */
export const tellsPolicyViolation = (received: string, reason: string): boolean =>
  received.includes(`\x88${String.fromCharCode(2 + reason.length)}${CLOSE_WITH_POLICY_VIOLATION}${reason}`)

const OPCODE_TEXT = 1
const OPCODE_CONTINUATION = 0

/** Masked with zeros, which is as good as any other mask for a test. */
const frameOf = (text: string, opcode: number, isLast: boolean): Buffer => {
  const payload = Buffer.from(text)
  const first = (isLast ? 0x80 : 0) | opcode
  const length =
    payload.length < 126
      ? Buffer.from([first, 0x80 | payload.length])
      : Buffer.from([first, 0x80 | 127, ...new Uint8Array(8)])
  if (payload.length >= 126) length.writeBigUInt64BE(BigInt(payload.length), 2)
  return Buffer.concat([length, new Uint8Array(4), payload])
}

/** Upgrades a connection by hand. Throws with the status line where that is refused. */
export const connectRawWs = async (url: string): Promise<RawWs> => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const chunks: Buffer[] = []
  let receivedBytes = 0
  const closed = new Promise<void>(resolve => {
    socket.on('close', () => resolve())
  })
  // A reset is one of the ways in which a connection ends.
  socket.on('error', () => undefined)
  socket.on('data', chunk => {
    chunks.push(chunk)
    receivedBytes += chunk.length
  })
  socket.write(
    `GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
  )
  const received = (): string => Buffer.concat(chunks).toString('latin1')
  while (!received().includes('\r\n\r\n')) await Promise.race([Bun.sleep(5), closed.then(() => Bun.sleep(5))])
  const [status = ''] = received().split('\r\n')
  if (!status.includes(' 101 ')) throw new Error(status)
  return {
    send: (...frames) =>
      frames.forEach((text, index) => {
        const opcode = index === 0 ? OPCODE_TEXT : OPCODE_CONTINUATION
        socket.write(frameOf(text, opcode, index === frames.length - 1))
      }),
    received,
    get receivedBytes() {
      return receivedBytes
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    closed,
    destroy: () => void socket.destroy(),
  }
}
