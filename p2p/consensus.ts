import type { InboundLimit } from './transport/inboundRate.ts'
import type { Stream } from '@libp2p/interface'
import { type ChannelLimits, type ChannelOptions, openChannel } from './transport/channel.ts'
import type { PeerConnection } from './peers/connection.ts'
import type { Role } from './network.ts'
import { createBoundedCache } from '../core/collections/boundedMap.ts'
import { type Rate, receiveWhenReady } from './transport/receive.ts'
import { createTokenBucket } from './transport/tokenBucket.ts'

/** Largest consensus message with its code: a proposal or round change contains a block. */
const CONSENSUS_BYTES_MAX = 16 * 1024 * 1024
/** Largest consensus message without its code. */
export const CONSENSUS_DATA_MAX = CONSENSUS_BYTES_MAX - 1

/** Queue for a slow peer: the messages of some rounds, of which the newest matter. */
const QUEUE: ChannelLimits = { messagesMax: 1024, bytesMax: 2 * CONSENSUS_BYTES_MAX }

/**
 * Limit of a validator. Twenty to thirty of them with ten blocks a second, each forwarding the messages of the others,
 * send about 600 a second each; after a stall of a connection, a whole queue arrives at once.
 */
const VALIDATOR_LIMIT: InboundLimit = {
  messagesPerSecond: 1_000,
  messagesBurst: 3_000,
  bytesPerSecond: 32 * 1024 * 1024,
  bytesBurst: 4 * CONSENSUS_BYTES_MAX,
}
/**
 * Limit of other nodes. Their messages are ignored, but a new validator sends messages one block before all nodes know
 * of it, and a former one stops one block later.
 */
const OTHER_LIMIT: InboundLimit = {
  messagesPerSecond: 50,
  messagesBurst: 500,
  bytesPerSecond: 1024 * 1024,
  bytesBurst: CONSENSUS_BYTES_MAX,
}

/** Queues a message on the consensus stream of a connection; returns false when it is too large. */
export const sendConsensusMessage = (
  connection: PeerConnection,
  protocol: string,
  code: number,
  data: Uint8Array,
  options: Omit<ChannelOptions, 'limits'>,
): boolean => {
  if (data.length > CONSENSUS_DATA_MAX) return false
  connection.consensusChannel ??= openChannel(connection.libp2p, protocol, { ...options, limits: QUEUE })
  connection.consensusChannel.send(Uint8Array.of(code), data)
  return true
}

/** Nodes whose rate is remembered, so that a new connection allows no new burst; the oldest is evicted first. */
const PEERS_MAX = 1024

/** The rate of a node by its id and its present role. */
export type ConsensusRates = (id: string, role: Role) => Rate

export const createConsensusRates = (nowMs: () => number): ConsensusRates => {
  const ratesWithin = (limit: InboundLimit): ((id: string) => Rate) =>
    createBoundedCache(PEERS_MAX, () => ({
      messages: createTokenBucket(limit.messagesPerSecond, limit.messagesBurst, nowMs),
      bytes: createTokenBucket(limit.bytesPerSecond, limit.bytesBurst, nowMs),
    }))
  const ofValidator = ratesWithin(VALIDATOR_LIMIT)
  const ofOther = ratesWithin(OTHER_LIMIT)
  return (id, role) => (role === 'other' ? ofOther(id) : ofValidator(id))
}

export const receiveConsensusMessages = (
  stream: Stream,
  connection: PeerConnection,
  nowMs: () => number,
  on: {
    /** Called for each message, because the validators change. */
    readonly rate: () => Rate
    readonly message: (code: number, data: Uint8Array) => void
    readonly flooding: () => void
    readonly failure: (cause: unknown) => void
  },
): void =>
  receiveWhenReady(stream, connection, {
    bytesMax: CONSENSUS_BYTES_MAX,
    rate: { now: on.rate, onExceeded: on.flooding },
    onReceived: () => {
      connection.receivedAtMs = nowMs()
    },
    onFrame: frame => {
      const [code] = frame
      if (code === undefined) throw new Error('an empty consensus message')
      on.message(code, frame.subarray(1))
    },
    onFailure: on.failure,
  })
