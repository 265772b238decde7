import type { Caller } from '../auth/caller.ts'
import { runBatch } from './batch.ts'
import type { RpcContext } from './context.ts'
import { errorOutcome, type Outcome, readBatch, readSingle, replyText, statusOf } from './envelope.ts'
import { JsonError, parseJson } from './json.ts'
import type { Method } from './method.ts'
import { createPace } from './pace.ts'
import { createRunner } from './runner.ts'

/** `body` is JSON, or empty where nothing is answered. */
export type Reply = { readonly status: number; readonly body: string }

/** Answers the body of one HTTP request; a promise only where a method needs one. */
export type Dispatcher = { handle(body: string, caller: Caller): Reply | Promise<Reply> }

const NOTHING: Reply = { status: 200, body: '' }
const PARSE_ERROR: Reply = { status: 400, body: replyText('null', errorOutcome('PARSE_ERROR')) }
const EMPTY_BATCH: Reply = { status: 400, body: replyText('null', errorOutcome('INVALID_REQUEST')) }
const BATCH_TOO_LARGE: Reply = { status: 200, body: replyText('null', errorOutcome('BATCH_TOO_LARGE')) }
const TIMEOUT: Reply = { status: 408, body: replyText('null', errorOutcome('TIMEOUT')) }

const INDENT = 2

export const createDispatcher = (methods: readonly Method[], context: RpcContext): Dispatcher => {
  const { batchSizeMax, timeoutMs, prettyPrint } = context.options
  const runner = createRunner(methods, context)
  const indent = prettyPrint ? INDENT : 0

  const single = (
    element: object,
    body: string,
    caller: Caller,
    expired: () => boolean,
  ): Reply | Promise<Reply> => {
    const envelope = readSingle(element, body)
    if (envelope.kind === 'notification') return NOTHING
    const { id } = envelope
    const finish = (outcome: Outcome): Reply => ({
      status: statusOf(outcome),
      body: replyText(id, outcome, indent),
    })
    if (envelope.kind === 'invalid') return finish(errorOutcome('INVALID_REQUEST'))
    const method = runner.find(envelope.method, caller)
    if (!('handle' in method)) return finish(method)
    const outcome = runner.run(method, { params: envelope.params, expired })
    return outcome instanceof Promise ? outcome.then(finish) : finish(outcome)
  }

  const batch = async (
    elements: readonly unknown[],
    body: string,
    caller: Caller,
    expired: () => boolean,
  ): Promise<Reply> => ({
    status: 200,
    body: await runBatch(readBatch(elements, body), runner, caller, expired, createPace(context.nowMs)),
  })

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
    handle: (body, caller) => {
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
        reply = batch(parsed, body, caller, expired)
      } else reply = single(parsed, body, caller, expired)
      if (!(reply instanceof Promise)) return reply
      return withTimeout(reply, () => {
        late = true
      })
    },
  }
}
