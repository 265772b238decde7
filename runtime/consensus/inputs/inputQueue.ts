import { toBareHex } from '../../../core/bytes/hex.ts'
import type { Input, MessageInput } from '../../../core/qbft/input.ts'

/**
 * Bytes of queued messages from which on only peers below their even share may add more: more than one round of proposals and
 * round changes with large blocks, and little enough for a small machine. With 20 peers at most 150 MiB wait.
 */
const QUEUED_BYTES_MAX = 64 * 1024 * 1024

/** Maximum queued bytes per peer: one message of the maximum size and some small ones. */
const PEER_BYTES_MAX = 17 * 1024 * 1024

export type InputQueue = {
  /** Returns false for a message beyond the limits. Other inputs are always accepted. */
  push(input: Input): boolean
  shift(): Input | undefined
  readonly size: number
}

/** Consumed entries before the array is compacted: doing it each time would copy the rest each time. */
const COMPACT_AT = 1_024

/**
 * The queue of inputs of the state machine. Once `messagesMax` messages (`messagequeuelimit`) or QUEUED_BYTES_MAX wait, only
 * peers below their even share may add more, so that flooding peers only displace their own messages.
 */
export const createInputQueue = (messagesMax: number): InputQueue => {
  let inputs: Input[] = []
  let first = 0
  let messages = 0
  let bytes = 0
  /** Queued messages and bytes by peer. */
  const waiting = new Map<string, { readonly messages: number; readonly bytes: number }>()

  const waitingOf = (peer: MessageInput['peer']) => waiting.get(toBareHex(peer)) ?? { messages: 0, bytes: 0 }

  const accepts = ({ message, peer }: MessageInput): boolean => {
    const queued = waitingOf(peer)
    const ownBytes = queued.bytes + message.data.length
    if (ownBytes > PEER_BYTES_MAX) return false
    const shares = waiting.size + (queued.messages === 0 ? 2 : 1)
    if (bytes + message.data.length > QUEUED_BYTES_MAX && ownBytes > QUEUED_BYTES_MAX / shares) return false
    return messages < messagesMax || queued.messages < Math.floor(messagesMax / shares)
  }

  const count = ({ message, peer }: MessageInput, step: 1 | -1): void => {
    const queued = waitingOf(peer)
    const next = { messages: queued.messages + step, bytes: queued.bytes + step * message.data.length }
    if (next.messages === 0) waiting.delete(toBareHex(peer))
    else waiting.set(toBareHex(peer), next)
    messages += step
    bytes += step * message.data.length
  }

  return {
    push: input => {
      if (input.kind === 'message') {
        if (!accepts(input)) return false
        count(input, 1)
      }
      inputs.push(input)
      return true
    },
    shift: () => {
      const input = inputs[first]
      if (input === undefined) return undefined
      first++
      if (first === inputs.length || first === COMPACT_AT) {
        inputs = inputs.slice(first)
        first = 0
      }
      if (input.kind === 'message') count(input, -1)
      return input
    },
    get size() {
      return inputs.length - first
    },
  }
}
