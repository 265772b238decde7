/** Longest wait for one answer: a node that is being killed gives none. */
const ANSWER_MS = 5_000

/** Calls a JSON-RPC method. @throws Error with the message of the error, or of the connection */
export const call = async (
  url: string,
  method: string,
  params: readonly unknown[] = [],
): Promise<unknown> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(ANSWER_MS),
  })
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result
}

/** The number of the head; -1 while the node does not answer. */
export const headOf = async (url: string): Promise<number> => {
  try {
    return Number(await call(url, 'eth_blockNumber'))
  } catch {
    // It is down, or starts.
    return -1
  }
}

export type RpcBlock = {
  readonly hash: string
  readonly timestamp: string
  readonly miner: string
  readonly transactions: readonly string[]
}

export const blockAt = async (url: string, number: number): Promise<RpcBlock | undefined> =>
  ((await call(url, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, false])) ?? undefined) as
    | RpcBlock
    | undefined
