import { fromHex, toHex } from '../../core/bytes/hex.ts'
import { decodeExtraData } from '../../core/block/codec/extraData.ts'
import type { Member } from './folder.ts'

/** Often enough to be live, seldom enough to cost nothing. */
const POLL_MS = 100

type RpcBlock = {
  readonly number: string
  readonly miner: string
  readonly timestamp: string
  readonly extraData: string
  readonly transactions: readonly string[]
}

const call = async (url: string, method: string, ...params: readonly unknown[]): Promise<unknown> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result } = (await response.json()) as { readonly result?: unknown }
  return result
}

/** Who proposed the block in which round, with how many seals. */
export const describeNetworkBlock = (
  block: RpcBlock,
  members: readonly Member[],
  validators: number,
): string => {
  const { round, seals } = decodeExtraData(fromHex(block.extraData))
  const proposer = members.find(({ key }) => toHex(key.address) === block.miner)
  return [
    `#${Number(block.number)}`.padEnd(8),
    (proposer?.name ?? block.miner).padEnd(12),
    `round ${round}`.padEnd(9),
    `${block.transactions.length} tx`.padEnd(9),
    `${seals.length} of ${validators} seals`,
  ].join(' ')
}

/** Tells every block as the node at `url` gets it, from its head on. Returns the function that ends it. */
export const watchBlocks = (options: {
  readonly url: string
  readonly members: readonly Member[]
  readonly tell: (line: string) => void
}): (() => void) => {
  const { url, members, tell } = options
  const ending = new AbortController()
  const { signal } = ending
  let next: bigint | undefined

  const tellNew = async (): Promise<void> => {
    const head = BigInt((await call(url, 'eth_blockNumber')) as string)
    next ??= head + 1n
    for (; next <= head && !signal.aborted; next++) {
      const tag = `0x${next.toString(16)}`
      const block = (await call(url, 'eth_getBlockByNumber', tag, false)) as RpcBlock
      const governing = (await call(url, 'qbft_getValidatorsByBlockNumber', tag)) as readonly string[]
      tell(describeNetworkBlock(block, members, governing.length))
    }
  }

  const poll = async (): Promise<void> => {
    let failed = false
    while (!signal.aborted) {
      try {
        await tellNew()
        failed = false
      } catch (error) {
        if (!failed && !signal.aborted)
          tell(`the RPC node does not answer: ${error instanceof Error ? error.message : String(error)}`)
        failed = true
      }
      await new Promise(resolve => setTimeout(resolve, POLL_MS))
    }
  }
  void poll()
  return () => ending.abort()
}
