import type { Stream } from '@libp2p/interface'
import { type ChannelLimits, type ChannelOptions, openChannel } from './channel.ts'
import type { Link } from './link.ts'
import type { Role } from './network.ts'
import { createRecent } from './recent.ts'
import { type Rate, receiveWhenReady } from './receive.ts'
import { createTokenBucket } from './tokenBucket.ts'

/** A proposal or round change holds a block, of which none is larger; the code counts, too. */
export const CONSENSUS_BYTES_MAX = 16 * 1024 * 1024
/** Beside the code. */
export const CONSENSUS_DATA_MAX = CONSENSUS_BYTES_MAX - 1

/** For a peer that reads slowly: some rounds' messages, of which the newest matter. */
const QUEUE: ChannelLimits = { messagesMax: 1024, bytesMax: 2 * CONSENSUS_BYTES_MAX }

type Limit = {
  readonly messagesPerSecond: number
  readonly messagesBurst: number
  readonly bytesPerSecond: number
  readonly bytesBurst: number
}

/**
 * What a validator may send. Twenty to thirty of them with ten blocks a second, each passing on what the others say, come to
 * about 600 a second from each; after a connection stood still, what fits into a sender's queue and the network comes at once.
 */
const OF_VALIDATOR: Limit = {
  messagesPerSecond: 1_000,
  messagesBurst: 3_000,
  bytesPerSecond: 32 * 1024 * 1024,
  bytesBurst: 4 * CONSENSUS_BYTES_MAX,
}
/**
 * What anybody else may send: nothing of it is used, but a validator that was voted in begins a block before all know of it, and
 * one that was voted out ends one later.
 */
const OF_STRANGER: Limit = { ...OF_VALIDATOR, messagesPerSecond: 50, messagesBurst: 500 }

/** Queues a message on the link's long-lived stream; false when it is larger than any may be. */
export const sendConsensusMessage = (
  link: Link,
  protocol: string,
  code: number,
  data: Uint8Array,
  options: Omit<ChannelOptions, 'limits'>,
): boolean => {
  if (data.length > CONSENSUS_DATA_MAX) return false
  link.consensusChannel ??= openChannel(link.connection, protocol, { ...options, limits: QUEUE })
  link.consensusChannel.send(Uint8Array.of(code), data)
  return true
}

/** Keys that are remembered, so that a new stream or connection brings no new burst; the oldest is forgotten first. */
const PEERS_MAX = 1024

/** What each node may send now, by its id. */
export type ConsensusRates = (id: string, role: Role) => Rate

export const createConsensusRates = (nowMs: () => number): ConsensusRates => {
  const rates = (limit: Limit): ((id: string) => Rate) =>
    createRecent(PEERS_MAX, () => ({
      messages: createTokenBucket(limit.messagesPerSecond, limit.messagesBurst, nowMs),
      bytes: createTokenBucket(limit.bytesPerSecond, limit.bytesBurst, nowMs),
    }))
  const ofValidator = rates(OF_VALIDATOR)
  const ofStranger = rates(OF_STRANGER)
  return (id, role) => (role === 'other' ? ofStranger(id) : ofValidator(id))
}

export const receiveConsensusMessages = (
  stream: Stream,
  link: Link,
  nowMs: () => number,
  on: {
    /** Asked for each message: validators come and go. */
    readonly rate: () => Rate
    readonly message: (code: number, data: Uint8Array) => void
    readonly flooding: () => void
    readonly failure: (cause: unknown) => void
  },
): void =>
  receiveWhenReady(stream, link, {
    bytesMax: CONSENSUS_BYTES_MAX,
    rate: { now: on.rate, onExceeded: on.flooding },
    onHeard: () => {
      link.heardAtMs = nowMs()
    },
    onFrame: frame => {
      const [code] = frame
      if (code === undefined) throw new Error('an empty consensus message')
      on.message(code, frame.subarray(1))
    },
    onFailure: on.failure,
  })
