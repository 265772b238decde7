import type { Connection } from '@libp2p/interface'
import type { Address } from '../core/bytes/bytes.ts'
import { toBareHex } from '../core/bytes/hex.ts'
import { addressOfPublicKey } from '../core/crypto/crypto.ts'
import type { Channel } from './channel.ts'
import { endpointOf, keyOfPeerId } from './identity.ts'
import { type Intake, intakeOf } from './intake.ts'
import type { PeerStatus } from './network.ts'
import { createTokenBucket, type TokenBucket } from './tokenBucket.ts'

/** A node that catches up asks for some ranges a second. */
const REQUESTS_PER_SECOND = 100

/** A node lists the pool twice when it connects, and after each gap of the gossip, and fetches what it lacks in chunks. */
const POOL_REQUESTS_PER_SECOND = 16

/** One connection to another node, from its first byte on. */
export type Link = {
  readonly connection: Connection
  readonly publicKey: Uint8Array
  readonly address: Address
  /** Hex digits of the address: the key of tables by node. */
  readonly id: string
  readonly inbound: boolean
  readonly remoteHost: string
  readonly remotePort: number
  openedAtMs: number
  /** When bytes last came over it. */
  heardAtMs: number
  /** When the own status protocol last sent something. */
  toldAtMs: number
  stage: 'handshake' | 'established' | 'closing'
  establishedAtMs: number
  /** Something came after the statuses: the other side has it established, too. */
  confirmed: boolean
  /** When a goodbye was said that the other side has to answer first. */
  retiredAtMs: number | undefined
  /** It is being closed. */
  finishing: boolean
  /** What it told, and where it says it listens. */
  told: { readonly status: PeerStatus; readonly host: string; readonly port: number } | undefined
  /** Why it ends, once that is known. */
  reason: string | undefined
  /** One side does not want the other: another chain, no permission, no room. */
  refused: boolean
  statusChannel: Channel | undefined
  consensusChannel: Channel | undefined
  blockChannel: Channel | undefined
  /** All that comes over it. */
  readonly intake: Intake | undefined
  /** What it may ask for: ranges, and whom this node knows. */
  readonly requests: TokenBucket
  /** What it may ask for of the pool: a full one is listed in one request, and fetched in 32. */
  readonly poolRequests: TokenBucket
  /** True once established, false when it ends before. */
  readonly ready: Promise<boolean>
  readonly settle: (established: boolean) => void
  /** Resolves when the connection is no more. */
  readonly ended: Promise<void>
  readonly end: () => void
}

/** Undefined when the other side has no secp256k1 key: it is no node of this kind. */
export const createLink = (connection: Connection, nowMs: () => number): Link | undefined => {
  const publicKey = keyOfPeerId(connection.remotePeer)
  if (publicKey === undefined) return undefined
  const address = addressOfPublicKey(publicKey)
  const { host, port } = endpointOf(connection.remoteAddr)
  const now = nowMs()
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  return {
    connection,
    publicKey,
    address,
    id: toBareHex(address),
    inbound: connection.direction === 'inbound',
    remoteHost: host,
    remotePort: port,
    openedAtMs: now,
    heardAtMs: now,
    toldAtMs: now,
    stage: 'handshake',
    establishedAtMs: now,
    confirmed: false,
    retiredAtMs: undefined,
    finishing: false,
    told: undefined,
    reason: undefined,
    refused: false,
    statusChannel: undefined,
    consensusChannel: undefined,
    blockChannel: undefined,
    intake: intakeOf(connection),
    requests: createTokenBucket(REQUESTS_PER_SECOND, 2 * REQUESTS_PER_SECOND, nowMs),
    poolRequests: createTokenBucket(POOL_REQUESTS_PER_SECOND, 8 * POOL_REQUESTS_PER_SECOND, nowMs),
    ready: promise,
    settle: resolve,
    ended,
    end,
  }
}

/** For logs: the address and where it is. */
export const nameOf = ({ id, remoteHost, remotePort }: Link): string =>
  `0x${id} (${remoteHost}:${remotePort})`

/** Nothing waits to be sent over it. */
export const isIdle = ({ statusChannel, consensusChannel, blockChannel }: Link): boolean =>
  [statusChannel, consensusChannel, blockChannel].every(channel => channel?.isIdle ?? true)
