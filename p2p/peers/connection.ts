import type { Connection } from '@libp2p/interface'
import type { Address } from '../../core/bytes/bytes.ts'
import { toBareHex } from '../../core/bytes/hex.ts'
import { addressOfPublicKey } from '../../core/crypto/crypto.ts'
import type { PeerStatus } from '../network.ts'
import type { Channel } from '../transport/channel.ts'
import { endpointOf, keyOfPeerId } from '../transport/identity.ts'
import { type InboundLimits, inboundLimitsOf } from '../transport/inboundLimits.ts'
import { createTokenBucket, type TokenBucket } from '../transport/tokenBucket.ts'

/** A node that syncs requests some ranges a second. */
const REQUESTS_PER_SECOND = 100

/**
 * A node lists the pool twice after it connects and after each gap of the gossip, and fetches unknown transactions in chunks.
 */
const POOL_REQUESTS_PER_SECOND = 16

/** One connection to another node, from its first byte on. */
export type PeerConnection = {
  readonly libp2p: Connection
  readonly publicKey: Uint8Array
  /** The address of the connection key; after the status, that of the node's validator. */
  address: Address
  /** Hex digits of the address of the connection key: the key of tables by node. */
  readonly id: string
  readonly inbound: boolean
  readonly remoteHost: string
  readonly remotePort: number
  openedAtMs: number
  /** When the last bytes arrived over it. */
  receivedAtMs: number
  /** When this node last sent a message of the status protocol. */
  statusSentAtMs: number
  stage: 'handshake' | 'established' | 'closing'
  establishedAtMs: number
  /** True once a message arrived after the statuses: the other side has established the connection as well. */
  confirmed: boolean
  /** When this node asked the other side to close a duplicate connection. */
  retiredAtMs: number | undefined
  /** True while its queues are flushed before it is closed. */
  finishing: boolean
  /** The status of the other side, and the endpoint that it announced. */
  remote:
    | {
        readonly status: PeerStatus
        readonly host: string
        readonly port: number
        readonly instance?: string
      }
    | undefined
  /** Clock of the other side minus that of this node, by its latest messages; milliseconds. */
  clockOffsetsMs: readonly number[]
  /** The reason of its end, once known. */
  reason: string | undefined
  /** True if one side refuses the other: another chain, no permission, no room. */
  refused: boolean
  /** True if one side refuses the other because another node with its key is connected. */
  keyInUse: boolean
  statusChannel: Channel | undefined
  consensusChannel: Channel | undefined
  blockChannel: Channel | undefined
  /** Limits on everything that arrives over it. */
  readonly inboundLimits: InboundLimits | undefined
  /** Limits its requests: block ranges and peer lists. */
  readonly requests: TokenBucket
  /** Limits its requests for pool contents: a full pool is listed in one request, and fetched in 32. */
  readonly poolRequests: TokenBucket
  /** Resolves to true once established, to false when it ends before. */
  readonly ready: Promise<boolean>
  readonly settle: (established: boolean) => void
  /** Resolves when the connection has ended. */
  readonly ended: Promise<void>
  readonly end: () => void
}

/** Returns undefined if the other side has no secp256k1 key: it is not a Quorate node. */
export const createPeerConnection = (libp2p: Connection, nowMs: () => number): PeerConnection | undefined => {
  const publicKey = keyOfPeerId(libp2p.remotePeer)
  if (publicKey === undefined) return undefined
  const address = addressOfPublicKey(publicKey)
  const { host, port } = endpointOf(libp2p.remoteAddr)
  const now = nowMs()
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  return {
    libp2p,
    publicKey,
    address,
    id: toBareHex(address),
    inbound: libp2p.direction === 'inbound',
    remoteHost: host,
    remotePort: port,
    openedAtMs: now,
    receivedAtMs: now,
    statusSentAtMs: now,
    stage: 'handshake',
    establishedAtMs: now,
    confirmed: false,
    retiredAtMs: undefined,
    finishing: false,
    remote: undefined,
    clockOffsetsMs: [],
    reason: undefined,
    refused: false,
    keyInUse: false,
    statusChannel: undefined,
    consensusChannel: undefined,
    blockChannel: undefined,
    inboundLimits: inboundLimitsOf(libp2p),
    requests: createTokenBucket(REQUESTS_PER_SECOND, 2 * REQUESTS_PER_SECOND, nowMs),
    poolRequests: createTokenBucket(POOL_REQUESTS_PER_SECOND, 8 * POOL_REQUESTS_PER_SECOND, nowMs),
    ready: promise,
    settle: resolve,
    ended,
    end,
  }
}

/** The address and endpoint of the node, for logs. */
export const nameOf = ({ id, remoteHost, remotePort }: PeerConnection): string =>
  `0x${id} (${remoteHost}:${remotePort})`

/** True if no message is queued for it. */
export const isIdle = ({ statusChannel, consensusChannel, blockChannel }: PeerConnection): boolean =>
  [statusChannel, consensusChannel, blockChannel].every(channel => channel?.isIdle ?? true)
