import { CommandError } from '../cli/errors.ts'
import { connectionFailureReason } from '../files/reason.ts'
import { limitedBytes } from '../serving/limitedBytes.ts'
import { printableStrings } from './texts.ts'
import { shownUrl } from '../text/shownUrl.ts'

/** A healthy node answers at once; a busy one may take a while. */
const TIMEOUT_MS = 10_000

/** The status of a hundred validators has some 50 KB. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024

/** The code of a method that the token does not permit. */
const UNAUTHORIZED = -40100
/** The code of a method that the node does not serve. */
const NOT_ENABLED = -32604

/** The JSON-RPC interface of a running node. */
export type NodeApi = { readonly url: string; readonly token: string | undefined }

const failed = (url: string, reason: string): CommandError =>
  new CommandError(
    'NO_ANSWER',
    `The node at ${shownUrl(url)} does not answer: ${reason}. Give the address of its JSON-RPC port with --url, and start the node with --rpc-http-enabled.`,
  )

const reasonOf = (error: unknown): string =>
  error instanceof Error && error.name === 'TimeoutError'
    ? `no answer came within ${TIMEOUT_MS / 1000} s`
    : connectionFailureReason(error)

const readText = async (response: Response): Promise<string> => {
  const bytes = await limitedBytes(response, ANSWER_BYTES_MAX)
  if (bytes === undefined) throw new Error(`its answer is longer than ${ANSWER_BYTES_MAX} bytes`)
  return new TextDecoder().decode(bytes)
}

type Answer = {
  readonly result?: unknown
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown }
}

const parse = (text: string): Answer => {
  try {
    const answer: unknown = JSON.parse(text, printableStrings)
    if (typeof answer === 'object' && answer !== null) return answer
  } catch {
    // The server that answers is not a node.
  }
  throw new Error('its answer is not JSON-RPC')
}

/** Calls a method of a node. @throws CommandError that says why there is no result, and what to do */
export const callNode = async (
  { url, token }: NodeApi,
  method: string,
  params: readonly unknown[] = [],
): Promise<unknown> => {
  let status: number
  let answer: Answer
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    ;({ status } = response)
    const text = await readText(response)
    answer = status === 401 ? {} : parse(text)
  } catch (error) {
    throw failed(url, reasonOf(error))
  }
  const [group = '', name = ''] = method.split('_')
  if (status === 401 || answer.error?.code === UNAUTHORIZED)
    throw new CommandError(
      'NO_ANSWER',
      token === undefined
        ? `The node at ${shownUrl(url)} asks for a token that permits ${method}: give a file with one in --token-file`
        : `The token in --token-file does not permit ${method} at ${shownUrl(url)}, or has expired: it needs the permission ${group}:${name} or ${group}:*`,
    )
  if (answer.error === undefined) return answer.result
  const { code, message, data } = answer.error
  if (code === NOT_ENABLED)
    throw new CommandError(
      'NOT_ENABLED',
      `The node at ${shownUrl(url)} does not serve ${method}: ${typeof data === 'string' && data !== '' ? data : `add ${group.toUpperCase()} to --rpc-http-api`}`,
    )
  throw new CommandError(
    'NO_ANSWER',
    `The node at ${shownUrl(url)} refuses ${method}: ${String(message)} (${String(code)})`,
  )
}
