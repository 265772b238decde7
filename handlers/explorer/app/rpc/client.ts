import { LOGIN_NEEDED, NO_CONNECTION, NOT_PERMITTED, RpcFailure } from './failure.ts'
import { requireLogin, token } from './session.ts'

/** Calls of one request: a node limits batches, and a short one is answered sooner. */
const BATCH_CALLS_MAX = 50

/** A node answers within 30 seconds, with an error if need be. */
const TIMEOUT_MS = 40_000

type Call = {
  readonly method: string
  readonly params: readonly unknown[]
  readonly resolve: (result: unknown) => void
  readonly reject: (error: RpcFailure) => void
}

type Answer = {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

let waiting: Call[] = []

const post = async (calls: readonly Call[], given: string | undefined): Promise<readonly Answer[]> => {
  const bodies = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
  let response: Response
  try {
    response = await fetch('/', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(given === undefined ? {} : { authorization: `Bearer ${given}` }),
      },
      body: JSON.stringify(bodies.length === 1 ? bodies[0] : bodies),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
  } catch {
    throw new RpcFailure(NO_CONNECTION, 'The node does not answer.')
  }
  const answers = (await response.json().catch(() => undefined)) as Answer | readonly Answer[] | undefined
  if (answers === undefined)
    throw new RpcFailure(NO_CONNECTION, `The node answered with status ${response.status}.`)
  const list: readonly Answer[] = Array.isArray(answers) ? answers : [answers as Answer]
  // One error for the whole batch.
  const [first] = list
  return list.length < calls.length && first?.error !== undefined ? calls.map(() => first) : list
}

/** A token that is missing or not valid is refused before the calls are read: that answer has no id. */
const failureOf = (
  { code, message, data }: NonNullable<Answer['error']>,
  id: unknown,
  given: string | undefined,
): RpcFailure => {
  if (code !== NOT_PERMITTED) return new RpcFailure(code, message, data)
  if (given !== undefined && id !== null) return new RpcFailure(code, message, data)
  requireLogin(given)
  return new RpcFailure(LOGIN_NEEDED, 'This node asks for a token.')
}

const settle = (calls: readonly Call[], answers: readonly Answer[], given: string | undefined): void => {
  for (const [index, { resolve, reject }] of calls.entries()) {
    const answer =
      calls.length === 1 ? answers[0] : (answers.find(({ id }) => id === index) ?? answers[index])
    if (answer?.error !== undefined) reject(failureOf(answer.error, answer.id, given))
    else if (answer === undefined)
      reject(new RpcFailure(NO_CONNECTION, 'The node left a call without an answer.'))
    else resolve(answer.result ?? null)
  }
}

const send = async (calls: readonly Call[]): Promise<void> => {
  const given = token.get()
  try {
    settle(calls, await post(calls, given), given)
  } catch (error) {
    for (const { reject } of calls) reject(error as RpcFailure)
  }
}

const flush = (): void => {
  const calls = waiting
  waiting = []
  for (let at = 0; at < calls.length; at += BATCH_CALLS_MAX) void send(calls.slice(at, at + BATCH_CALLS_MAX))
}

/** Calls a method of the node. Calls of the same turn travel in one request. @throws RpcFailure */
export const call = <T>(method: string, ...params: readonly unknown[]): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    if (waiting.length === 0) queueMicrotask(flush)
    waiting.push({ method, params, resolve: resolve as (result: unknown) => void, reject })
  })
