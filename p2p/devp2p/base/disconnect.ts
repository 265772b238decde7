import { iterateRawItems, rawString } from '../../../core/rlp/rawItem.ts'
import { encodeRlp, RlpError } from '../../../core/rlp/rlp.ts'

/** Reasons of a disconnect (rlpx.md, "Disconnect"). */
const DISCONNECT_REASONS = {
  requested: 0x00,
  tcpError: 0x01,
  breachOfProtocol: 0x02,
  uselessPeer: 0x03,
  tooManyPeers: 0x04,
  alreadyConnected: 0x05,
  incompatibleVersion: 0x06,
  nullIdentity: 0x07,
  quitting: 0x08,
  unexpectedIdentity: 0x09,
  self: 0x0a,
  timeout: 0x0b,
  subprotocolError: 0x10,
} as const

export const ALREADY_CONNECTED: number = DISCONNECT_REASONS.alreadyConnected

export type DisconnectReason = keyof typeof DISCONNECT_REASONS

const TEXTS: Readonly<Record<number, string>> = {
  0x00: 'it asked to disconnect',
  0x01: 'TCP error',
  0x02: 'breach of protocol',
  0x03: 'useless peer',
  0x04: 'too many peers',
  0x05: 'already connected',
  0x06: 'incompatible version of the base protocol',
  0x07: 'no node identity',
  0x08: 'it stops',
  0x09: 'unexpected identity',
  0x0a: 'connected to itself',
  0x0b: 'timeout',
  0x0f: 'bad receipts',
  0x10: 'another chain, or an error of a sub-protocol',
}

/** One line for a code of a peer; undefined stands for a disconnect without one. */
export const disconnectText = (code: number | undefined): string =>
  code === undefined ? 'no reason given' : (TEXTS[code] ?? `reason 0x${code.toString(16)}`)

export const encodeDisconnect = (reason: DisconnectReason): Uint8Array =>
  encodeRlp([DISCONNECT_REASONS[reason]])

/**
 * The code of a disconnect, a list of it or the bare byte; undefined when there is none. The bytes are inflated already
 * where they were compressed: clients do not agree on that.
 */
export const decodeDisconnect = (payload: Uint8Array): number | undefined => {
  const [first] = payload
  if (first === undefined) return undefined
  if (first < 0x80) return first
  if (first === 0x80) return 0
  try {
    for (const item of iterateRawItems(payload, 'a disconnect')) {
      const bytes = rawString(item, 'a reason')
      return bytes.length > 1 ? undefined : (bytes[0] ?? 0)
    }
  } catch (cause) {
    if (!(cause instanceof RlpError)) throw cause
  }
  return undefined
}
