import { isObject } from '../../../core/json.ts'
import type { RpcErrorName, RpcErrorObject } from '../errors.ts'
import { RPC_ERRORS, RpcError, rpcErrorObject } from '../errors.ts'
import { isJsonPieces, type JsonPiece, pieceLength } from '../json/jsonPieces.ts'

/** One request of a body: a call, a notification (which is ignored), or an invalid request. */
export type Envelope =
  | {
      readonly kind: 'call'
      /** JSON text of the id, returned unchanged. */
      readonly id: string
      readonly method: string
      readonly params: readonly unknown[]
    }
  | { readonly kind: 'notification' }
  | { readonly kind: 'invalid'; readonly id: string }

const NO_PARAMS: readonly unknown[] = []

const INVALID_WITHOUT_ID: Envelope = { kind: 'invalid', id: 'null' }

/** JSON text of an id: its source text where a number is not a safe integer; undefined for an invalid id. */
const idText = (id: unknown, written: () => string | undefined): string | undefined => {
  if (typeof id === 'number') return Number.isSafeInteger(id) ? String(id) : written()
  if (typeof id === 'string') return JSON.stringify(id)
  return id === null ? 'null' : undefined
}

/**
 * Reads one element of a body by Besu's rules: `jsonrpc` is ignored, an id must be a string, a number or null, and an invalid
 * request is answered with its id only when that is an integer.
 * @param written returns the source text of the id.
 */
const readEnvelope = (element: unknown, written: () => string | undefined): Envelope => {
  if (!isObject(element)) return INVALID_WITHOUT_ID
  const { id, method, params } = element
  const given = id === undefined ? undefined : idText(id, written)
  if (
    typeof method !== 'string' ||
    (params !== undefined && params !== null && !Array.isArray(params)) ||
    (id !== undefined && given === undefined)
  )
    return Number.isInteger(id) ? { kind: 'invalid', id: given as string } : INVALID_WITHOUT_ID
  if (given === undefined) return { kind: 'notification' }
  return { kind: 'call', id: given, method, params: (params as unknown[] | undefined | null) ?? NO_PARAMS }
}

/** The request of a body that is one object. @param idSource returns the source text of the id. */
export const readSingle = (element: object, idSource: () => string | undefined): Envelope =>
  readEnvelope(element, idSource)

/** The requests of a batch. @param idSource returns the source text of the id of an entry. */
export const readBatch = (
  elements: readonly unknown[],
  idSource: (entry: number) => string | undefined,
): readonly Envelope[] => elements.map((element, index) => readEnvelope(element, () => idSource(index)))

/** JSON text, in pieces where it is too long to join; empty where there is no answer. */
export type ReplyBody = string | readonly JsonPiece[]

/** `resultText` is the result as JSON text, from a call worker. */
export type Outcome =
  | { readonly result: unknown }
  | { readonly resultText: string }
  | { readonly error: RpcErrorObject }

/** The result as JSON text. */
export const textOf = (outcome: Exclude<Outcome, { readonly error: unknown }>): string => {
  if ('resultText' in outcome) return outcome.resultText
  return isJsonPieces(outcome.result) ? outcome.result.text : JSON.stringify(outcome.result ?? null)
}

/** The result itself. */
export const valueOf = (outcome: Exclude<Outcome, { readonly error: unknown }>): unknown => {
  if ('resultText' in outcome) return JSON.parse(outcome.resultText) as unknown
  return isJsonPieces(outcome.result) ? outcome.result.toJSON() : (outcome.result ?? null)
}

/** Longest result that is joined, in characters. */
const WHOLE_LENGTH_MAX = 64 * 1024

/** Length in characters or bytes, which are nearly always equal. */
export const bodyLength = (body: ReplyBody): number =>
  typeof body === 'string' ? body.length : body.reduce((length, piece) => length + pieceLength(piece), 0)

/** `jsonrpc`, `id`, then `result` or `error`; indented for pretty printing. */
export const replyText = (id: string, outcome: Outcome, indent = 0): string => {
  if (indent === 0)
    return 'error' in outcome
      ? `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(outcome.error)}}`
      : `{"jsonrpc":"2.0","id":${id},"result":${textOf(outcome)}}`
  const [name, value] = 'error' in outcome ? ['error', outcome.error] : ['result', valueOf(outcome)]
  const inner = JSON.stringify(value, null, indent).replaceAll('\n', `\n${' '.repeat(indent)}`)
  const space = ' '.repeat(indent)
  return `{\n${space}"jsonrpc" : "2.0",\n${space}"id" : ${id},\n${space}"${name}" : ${inner}\n}`
}

/** As `replyText`; a long result in pieces stays in pieces and is not indented. */
export const replyBody = (id: string, outcome: Outcome, indent = 0): ReplyBody => {
  const result = 'result' in outcome ? outcome.result : undefined
  if (!isJsonPieces(result) || bodyLength(result.pieces) <= WHOLE_LENGTH_MAX)
    return replyText(id, outcome, indent)
  return [`{"jsonrpc":"2.0","id":${id},"result":`, ...result.pieces, '}']
}

/** The answer in place of a body that is too long for the transport. */
export const tooLargeText = ([head]: readonly JsonPiece[], detail: string): string => {
  const error = new RpcError('ANSWER_TOO_LARGE', { detail })
  const { code } = RPC_ERRORS[error.code]
  const id = typeof head === 'string' ? /^\{"jsonrpc":"2.0","id":(.*),"result":$/.exec(head)?.[1] : undefined
  return replyText(id ?? 'null', { error: { code, message: error.message } })
}

/** Statuses of single replies other than 200, by the code of the error. */
const STATUSES: ReadonlyMap<number, number> = new Map([
  [RPC_ERRORS.INVALID_REQUEST.code, 400],
  [RPC_ERRORS.PARSE_ERROR.code, 400],
  [RPC_ERRORS.UNAUTHORIZED.code, 401],
])

/** The HTTP status of a single reply. */
export const statusOf = (outcome: Outcome): number =>
  'error' in outcome ? (STATUSES.get(outcome.error.code) ?? 200) : 200

export const errorOutcome = (name: RpcErrorName): Outcome => ({ error: rpcErrorObject(name) })
