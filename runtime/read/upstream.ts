import type { ForwardCall } from '../../handlers/rpc/context.ts'
import { errorObject, RpcError, rpcErrorObject } from '../../handlers/rpc/errors.ts'
import { limitedBytes } from '../serving/limitedBytes.ts'

/** A node that does not answer by then is treated as gone. */
const TIMEOUT_MS = 30_000
/** Longest answer that is passed on. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024

/** Refuses every call: no upstream node is configured. */
export const NO_UPSTREAM: ForwardCall = () => Promise.resolve({ error: rpcErrorObject('METHOD_NOT_ENABLED') })

type Answer = {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Forwards a call to another node with the caller's own token; that node checks its permissions. */
export const createUpstream =
  (url: string, reportError: (method: string, error: unknown) => void): ForwardCall =>
  async (method, params, authorization) => {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(authorization === null ? {} : { authorization }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      const bytes = await limitedBytes(response, ANSWER_BYTES_MAX)
      if (bytes === undefined) throw new Error(`the answer is longer than ${ANSWER_BYTES_MAX} bytes`)
      const { result, error } = JSON.parse(new TextDecoder().decode(bytes)) as Answer
      if (error === undefined) return { result: result ?? null }
      const { code, message, data } = error
      return { error: data === undefined ? { code, message } : { code, message, data } }
    } catch (error) {
      reportError(`${method} at the upstream node`, error)
      return { error: errorObject(new RpcError('INTERNAL_ERROR'), 'the upstream node does not answer') }
    }
  }
