import type { Socket } from 'node:net'
import type { Address } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { addressOfPublicKey } from '../../../core/crypto/crypto.ts'
import type { Misbehaviour } from '../../network.ts'
import type { Agreed } from '../base/capabilities.ts'
import type { Hello } from '../base/hello.ts'
import { BASE_BYTES_MAX } from '../base/messages.ts'
import { createFrameReader, createFrameWriter, type FrameReader } from '../rlpx/frames.ts'
import type { Handshaken } from '../rlpx/handshake.ts'
import { compressSnappy } from '../snappy/compress.ts'
import { createInboundGate, type InboundGate } from './inboundGate.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import type { StrangersReader } from './strangersReader.ts'

/** A protocol beside the base protocol. */
export type Protocol = 'eth' | 'istanbul' | 'quorate'

/**
 * The stage of a connection: waiting for the hello, the status, or the head number of the other side, established, or
 * closing.
 */
export type Stage = 'hello' | 'status' | 'head' | 'established' | 'closing'

/** A message of a protocol, inflated; the code counts from the protocol's offset. */
export type ProtocolMessage = {
  readonly protocol: Protocol
  readonly code: number
  readonly payload: Uint8Array
}

/** What an answer is, as told by its code and id before it is inflated: asked for, with its longest length, late, or unasked. */
export type Expected =
  | { readonly kind: 'asked'; readonly bytesMax: number }
  | { readonly kind: 'late' | 'unasked' }

/** Events of a session for its node. */
export type SessionEvents = {
  /** The other side said hello, and both speak a protocol. */
  readonly onHello: (session: Session) => void
  /** @throws NetworkError, RlpError, DecodeError when the message breaks its protocol */
  readonly onMessage: (session: Session, message: ProtocolMessage) => void
  readonly onMisbehaviour: (session: Session, what: Misbehaviour, detail: string) => void
  readonly onEnded: (session: Session) => void
  /** Whether an answer was asked for. To be called once for each, before it is inflated. */
  readonly expects: (session: Session, code: number, id: bigint) => Expected
}

/** One connection to another node after its handshake. Functions of this folder change it. */
export type Session = {
  readonly socket: Socket
  readonly events: SessionEvents
  readonly nowMs: () => number
  readonly inbound: boolean
  /** The node key of the other side, proven by the handshake. */
  readonly publicKey: Uint8Array
  readonly address: Address
  /** Hex digits of the address: the key of tables by node. */
  readonly id: string
  readonly remoteHost: string
  readonly remotePort: number
  readonly openedAtMs: number
  readonly outbox: Outbox
  readonly gate: InboundGate
  /** Reads it while the other side is no validator. */
  readonly strangers: StrangersReader
  /** The other side is no validator, as far as this node knows. */
  readonly isStranger: () => boolean
  readonly reader: FrameReader
  stage: Stage
  /** Both sides compress: from the first message after the hellos on. */
  compresses: boolean
  hello: Hello | undefined
  agreed: Agreed | undefined
  receivedAtMs: number
  /** When the ping was sent that is not answered yet. */
  pingSentAtMs: number | undefined
  /** Called when the other side answers a ping. */
  readonly onPong: Set<() => void>
  /** When the statuses were exchanged. */
  establishedAtMs: number
  /** Messages that came before the other side was a peer. */
  early: ProtocolMessage[]
  /** Why it ends, once that is known. */
  reason: string | undefined
  /** One side refuses the other: it should not be dialed again soon. */
  refused: boolean
  /** The other side ended it as a duplicate of another connection. */
  isDuplicate: boolean
  readonly ended: Promise<void>
  readonly end: () => void
}

export type SessionOptions = Pick<
  Session,
  'socket' | 'events' | 'nowMs' | 'inbound' | 'remoteHost' | 'remotePort' | 'strangers'
> & { readonly isStranger: (address: Address) => boolean }

/** A session over a socket whose handshake has ended. It reads nothing before `startReading`. */
export const createSession = (
  { isStranger, ...options }: SessionOptions,
  { publicKey, secrets }: Handshaken,
): Session => {
  const { socket, events, nowMs } = options
  const write = createFrameWriter(secrets)
  const now = nowMs()
  const address = addressOfPublicKey(publicKey)
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const session: Session = {
    ...options,
    publicKey,
    address,
    isStranger: () => isStranger(address),
    id: toBareHex(address),
    openedAtMs: now,
    outbox: createOutbox({
      nowMs,
      encode: ({ id, payload }) => write(id, session.compresses ? compressSnappy(payload) : payload),
      write: (bytes, written) => void socket.write(bytes, () => written()),
    }),
    gate: createInboundGate(socket, nowMs, () =>
      events.onMisbehaviour(session, 'flooding', 'more data than allowed'),
    ),
    reader: createFrameReader(secrets, BASE_BYTES_MAX + 1),
    stage: 'hello',
    compresses: false,
    hello: undefined,
    agreed: undefined,
    receivedAtMs: now,
    pingSentAtMs: undefined,
    onPong: new Set(),
    establishedAtMs: now,
    early: [],
    reason: undefined,
    refused: false,
    isDuplicate: false,
    ended,
    end,
  }
  return session
}

/** For logs: the node's address and endpoint. */
export const nameOf = ({ id, remoteHost, remotePort }: Session): string =>
  `0x${id} (${remoteHost}:${remotePort})`
