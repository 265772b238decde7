import { RpcError } from '../../handlers/rpc/errors.ts'
import { countValues, JsonError } from '../../handlers/rpc/json/parse.ts'
import { connectionFailureReason } from '../files/reason.ts'
import { limitedBytes } from '../serving/limitedBytes.ts'
import { shownUrl } from '../text/shownUrl.ts'

/** The network that a development chain forks. */
export type Upstream = {
  /** Without user, password, path and query, which may hold keys. */
  readonly shownUrl: string
  /**
   * Calls a JSON-RPC method; calls made in the same turn travel together.
   * @throws RpcError `FORK_UNAVAILABLE` for every kind of failure
   */
  readonly call: (method: string, params: readonly unknown[]) => Promise<unknown>
}

/** A node that reads old state from a disk may take seconds. */
const TIMEOUT_MS = 20_000
/** The receipts of a full block have a few megabytes. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024
/** More than an honest answer of that length has: a receipt has 40 bytes for each of its values, and a value takes 64 bytes. */
const ANSWER_VALUES_MAX = 2_000_000
/** Calls in one request: public providers permit a hundred or more. */
const BATCH_CALLS_MAX = 100
const REQUESTS_AT_ONCE = 4
/** Calls that wait: many times what the largest block reads at once. */
const WAITING_CALLS_MAX = 20_000
/** Providers refuse more requests than their rate for a second or so. */
const RETRY_DELAYS_MS = [250, 1_000]
const RETRIED_STATUSES: readonly number[] = [429, 502, 503]

/** The method does not exist, or is not enabled at a node of Besu's or ours. */
const MISSING_METHOD_CODES: readonly unknown[] = [-32601, -32604]

type Waiting = {
  readonly method: string
  readonly params: readonly unknown[]
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

type Answer = {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: { readonly code?: unknown; readonly message?: unknown } | null
}

/** The upstream node does not offer the method. */
export const isMethodMissing = (error: unknown): boolean =>
  error instanceof RpcError && MISSING_METHOD_CODES.includes((error.cause as Answer['error'])?.code)

export const forkUnavailable = (detail: string, cause?: unknown): RpcError =>
  new RpcError('FORK_UNAVAILABLE', { detail, cause })

const readText = async (response: Response): Promise<string> => {
  const bytes = await limitedBytes(response, ANSWER_BYTES_MAX)
  if (bytes === undefined) throw forkUnavailable(`an answer is longer than ${ANSWER_BYTES_MAX} bytes`)
  return new TextDecoder().decode(bytes)
}

/** Counts before it parses: brackets alone would take eighty times their length. @throws JsonError, SyntaxError */
const parseAnswer = (text: string): unknown => {
  if (countValues(text) > ANSWER_VALUES_MAX)
    throw forkUnavailable(`an answer has more than ${ANSWER_VALUES_MAX} values`)
  return JSON.parse(text) as unknown
}

const reasonOf = (error: unknown, timeoutMs: number): string =>
  error instanceof Error && error.name === 'TimeoutError'
    ? `no answer came within ${timeoutMs / 1000} s`
    : connectionFailureReason(error)

/** The URL without credentials, and the header with them: `fetch` refuses them in the URL. */
const splitUrl = (text: string) => {
  const url = new URL(text)
  const { username, password } = url
  url.username = ''
  url.password = ''
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return {
    target: url.href,
    shownUrl: shownUrl(url),
    headers: {
      'content-type': 'application/json',
      ...(username === '' ? {} : { authorization: `Basic ${btoa(login)}` }),
    },
  }
}

type Client = ReturnType<typeof splitUrl> & {
  readonly timeoutMs: number
  readonly waiting: Waiting[]
  running: number
  isScheduled: boolean
  /** False once the node has refused a request with several calls. */
  batches: boolean
}

const post = async (client: Client, body: string): Promise<unknown> => {
  const { target, headers, shownUrl, timeoutMs } = client
  for (let attempt = 0; ; attempt++) {
    const delayMs = RETRY_DELAYS_MS[attempt]
    let status: number
    try {
      const signal = AbortSignal.timeout(timeoutMs)
      const response = await fetch(target, { method: 'POST', headers, body, redirect: 'manual', signal })
      ;({ status } = response)
      if (!RETRIED_STATUSES.includes(status)) return parseAnswer(await readText(response))
      await response.body?.cancel()
    } catch (error) {
      if (error instanceof RpcError) throw error
      if (error instanceof JsonError)
        throw forkUnavailable(`an answer of ${shownUrl} ${error.message}`, error)
      if (error instanceof SyntaxError) throw forkUnavailable(`${shownUrl} does not answer with JSON`, error)
      throw forkUnavailable(`${shownUrl}: ${reasonOf(error, timeoutMs)}`, error)
    }
    if (delayMs === undefined) throw forkUnavailable(`${shownUrl} answers with status ${status}`)
    await new Promise(resolve => setTimeout(resolve, delayMs))
  }
}

const settle = ({ shownUrl }: Client, { method, resolve, reject }: Waiting, answer: unknown): void => {
  if (typeof answer !== 'object' || answer === null)
    return reject(forkUnavailable(`${shownUrl} has no answer to ${method}`))
  const { result, error } = answer as Answer
  if (error !== undefined && error !== null)
    return reject(forkUnavailable(`${method} at ${shownUrl}: ${String(error.message)}`, error))
  if (result === undefined) return reject(forkUnavailable(`${shownUrl} has no result of ${method}`))
  resolve(result)
}

const requestOf = ({ method, params }: Waiting, id: number): object => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})

const sendOne = async (client: Client, call: Waiting): Promise<void> =>
  settle(client, call, await post(client, JSON.stringify(requestOf(call, 0))))

const sendBatch = async (client: Client, calls: readonly Waiting[]): Promise<void> => {
  const answers = await post(client, JSON.stringify(calls.map(requestOf)))
  if (!Array.isArray(answers)) {
    client.batches = false
    for (const call of calls) await sendOne(client, call)
    return
  }
  const byId = new Map((answers as readonly unknown[]).map(answer => [(answer as Answer | null)?.id, answer]))
  calls.forEach((call, id) => settle(client, call, byId.get(id)))
}

const send = async (client: Client, calls: readonly Waiting[]): Promise<void> => {
  client.running++
  try {
    const [first] = calls
    if (first !== undefined && calls.length === 1) await sendOne(client, first)
    else await sendBatch(client, calls)
  } catch (error) {
    for (const { reject } of calls) reject(error)
  } finally {
    client.running--
    sendWaiting(client)
  }
}

const sendWaiting = (client: Client): void => {
  const { waiting } = client
  while (waiting.length > 0 && client.running < REQUESTS_AT_ONCE)
    void send(client, waiting.splice(0, client.batches ? BATCH_CALLS_MAX : 1))
}

/** @param timeoutMs time for one answer */
export const createUpstream = (url: string, timeoutMs = TIMEOUT_MS): Upstream => {
  const client: Client = {
    ...splitUrl(url),
    timeoutMs,
    waiting: [],
    running: 0,
    isScheduled: false,
    batches: true,
  }
  return {
    shownUrl: client.shownUrl,
    call: (method, params) =>
      new Promise((resolve, reject) => {
        if (client.waiting.length >= WAITING_CALLS_MAX)
          return reject(forkUnavailable(`more than ${WAITING_CALLS_MAX} calls wait for ${client.shownUrl}`))
        client.waiting.push({ method, params, resolve, reject })
        if (client.isScheduled) return
        client.isScheduled = true
        queueMicrotask(() => {
          client.isScheduled = false
          sendWaiting(client)
        })
      }),
  }
}
