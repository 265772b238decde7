import { TransactionRejected } from '../../core/txpool/rejection.ts'
import type { RpcContext } from './context.ts'
import { type Envelope, errorOutcome, type Outcome, readEnvelope, replyText, statusOf } from './envelope.ts'
import { RPC_ERRORS, RpcError, rpcErrorObject } from './errors.ts'
import { JsonError, parseJson } from './json.ts'
import { isKnownMethod } from './knownMethods.ts'
import type { Call, Method } from './method.ts'

/** Characters of one batch's answer: a thousand requests for full blocks would otherwise fill the memory. */
export const BATCH_RESPONSE_LENGTH_MAX = 128 * 1024 * 1024

/** `body` is JSON, or empty where nothing is answered. */
export type Reply = { readonly status: number; readonly body: string }

/** Answers the body of one HTTP request; a promise only where a method needs one. Never throws. */
export type Dispatcher = { handle(body: string): Reply | Promise<Reply> }

const NOTHING: Reply = { status: 200, body: '' }
const PARSE_ERROR: Reply = { status: 400, body: replyText('null', errorOutcome('PARSE_ERROR')) }
const EMPTY_BATCH: Reply = { status: 400, body: replyText('null', errorOutcome('INVALID_REQUEST')) }
const BATCH_TOO_LARGE: Reply = { status: 200, body: replyText('null', errorOutcome('BATCH_TOO_LARGE')) }
const TIMEOUT: Reply = { status: 408, body: replyText('null', errorOutcome('TIMEOUT')) }

const INDENT = 2

export const createDispatcher = (methods: readonly Method[], context: RpcContext): Dispatcher => {
  const { apis, batchSizeMax, timeoutMs, prettyPrint } = context.options
  const enabled = new Map(
    methods.filter(({ group }) => group === 'RPC' || apis.includes(group)).map(row => [row.name, row]),
  )

  const failure = (name: string, error: unknown): Outcome => {
    if (error instanceof RpcError) {
      const { code } = RPC_ERRORS[error.code]
      const { message, data } = error
      return { error: data === undefined ? { code, message } : { code, message, data } }
    }
    if (error instanceof TransactionRejected)
      return { error: { code: error.rpcCode, message: error.message } }
    context.reportError(name, error)
    return { error: rpcErrorObject('INTERNAL_ERROR') }
  }

  const missing = (name: string): Outcome =>
    errorOutcome(isKnownMethod(name) ? 'METHOD_NOT_ENABLED' : 'METHOD_NOT_FOUND')

  const run = (row: Method, call: Call): Outcome | Promise<Outcome> => {
    try {
      const result = row.handle(call, context)
      if (!(result instanceof Promise)) return { result }
      return result.then(
        (value: unknown) => ({ result: value }),
        (error: unknown) => failure(row.name, error),
      )
    } catch (error) {
      return failure(row.name, error)
    }
  }

  const single = (envelope: Envelope, expired: () => boolean): Reply | Promise<Reply> => {
    if (envelope.kind === 'notification') return NOTHING
    const { id } = envelope
    const finish = (outcome: Outcome): Reply => ({
      status: statusOf(outcome),
      body: replyText(id, outcome, prettyPrint ? INDENT : 0),
    })
    if (envelope.kind === 'invalid') return finish(errorOutcome('INVALID_REQUEST'))
    const row = enabled.get(envelope.method)
    if (row === undefined) return finish(missing(envelope.method))
    const outcome = run(row, { params: envelope.params, expired })
    return outcome instanceof Promise ? outcome.then(finish) : finish(outcome)
  }

  /** Outcomes of neighbouring calls of one method. */
  const together = async (row: Method, calls: readonly Call[]): Promise<readonly Outcome[]> => {
    try {
      return await (row.handleTogether as NonNullable<Method['handleTogether']>)(calls, context)
    } catch (error) {
      return calls.map(() => failure(row.name, error))
    }
  }

  const batch = async (
    elements: readonly unknown[],
    body: string,
    expired: () => boolean,
  ): Promise<Reply> => {
    const envelopes = elements.map((element, index) => readEnvelope(element, body, index))
    const replies: string[] = []
    let length = 0
    const answer = (id: string, outcome: Outcome): void => {
      const text = replyText(
        id,
        length > BATCH_RESPONSE_LENGTH_MAX ? errorOutcome('RESPONSE_TOO_LARGE') : outcome,
      )
      length += text.length
      replies.push(text)
    }
    for (let index = 0; index < envelopes.length; index++) {
      const envelope = envelopes[index] as Envelope
      if (envelope.kind === 'notification') continue
      if (envelope.kind === 'invalid') {
        answer(envelope.id, errorOutcome('INVALID_REQUEST'))
        continue
      }
      const row = enabled.get(envelope.method)
      if (row === undefined) {
        answer(envelope.id, missing(envelope.method))
        continue
      }
      if (length > BATCH_RESPONSE_LENGTH_MAX) {
        answer(envelope.id, errorOutcome('RESPONSE_TOO_LARGE'))
        continue
      }
      if (row.handleTogether === undefined) {
        answer(envelope.id, await run(row, { params: envelope.params, expired }))
        continue
      }
      const neighbours = [envelope]
      for (;;) {
        const next = envelopes[index + 1]
        if (next?.kind !== 'call' || next.method !== row.name) break
        neighbours.push(next)
        index++
      }
      const outcomes = await together(
        row,
        neighbours.map(({ params }) => ({ params, expired })),
      )
      neighbours.forEach(({ id }, position) => answer(id, outcomes[position] as Outcome))
    }
    return { status: 200, body: `[${replies.join(',')}]` }
  }

  /** The work goes on after its time is over until it asks whether it has expired. */
  const withTimeout = (work: Promise<Reply>, expire: () => void): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        expire()
        resolve(TIMEOUT)
      }, timeoutMs)
      work.then(resolve, reject).finally(() => clearTimeout(timer))
    })

  return {
    handle: body => {
      let parsed: unknown
      try {
        parsed = parseJson(body)
      } catch (error) {
        if (error instanceof JsonError) return PARSE_ERROR
        throw error
      }
      if (typeof parsed !== 'object' || parsed === null) return PARSE_ERROR
      let late = false
      const expired = (): boolean => late
      let reply: Reply | Promise<Reply>
      if (Array.isArray(parsed)) {
        if (parsed.length === 0) return EMPTY_BATCH
        if (batchSizeMax > 0 && parsed.length > batchSizeMax) return BATCH_TOO_LARGE
        reply = batch(parsed, body, expired)
      } else reply = single(readEnvelope(parsed, body, undefined), expired)
      if (!(reply instanceof Promise)) return reply
      return withTimeout(reply, () => {
        late = true
      })
    },
  }
}
