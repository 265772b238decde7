import type { ForwardCall } from '../../handlers/rpc/context.ts'
import { errorObject, RpcError, type RpcErrorObject, rpcErrorObject } from '../../handlers/rpc/errors.ts'
import { limitedBytes } from '../serving/limitedBytes.ts'

/** A node that does not answer by then is treated as gone. */
const TIMEOUT_MS = 30_000
/** Longest answer that is passed on. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024
/** Calls in progress: a silent node holds each until its time is over. */
const CALLS_MAX = 256
/** Deepest nesting of an answer: none of JSON-RPC has ten levels, and encoding it recurses. */
const DEPTH_MAX = 64

/** Longest beginning of an answer in the log. */
const SHOWN_LENGTH_MAX = 200

/** Refuses every call, because no upstream node is configured. @param advice what configures one */
export const refuseCalls =
  (advice: string): ForwardCall =>
  () =>
    Promise.resolve({ error: { ...rpcErrorObject('METHOD_NOT_ENABLED'), data: advice } })

/** Why this cannot be the address of an upstream node; undefined where it can. */
export const upstreamProblem = (url: string): string | undefined =>
  URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
    ? undefined
    : `'${url}' is not an http or https URL, such as http://10.0.0.7:8545`

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isDeeperThan = (value: unknown, depth: number): boolean => {
  if (typeof value !== 'object' || value === null) return false
  if (depth === 0) return true
  return Object.values(value).some(child => isDeeperThan(child, depth - 1))
}

/** The error of an answer; undefined for a result. @throws Error for what is no error of JSON-RPC */
const errorOf = (error: unknown): RpcErrorObject | undefined => {
  // As JSON-RPC 1.0 has it beside a result.
  if (error === undefined || error === null) return undefined
  if (!isObject(error) || !Number.isSafeInteger(error['code']) || typeof error['message'] !== 'string')
    throw new Error('its error is not one of JSON-RPC')
  const { code, message, data } = error as RpcErrorObject
  return data === undefined ? { code, message } : { code, message, data }
}

const parse = (text: string, status: number): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`it answers ${status}: ${text.slice(0, SHOWN_LENGTH_MAX).trim()}`, { cause })
  }
}

/** @throws Error for what is no answer of JSON-RPC */
const outcomeOf = (answer: unknown): Awaited<ReturnType<ForwardCall>> => {
  if (!isObject(answer)) throw new Error('its answer is not one of JSON-RPC')
  if (isDeeperThan(answer, DEPTH_MAX)) throw new Error(`its answer nests deeper than ${DEPTH_MAX} levels`)
  const error = errorOf(answer['error'])
  if (error !== undefined) return { error }
  if (!('result' in answer)) throw new Error('its answer has neither result nor error')
  return { result: answer['result'] }
}

const forward = async (
  url: string,
  method: string,
  params: readonly unknown[],
  authorization: string | null,
): ReturnType<ForwardCall> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(authorization === null ? {} : { authorization }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    // The token of the caller is for this address only.
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const bytes = await limitedBytes(response, ANSWER_BYTES_MAX)
  if (bytes === undefined) throw new Error(`its answer is longer than ${ANSWER_BYTES_MAX} bytes`)
  // A refused token has a status of its own, and an error of JSON-RPC as its body.
  return outcomeOf(parse(new TextDecoder().decode(bytes), response.status))
}

/**
 * Forwards a call to another node with the caller's own token; that node checks its permissions.
 * @param callsMax calls in progress; further ones are refused
 */
export const createUpstream = (
  url: string,
  reportError: (method: string, error: unknown) => void,
  callsMax = CALLS_MAX,
): ForwardCall => {
  let calls = 0
  return async (method, params, authorization) => {
    if (calls >= callsMax) return { error: rpcErrorObject('TOO_MANY_REQUESTS') }
    calls++
    try {
      return await forward(url, method, params, authorization)
    } catch (error) {
      reportError(`${method} at the upstream node`, error)
      return {
        error: errorObject(
          new RpcError('INTERNAL_ERROR'),
          'the upstream node gave no answer that can be used',
        ),
      }
    } finally {
      calls--
    }
  }
}
