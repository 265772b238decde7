import { connect } from 'node:net'
import { constants, deflateRawSync, inflateRawSync } from 'node:zlib'
import { until } from '../support/until.ts'

/** A connection that is upgraded, whose reader can stop. */
export type RawWs = {
  /** Sends a text message in the given frames. */
  send(...frames: readonly string[]): void
  /** Sends a text message in one compressed frame. */
  sendCompressed(text: string): void
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

const RSV1 = 0x40

/** What ends every compressed message and is left out of it. */
const DEFLATE_TAIL = Buffer.from([0, 0, 0xff, 0xff])

/** Masked with zeros, which is as good as any other mask for a test. */
const frameOf = (payload: Buffer, opcode: number, isLast: boolean): Buffer => {
  const first = (isLast ? 0x80 : 0) | opcode
  const length =
    payload.length < 126
      ? Buffer.from([first, 0x80 | payload.length])
      : Buffer.from([first, 0x80 | 127, ...new Uint8Array(8)])
  if (payload.length >= 126) length.writeBigUInt64BE(BigInt(payload.length), 2)
  return Buffer.concat([length, new Uint8Array(4), payload])
}

/** Frames of a server, whose last may be cut off: whether it is compressed, and its text. */
export const framesOf = (
  received: string,
): readonly { readonly isCompressed: boolean; readonly text: string }[] => {
  const bytes = Buffer.from(received.slice(received.indexOf('\r\n\r\n') + 4), 'latin1')
  const frames = []
  let at = 0
  while (at + 2 <= bytes.length) {
    const [first = 0, short = 0] = bytes.subarray(at)
    const header = short === 127 ? 10 : short === 126 ? 4 : 2
    if (at + header > bytes.length) break
    const length =
      short === 127
        ? Number(bytes.readBigUInt64BE(at + 2))
        : short === 126
          ? bytes.readUInt16BE(at + 2)
          : short
    if (at + header + length > bytes.length) break
    const payload = bytes.subarray(at + header, at + header + length)
    const isCompressed = (first & RSV1) !== 0
    const text = isCompressed
      ? inflateRawSync(Buffer.concat([payload, DEFLATE_TAIL]), { finishFlush: constants.Z_SYNC_FLUSH })
      : payload
    frames.push({ isCompressed, text: text.toString() })
    at += header + length
  }
  return frames
}

/**
 * Upgrades a connection by hand. Throws with the status line where that is refused.
 * @param extensions that are offered.
 */
export const connectRawWs = async (url: string, extensions?: string, host = 'localhost'): Promise<RawWs> => {
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
    `GET / HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n` +
      `${extensions === undefined ? '' : `Sec-WebSocket-Extensions: ${extensions}\r\n`}\r\n`,
  )
  const received = (): string => Buffer.concat(chunks).toString('latin1')
  await until(() => received().includes('\r\n\r\n'), { pollMs: 5 })
  const [status = ''] = received().split('\r\n')
  if (!status.includes(' 101 ')) throw new Error(status)
  return {
    send: (...frames) =>
      frames.forEach((text, index) => {
        const opcode = index === 0 ? OPCODE_TEXT : OPCODE_CONTINUATION
        socket.write(frameOf(Buffer.from(text), opcode, index === frames.length - 1))
      }),
    sendCompressed: text => {
      const deflated = deflateRawSync(text, { finishFlush: constants.Z_SYNC_FLUSH })
      socket.write(frameOf(deflated.subarray(0, -DEFLATE_TAIL.length), RSV1 | OPCODE_TEXT, true))
    },
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
