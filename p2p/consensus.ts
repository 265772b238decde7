import type { Stream } from '@libp2p/interface'
import { type ChannelLimits, openChannel } from './channel.ts'
import type { Link } from './link.ts'
import { receiveWhenReady } from './receive.ts'
import { createTokenBucket } from './tokenBucket.ts'

/** A proposal or round change holds a block, of which none is larger; the code counts, too. */
export const CONSENSUS_BYTES_MAX = 16 * 1024 * 1024

/** For a peer that reads slowly: some rounds' messages, of which the newest matter. */
const QUEUE: ChannelLimits = { messagesMax: 1024, bytesMax: 2 * CONSENSUS_BYTES_MAX }

/**
 * What one peer may send. Thirty validators with ten blocks a second, each passing on what the others say, come to
 * about 600 a second from each; whoever sends more is read more slowly.
 */
const MESSAGES_PER_SECOND = 2000
const MESSAGES_BURST = 4000
const BYTES_PER_SECOND = 32 * 1024 * 1024
const BYTES_BURST = 4 * CONSENSUS_BYTES_MAX

/** Queues a message on the link's long-lived stream; false when it is larger than any may be. */
export const sendConsensusMessage = (
  link: Link,
  protocol: string,
  code: number,
  data: Uint8Array,
  onFailure: (reason: string) => void,
): boolean => {
  if (1 + data.length > CONSENSUS_BYTES_MAX) return false
  link.consensusChannel ??= openChannel(link.connection, protocol, QUEUE, onFailure)
  link.consensusChannel.send(Uint8Array.of(code), data)
  return true
}

export const receiveConsensusMessages = (
  stream: Stream,
  link: Link,
  nowMs: () => number,
  on: {
    readonly message: (code: number, data: Uint8Array) => void
    readonly flooding: () => void
    readonly failure: (cause: unknown) => void
  },
): void =>
  receiveWhenReady(stream, link, {
    bytesMax: CONSENSUS_BYTES_MAX,
    rate: {
      messages: createTokenBucket(MESSAGES_PER_SECOND, MESSAGES_BURST, nowMs),
      bytes: createTokenBucket(BYTES_PER_SECOND, BYTES_BURST, nowMs),
      onExceeded: on.flooding,
    },
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
