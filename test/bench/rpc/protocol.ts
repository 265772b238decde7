/** How a client speaks to a server, in bytes. */
export type Protocol = {
  /** What opens a connection, where something does; it is answered before anything else. */
  readonly greeting: Uint8Array | undefined
  readonly encode: (body: string) => Uint8Array
  /** For one connection: takes what comes, and gives true where that ends an answer. @throws when it is no answer */
  readonly createReader: () => (chunk: Buffer) => boolean
}

const encoder = new TextEncoder()

/** Longer heads are no answer of ours or of anvil. */
const HEAD_LENGTH_MAX = 4096

const CONTENT_LENGTH = /content-length: *(\d+)/i
const CHUNKED = /transfer-encoding: *chunked/i
const CHUNKED_END = '0\r\n\r\n'
const HEAD_END = '\r\n\r\n'

const notAnAnswer = (head: string): Error => new Error(`an invalid answer: ${head.slice(0, 1000)}`)

/** Counts bytes up to what the head says, or waits for the last chunk where it says no length. */
const createHttpReader = (): ((chunk: Buffer) => boolean) => {
  let head = ''
  let received = 0
  /** Undefined while the head has not come. */
  let length: number | 'chunked' | undefined
  let tail = ''
  return chunk => {
    received += chunk.length
    if (length === undefined) {
      head += chunk.toString('latin1', 0, HEAD_LENGTH_MAX)
      const end = head.indexOf(HEAD_END)
      if (end < 0) return false
      const given = CONTENT_LENGTH.exec(head.slice(0, end))?.[1]
      if (!head.startsWith('HTTP/1.1 200') || (given === undefined && !CHUNKED.test(head)))
        throw notAnAnswer(head)
      length = given === undefined ? 'chunked' : end + HEAD_END.length + Number(given)
    }
    if (length === 'chunked') {
      tail = (tail + chunk.toString('latin1', Math.max(0, chunk.length - 5))).slice(-5)
      if (tail !== CHUNKED_END) return false
    } else if (received < length) return false
    head = ''
    received = 0
    length = undefined
    tail = ''
    return true
  }
}

export const httpProtocol = (port: number): Protocol => ({
  greeting: undefined,
  encode: body =>
    encoder.encode(
      `POST / HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    ),
  createReader: createHttpReader,
})

/** Final frame of text, from a client: with a mask, which of zeros changes nothing (RFC 6455, 5.2 and 5.3). */
const TEXT_FRAME = 0x81
const MASKED = 0x80
const MASK = [0, 0, 0, 0] as const
const FINAL = 0x80
const OPCODE = 0x0f
/** Opcodes from here on are of control frames, which are no answer. */
const CONTROL = 8

const encodeFrame = (body: string): Uint8Array => {
  const payload = encoder.encode(body)
  const { length } = payload
  const header =
    length < 126
      ? [TEXT_FRAME, MASKED | length, ...MASK]
      : length < 65_536
        ? [TEXT_FRAME, MASKED | 126, length >> 8, length & 255, ...MASK]
        : [
            TEXT_FRAME,
            MASKED | 127,
            0,
            0,
            0,
            0,
            ...[24, 16, 8, 0].map(shift => (length >> shift) & 255),
            ...MASK,
          ]
  const frame = new Uint8Array(header.length + length)
  frame.set(header)
  frame.set(payload, header.length)
  return frame
}

/** Length of the header of a server's frame, which has no mask, and of what is behind it; undefined for a part of a header. */
const frameLengths = (bytes: Buffer): readonly [header: number, payload: number] | undefined => {
  const short = (bytes[1] ?? 0) & 127
  const header = short === 127 ? 10 : short === 126 ? 4 : 2
  if (bytes.length < header) return undefined
  if (header === 2) return [header, short]
  return [header, header === 4 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))]
}

const createFrameReader = (): ((chunk: Buffer) => boolean) => {
  let isOpen = false
  let text = ''
  /** Bytes of a header that has not come whole. */
  let part = Buffer.alloc(0)
  /** Of the frame that is coming, and whether it ends an answer. */
  let missing = 0
  let isLast = false
  return chunk => {
    let bytes = part.length === 0 ? chunk : Buffer.concat([part, chunk])
    part = Buffer.alloc(0)
    if (!isOpen) {
      text += bytes.toString('latin1')
      if (!text.includes(HEAD_END)) return false
      if (!text.startsWith('HTTP/1.1 101')) throw notAnAnswer(text)
      isOpen = true
      return true
    }
    let isEnded = false
    for (;;) {
      const taken = Math.min(missing, bytes.length)
      missing -= taken
      bytes = bytes.subarray(taken)
      if (missing === 0 && isLast) {
        isEnded = true
        isLast = false
      }
      if (bytes.length === 0) return isEnded
      const lengths = frameLengths(bytes)
      if (lengths === undefined) {
        part = Buffer.from(bytes)
        return isEnded
      }
      const first = bytes[0] as number
      isLast = (first & FINAL) !== 0 && (first & OPCODE) < CONTROL
      missing = lengths[1]
      bytes = bytes.subarray(lengths[0])
    }
  }
}

export const webSocketProtocol = (port: number): Protocol => ({
  greeting: encoder.encode(
    `GET / HTTP/1.1\r\nHost: localhost:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
  ),
  encode: encodeFrame,
  createReader: createFrameReader,
})
