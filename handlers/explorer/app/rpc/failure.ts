/** Codes of errors that do not come from the node. */
export const NO_CONNECTION = 'NO_CONNECTION'
export const LOGIN_NEEDED = 'LOGIN_NEEDED'

const METHOD_NOT_FOUND = -32601
const METHOD_NOT_ENABLED = -32604
export const NOT_PERMITTED = -40100

/** A call that has no result. */
export class RpcFailure extends Error {
  override readonly name = 'RpcFailure'
  readonly code: number | typeof NO_CONNECTION | typeof LOGIN_NEEDED
  readonly data: unknown

  constructor(code: RpcFailure['code'], message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** True when this node does not serve the method at all: a reader, a Worker, or a group that is not enabled. */
const isNotServed = (error: unknown): boolean =>
  error instanceof RpcFailure && (error.code === METHOD_NOT_FOUND || error.code === METHOD_NOT_ENABLED)

/** True when asking again gives the same answer: the method is not served, or the token does not permit it. */
export const isRefused = (error: unknown): boolean =>
  isNotServed(error) || (error instanceof RpcFailure && error.code === NOT_PERMITTED)

/** Errors of viem have a sentence of their own, before details for its users. */
const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { shortMessage } = error as Error & { readonly shortMessage?: unknown }
  return typeof shortMessage === 'string' ? shortMessage : error.message
}

/** One sentence for the reader of the page. */
export const describeFailure = (error: unknown, method?: string): string => {
  if (!(error instanceof RpcFailure)) return messageOf(error)
  const what = method ?? 'This method'
  if (isNotServed(error))
    return `${what} is not served by this node: its group is not enabled here, or the node is a reader without that data.`
  if (error.code === NOT_PERMITTED) return `Your token does not permit ${method ?? 'this method'}.`
  return typeof error.data === 'string' ? `${error.message}: ${error.data}` : error.message
}
