import { toBareHex } from '../../../core/bytes/hex.ts'
import type { Input, MessageInput } from '../../../core/qbft/input.ts'

/**
 * Maximum bytes of queued messages: more than one round of proposals and round changes with large blocks, and little enough
 * for a small machine.
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
 * The queue of inputs of the state machine. Once `messagesMax` messages wait (`messagequeuelimit`), only peers below their
 * even share may add more, so that a flooding peer only displaces its own messages.
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
    if (bytes + message.data.length > QUEUED_BYTES_MAX) return false
    if (queued.bytes + message.data.length > PEER_BYTES_MAX) return false
    if (messages < messagesMax) return true
    const peers = waiting.size + (queued.messages === 0 ? 1 : 0)
    return queued.messages < Math.floor(messagesMax / (peers + 1))
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
