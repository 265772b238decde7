import type { Caller } from '../auth/caller.ts'
import { runBatch } from './batch.ts'
import type { Connection } from './connection.ts'
import type { RpcContext } from './context.ts'
import { createDeadlines } from './deadlines.ts'
import {
  errorOutcome,
  type Outcome,
  readBatch,
  readSingle,
  type ReplyBody,
  replyBody,
  replyText,
  statusOf,
} from './envelope.ts'
import { JsonError, parseJson } from './json.ts'
import type { Call, Method } from './method.ts'
import { createPace } from './pace.ts'
import { createRunner } from './runner.ts'

export type Reply = { readonly status: number; readonly body: ReplyBody }

/** The other end of the connection a body came over. */
export type Client = {
  /** True once nobody is there any more: what is under way for it may stop. */
  readonly isGone: () => boolean
  /** Undefined where the connection does not last. */
  readonly connection?: Connection | undefined
}

const STAYS: Client = { isGone: () => false }

/** Answers the body of one HTTP request or one message; a promise only where a method needs one. */
export type Dispatcher = { handle(body: string, caller: Caller, client?: Client): Reply | Promise<Reply> }

/** What is answered to a body that holds no request, and to one that takes too long: transports differ in it. */
export type TransportReplies = {
  readonly notJson: Reply
  readonly emptyBatch: Reply
  /** @param id JSON text of the request's id, `null` for a batch. */
  readonly timeout: (id: string) => Reply
}

const NOTHING: Reply = { status: 200, body: '' }
const BATCH_TOO_LARGE: Reply = { status: 200, body: replyText('null', errorOutcome('BATCH_TOO_LARGE')) }
const TIMEOUT: Reply = { status: 408, body: replyText('null', errorOutcome('TIMEOUT')) }

const HTTP_REPLIES: TransportReplies = {
  notJson: { status: 400, body: replyText('null', errorOutcome('PARSE_ERROR')) },
  emptyBatch: { status: 400, body: replyText('null', errorOutcome('INVALID_REQUEST')) },
  timeout: () => TIMEOUT,
}

const INDENT = 2

const asItIs = (reply: Reply): Reply => reply

export const createDispatcher = (
  methods: readonly Method[],
  context: RpcContext,
  replies: TransportReplies = HTTP_REPLIES,
): Dispatcher => {
  const { batchSizeMax, timeoutMs, prettyPrint } = context.options
  const runner = createRunner(methods, context)
  const indent = prettyPrint ? INDENT : 0

  const deadlines = createDeadlines(timeoutMs)
  /** The work goes on after its time is over until it asks whether it has expired. */
  const withTimeout = <Value>(
    work: Promise<Value>,
    finish: (value: Value) => Reply,
    id: string,
    expire: () => void,
  ): Promise<Reply> =>
    deadlines.within(work, finish, () => {
      expire()
      return replies.timeout(id)
    })

  const single = (
    element: object,
    body: string,
    caller: Caller,
    base: Omit<Call, 'params'>,
    expire: () => void,
  ): Reply | Promise<Reply> => {
    const envelope = readSingle(element, body)
    if (envelope.kind === 'notification') return NOTHING
    const { id } = envelope
    const finish = (outcome: Outcome): Reply => ({
      status: statusOf(outcome),
      body: replyBody(id, outcome, indent),
    })
    if (envelope.kind === 'invalid') return finish(errorOutcome('INVALID_REQUEST'))
    const method = runner.find(envelope.method, caller)
    if (!('handle' in method)) return finish(method)
    const outcome = runner.runSingle(method, { ...base, params: envelope.params })
    return outcome instanceof Promise ? withTimeout(outcome, finish, id, expire) : finish(outcome)
  }

  const batch = async (
    elements: readonly unknown[],
    body: string,
    caller: Caller,
    base: Omit<Call, 'params'>,
  ): Promise<Reply> => ({
    status: 200,
    body: await runBatch(
      readBatch(elements, body),
      runner,
      caller,
      base,
      createPace(context.nowMs),
      context.keep,
    ),
  })

  return {
    handle: (body, caller, client = STAYS) => {
      let parsed: unknown
      try {
        parsed = parseJson(body)
      } catch (error) {
        if (error instanceof JsonError) return replies.notJson
        throw error
      }
      if (typeof parsed !== 'object' || parsed === null) return replies.notJson
      let late = false
      const expire = (): void => {
        late = true
      }
      const { isGone, connection } = client
      const base = { expired: () => late || isGone(), connection }
      if (!Array.isArray(parsed)) return single(parsed, body, caller, base, expire)
      if (parsed.length === 0) return replies.emptyBatch
      if (batchSizeMax > 0 && parsed.length > batchSizeMax) return BATCH_TOO_LARGE
      return withTimeout(batch(parsed, body, caller, base), asItIs, 'null', expire)
    },
  }
}
