import type { Caller } from '../../auth/caller.ts'
import {
  type Envelope,
  errorOutcome,
  type Outcome,
  bodyLength,
  type ReplyBody,
  replyBody,
} from './envelope.ts'
import { createJsonArray, type KeepBytes } from '../json/jsonPieces.ts'
import type { Call, Method } from '../methods/method.ts'
import type { Pace } from './yielding.ts'
import type { Runner } from './runner.ts'

/** Characters of one batch's answer: a thousand requests for full blocks would otherwise fill the memory. */
export const BATCH_RESPONSE_LENGTH_MAX = 128 * 1024 * 1024

/** Longer answers are not put together: that would hold up everyone else. */
const WHOLE_LENGTH_MAX = 1024 * 1024

type CallEnvelope = Extract<Envelope, { readonly kind: 'call' }>

/** The calls from `index` on that follow each other with the same method. */
const neighboursAt = (envelopes: readonly Envelope[], index: number, name: string): CallEnvelope[] => {
  const calls: CallEnvelope[] = []
  for (let i = index; ; i++) {
    const envelope = envelopes[i]
    if (envelope?.kind !== 'call' || envelope.method !== name) return calls
    calls.push(envelope)
  }
}

/**
 * Answers a batch in its order, one after the other; what has no id has no answer. Neighbouring calls of a method that
 * is cheaper together are run together.
 */
export const runBatch = async (
  envelopes: readonly Envelope[],
  runner: Runner,
  caller: Caller,
  base: Omit<Call, 'params'>,
  pace: Pace,
  keep: KeepBytes | undefined,
): Promise<ReplyBody> => {
  const { expired } = base
  const replies = createJsonArray(keep)
  let length = 0
  const answer = (id: string, outcome: Outcome): void => {
    const fits = length <= BATCH_RESPONSE_LENGTH_MAX
    const body = replyBody(id, fits ? outcome : errorOutcome('RESPONSE_TOO_LARGE'))
    length += bodyLength(body)
    if (typeof body === 'string') replies.add(body)
    else replies.add(...body)
  }

  const runCalls = async (method: Method, calls: readonly CallEnvelope[]): Promise<void> => {
    if (length > BATCH_RESPONSE_LENGTH_MAX || expired()) {
      for (const { id } of calls) answer(id, errorOutcome(expired() ? 'TIMEOUT' : 'RESPONSE_TOO_LARGE'))
      return
    }
    const outcomes = await runner.runTogether(
      method,
      calls.map(({ params }) => ({ ...base, params })),
    )
    calls.forEach(({ id }, position) => answer(id, outcomes[position] as Outcome))
  }

  for (let index = 0; index < envelopes.length; index++) {
    const envelope = envelopes[index] as Envelope
    if (envelope.kind === 'notification') continue
    if (envelope.kind === 'invalid') {
      answer(envelope.id, errorOutcome('INVALID_REQUEST'))
      continue
    }
    const method = runner.find(envelope.method, caller)
    if (!('handle' in method)) {
      answer(envelope.id, method)
      continue
    }
    await pace()
    const calls =
      method.handleTogether === undefined ? [envelope] : neighboursAt(envelopes, index, method.name)
    await runCalls(method, calls)
    index += calls.length - 1
  }
  const answered = replies.finish()
  return length <= WHOLE_LENGTH_MAX ? answered.text : answered.pieces
}
