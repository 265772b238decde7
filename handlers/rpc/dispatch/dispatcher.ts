import type { Caller } from '../../auth/caller.ts'
import { runBatch } from './batch.ts'
import type { Connection } from './connection.ts'
import type { RpcContext } from '../context.ts'
import { createDeadlines } from '../../inbound/deadlines.ts'
import type { ClaimBytes } from '../../inbound/inboundLimits.ts'
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
import { JsonError } from '../json/parse.ts'
import type { Call, Method } from '../methods/method.ts'
import { createPace } from './yielding.ts'
import { BodyTooBusy, type ParsedBody, parseInSlices, parseWhole, WHOLE_LENGTH_MAX } from './requestBody.ts'
import { createRunner } from './runner.ts'
import { beginRequest } from './scheduler.ts'

export type Reply = { readonly status: number; readonly body: ReplyBody }

/** The other end of the connection a body came over. */
export type Client = {
  /** True once nobody is there any more: what is under way for it may stop. */
  readonly isGone: () => boolean
  /** Undefined where the connection does not last. */
  readonly connection?: Connection | undefined
  /** Claims memory for what its request holds until it is answered; undefined where nobody counts. */
  readonly claim?: ClaimBytes | undefined
}

const STAYS: Client = { isGone: () => false }

const claimAlways: ClaimBytes = () => true

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
const TOO_MANY_VALUES: Reply = {
  status: 400,
  body: replyText('null', errorOutcome('REQUEST_TOO_COMPLEX')),
}
const TOO_BUSY: Reply = { status: 503, body: replyText('null', errorOutcome('NODE_BUSY')) }
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
    { idSource }: ParsedBody,
    caller: Caller,
    base: Omit<Call, 'params'>,
    expire: () => void,
  ): Reply | Promise<Reply> => {
    const envelope = readSingle(element, () => idSource(0))
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
    { idSource }: ParsedBody,
    caller: Caller,
    base: Omit<Call, 'params'>,
  ): Promise<Reply> => ({
    status: 200,
    body: await runBatch(
      readBatch(elements, idSource),
      runner,
      caller,
      base,
      createPace(context.nowMs),
      context.keep,
    ),
  })

  /** The reply to a body that could not be parsed. @throws what is no fault of the body */
  const unparsed = (error: unknown): Reply => {
    if (error instanceof BodyTooBusy) return TOO_BUSY
    if (!(error instanceof JsonError)) throw error
    if (error.code === 'TOO_MANY_ENTRIES') return BATCH_TOO_LARGE
    return error.code === 'TOO_MANY_VALUES' ? TOO_MANY_VALUES : replies.notJson
  }

  const answer = (parsed: ParsedBody, caller: Caller, client: Client): Reply | Promise<Reply> => {
    const { value } = parsed
    if (typeof value !== 'object' || value === null) return replies.notJson
    let late = false
    const expire = (): void => {
      late = true
    }
    const { isGone, connection } = client
    const base = { expired: () => late || isGone(), connection }
    if (!Array.isArray(value)) return single(value, parsed, caller, base, expire)
    if (value.length === 0) return replies.emptyBatch
    if (batchSizeMax > 0 && value.length > batchSizeMax) return BATCH_TOO_LARGE
    return withTimeout(batch(value, parsed, caller, base), asItIs, 'null', expire)
  }

  const answerLong = async (body: string, caller: Caller, client: Client): Promise<Reply> => {
    let parsed: ParsedBody
    try {
      const pace = createPace(context.nowMs)
      parsed = await parseInSlices(body, batchSizeMax, client.claim ?? claimAlways, pace)
    } catch (error) {
      return unparsed(error)
    }
    return await answer(parsed, caller, client)
  }

  const handle = (body: string, caller: Caller, client: Client): Reply | Promise<Reply> => {
    if (body.length > WHOLE_LENGTH_MAX) return answerLong(body, caller, client)
    let parsed: ParsedBody
    try {
      parsed = parseWhole(body, client.claim ?? claimAlways)
    } catch (error) {
      return unparsed(error)
    }
    return answer(parsed, caller, client)
  }

  return {
    handle: (body, caller, client = STAYS) => {
      const turn = beginRequest()
      return turn === undefined ? handle(body, caller, client) : turn.then(() => handle(body, caller, client))
    },
  }
}
