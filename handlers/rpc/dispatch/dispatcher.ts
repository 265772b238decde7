import type { Caller } from '../../auth/caller.ts'
import { createProofNotes, type ProofNotes } from './answerProof.ts'
import { runBatch } from './batch.ts'
import type { Connection } from '../connection.ts'
import type { RpcContext, Snapshot } from '../context.ts'
import { createDeadlines, type Deadlines } from '../../inbound/deadlines.ts'
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
import type { Call, Method } from '../method.ts'
import { BodyTooBusy, type ParsedBody, parseYielding, parseWhole, WHOLE_LENGTH_MAX } from './requestBody.ts'
import { createRunner, type Runner } from './runner.ts'

export type Reply = {
  readonly status: number
  readonly body: ReplyBody
  /** HTTP headers besides the usual ones. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The client that sent a body. */
export type Client = {
  /** True once the client has disconnected: its work in progress may stop. */
  readonly isGone: () => boolean
  /** Undefined over HTTP. */
  readonly connection?: Connection | undefined
  /** Claims memory that the request holds until it is answered; undefined where memory is not counted. */
  readonly claim?: ClaimBytes | undefined
  /** `Authorization` header of the request. */
  readonly authorization?: string | null
}

/** A client, and what its answer rests on where a reader answers. */
type Asking = Client & { readonly proofs?: ProofNotes | undefined }

const UNKNOWN_CLIENT: Client = { isGone: () => false }

const claimAlways: ClaimBytes = () => true

/** Answers the body of one HTTP request or one message; returns a promise only where a method needs one. */
export type Dispatcher = { handle(body: string, caller: Caller, client?: Client): Reply | Promise<Reply> }

/** Replies that differ between transports: to a body without a request, and to a request that times out. */
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
/** The reply to a request for which no memory is left. */
export const TOO_BUSY: Reply = { status: 503, body: replyText('null', errorOutcome('NODE_BUSY')) }
const TIMEOUT: Reply = { status: 408, body: replyText('null', errorOutcome('TIMEOUT')) }

const HTTP_REPLIES: TransportReplies = {
  notJson: { status: 400, body: replyText('null', errorOutcome('PARSE_ERROR')) },
  emptyBatch: { status: 400, body: replyText('null', errorOutcome('INVALID_REQUEST')) },
  timeout: () => TIMEOUT,
}

/** Spaces of `--rpc-http-json-pretty-print-enabled`. */
const INDENT = 2

/** What all requests of one dispatcher share. */
type Parts = {
  readonly context: RpcContext
  readonly runner: Runner
  readonly deadlines: Deadlines
  readonly replies: TransportReplies
  /** HTTP headers of the answer of a reader. */
  readonly headersOf?: Snapshot['answerHeaders']
}

/** One body that is being answered. */
type Request = {
  readonly parsed: ParsedBody
  readonly caller: Caller
  readonly base: Omit<Call, 'params'>
  /** Makes `base.expired` true. */
  readonly expire: () => void
}

/** Replies with a timeout after the deadline. The work goes on until it checks `expired`. */
const withTimeout = <Value>(
  { deadlines, replies }: Parts,
  { expire }: Request,
  work: Promise<Value>,
  finish: (value: Value) => Reply,
  id: string,
): Promise<Reply> =>
  deadlines.within(work, finish, () => {
    expire()
    return replies.timeout(id)
  })

const answerSingle = (parts: Parts, request: Request, element: object): Reply | Promise<Reply> => {
  const { runner, context } = parts
  const { parsed, caller, base } = request
  const envelope = readSingle(element, () => parsed.idSource(0))
  if (envelope.kind === 'notification') return NOTHING
  const { id } = envelope
  const finish = (outcome: Outcome): Reply => ({
    status: statusOf(outcome),
    body: replyBody(id, outcome, context.options.prettyPrint ? INDENT : 0),
  })
  if (envelope.kind === 'invalid') return finish(errorOutcome('INVALID_REQUEST'))
  const method = runner.find(envelope.method, caller)
  if (!('handle' in method)) return finish(method)
  const outcome = runner.runSingle(method, { ...base, params: envelope.params })
  return outcome instanceof Promise ? withTimeout(parts, request, outcome, finish, id) : finish(outcome)
}

const answerBatch = async (
  { runner, context }: Parts,
  { parsed, caller, base }: Request,
  elements: readonly unknown[],
): Promise<Reply> => ({
  status: 200,
  body: await runBatch(readBatch(elements, parsed.idSource), {
    runner,
    caller,
    base,
    yieldTurn: context.scheduler.createYield(),
    keep: context.keep,
  }),
})

/** The reply to a body that could not be parsed. @throws errors that the body did not cause */
const unparsedReply = ({ replies }: Parts, error: unknown): Reply => {
  if (error instanceof BodyTooBusy) return TOO_BUSY
  if (!(error instanceof JsonError)) throw error
  if (error.code === 'TOO_MANY_ENTRIES') return BATCH_TOO_LARGE
  return error.code === 'TOO_MANY_VALUES' ? TOO_MANY_VALUES : replies.notJson
}

const answer = (
  parts: Parts,
  parsed: ParsedBody,
  caller: Caller,
  { isGone, connection, authorization, proofs }: Asking,
): Reply | Promise<Reply> => {
  const { replies, context } = parts
  const { batchSizeMax } = context.options
  const { value } = parsed
  if (typeof value !== 'object' || value === null) return replies.notJson
  let isLate = false
  const expire = (): void => {
    isLate = true
  }
  const base = { expired: () => isLate || isGone(), connection, authorization, proofs }
  const request = { parsed, caller, base, expire }
  if (!Array.isArray(value)) return answerSingle(parts, request, value)
  if (value.length === 0) return replies.emptyBatch
  if (batchSizeMax > 0 && value.length > batchSizeMax) return BATCH_TOO_LARGE
  return withTimeout(parts, request, answerBatch(parts, request, value), reply => reply, 'null')
}

const answerLong = async (parts: Parts, body: string, caller: Caller, client: Asking): Promise<Reply> => {
  const { scheduler, options } = parts.context
  let parsed: ParsedBody
  try {
    parsed = await parseYielding(
      body,
      options.batchSizeMax,
      client.claim ?? claimAlways,
      scheduler.createYield(),
    )
  } catch (error) {
    return unparsedReply(parts, error)
  }
  return await answer(parts, parsed, caller, client)
}

const handleBody = (parts: Parts, body: string, caller: Caller, client: Asking): Reply | Promise<Reply> => {
  if (body.length > WHOLE_LENGTH_MAX) return answerLong(parts, body, caller, client)
  let parsed: ParsedBody
  try {
    parsed = parseWhole(body, client.claim ?? claimAlways)
  } catch (error) {
    return unparsedReply(parts, error)
  }
  return answer(parts, parsed, caller, client)
}

/** The parts of one request. Where the host has snapshots they have a fixed head. */
const partsOfRequest = (parts: Parts, methods: readonly Method[]): (() => Parts) => {
  const { snapshot } = parts.context
  if (snapshot === undefined) return () => parts
  let last: { readonly snapshot: Snapshot; readonly parts: Parts } | undefined
  return () => {
    const current = snapshot()
    if (last?.snapshot !== current) {
      const context = { ...parts.context, chain: current.chain, gasPrice: current.gasPrice }
      const runner = createRunner(methods, context, parts.runner.find)
      last = { snapshot: current, parts: { ...parts, context, runner, headersOf: current.answerHeaders } }
    }
    return last.parts
  }
}

export const createDispatcher = (
  methods: readonly Method[],
  context: RpcContext,
  replies: TransportReplies = HTTP_REPLIES,
): Dispatcher => {
  const runner = createRunner(methods, context)
  const parts: Parts = { context, runner, replies, deadlines: createDeadlines(context.options.timeoutMs) }
  const partsNow = partsOfRequest(parts, methods)
  const handle = (body: string, caller: Caller, client: Client): Reply | Promise<Reply> => {
    const current = partsNow()
    const { headersOf } = current
    if (headersOf === undefined) return handleBody(current, body, caller, client)
    const proofs = createProofNotes()
    const reply = handleBody(current, body, caller, { ...client, proofs })
    const withHeaders = (one: Reply): Reply => ({ ...one, headers: headersOf(proofs.least()) })
    return reply instanceof Promise ? reply.then(withHeaders) : withHeaders(reply)
  }
  return {
    handle: (body, caller, client = UNKNOWN_CLIENT) => {
      const started = context.scheduler.begin()
      return started === undefined
        ? handle(body, caller, client)
        : started.then(() => handle(body, caller, client))
    },
  }
}
