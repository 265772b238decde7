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
import type { Call, Method } from '../method.ts'
import type { YieldTurn } from '../../../core/scheduler.ts'
import type { Runner } from './runner.ts'

/** Longest answer to one batch, in characters: a thousand requests for full blocks would otherwise fill the memory. */
const BATCH_RESPONSE_LENGTH_MAX = 128 * 1024 * 1024

/** Longest answer that is joined into one string: joining a longer one would block the event loop. */
const WHOLE_LENGTH_MAX = 1024 * 1024

type CallEnvelope = Extract<Envelope, { readonly kind: 'call' }>

/** The consecutive calls of one method from `index` on. */
const neighboursAt = (envelopes: readonly Envelope[], index: number, name: string): CallEnvelope[] => {
  const calls: CallEnvelope[] = []
  for (let i = index; ; i++) {
    const envelope = envelopes[i]
    if (envelope?.kind !== 'call' || envelope.method !== name) return calls
    calls.push(envelope)
  }
}

/** Dependencies of the calls of a batch. */
export type BatchParts = {
  readonly runner: Runner
  readonly caller: Caller
  readonly base: Omit<Call, 'params'>
  readonly yieldTurn: YieldTurn
  readonly keep: KeepBytes | undefined
}

/**
 * Answers the requests of a batch one after the other, in order; a notification has no answer. Neighbouring calls of a method
 * with `handleMany` are handled together.
 */
export const runBatch = async (
  envelopes: readonly Envelope[],
  { runner, caller, base, yieldTurn, keep }: BatchParts,
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
    const outcomes = await runner.runMany(
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
    await yieldTurn()
    const calls = method.handleMany === undefined ? [envelope] : neighboursAt(envelopes, index, method.name)
    await runCalls(method, calls)
    index += calls.length - 1
  }
  // A batch of notifications alone has no answer.
  if (length === 0) return ''
  const answered = replies.finish()
  return length <= WHOLE_LENGTH_MAX ? answered.text : answered.pieces
}
