import { errorText } from '../../core/text/errorText.ts'
import { fromHex, toHex } from '../../core/bytes/hex.ts'
import { decodeExtraData } from '../../core/block/codec/extraData.ts'
import type { Member } from './folder.ts'

/** Interval between polls of the head. */
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

/** One line about a block: proposer, round, transactions, seals. */
const describeNetworkBlock = (block: RpcBlock, members: readonly Member[], validators: number): string => {
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

/** Prints each new block of the node at `url`. Returns the function that stops it. */
export const watchBlocks = (options: {
  readonly url: string
  readonly members: readonly Member[]
  readonly print: (line: string) => void
}): (() => void) => {
  const { url, members, print } = options
  const controller = new AbortController()
  const { signal } = controller
  let next: bigint | undefined

  const printNew = async (): Promise<void> => {
    const head = BigInt((await call(url, 'eth_blockNumber')) as string)
    next ??= head + 1n
    for (; next <= head && !signal.aborted; next++) {
      const tag = `0x${next.toString(16)}`
      const block = (await call(url, 'eth_getBlockByNumber', tag, false)) as RpcBlock
      const validators = (await call(url, 'qbft_getValidatorsByBlockNumber', tag)) as readonly string[]
      print(describeNetworkBlock(block, members, validators.length))
    }
  }

  const poll = async (): Promise<void> => {
    let failed = false
    while (!signal.aborted) {
      try {
        await printNew()
        failed = false
      } catch (error) {
        if (!failed && !signal.aborted) print(`the RPC node does not answer: ${errorText(error)}`)
        failed = true
      }
      await new Promise(resolve => setTimeout(resolve, POLL_MS))
    }
  }
  void poll()
  return () => controller.abort()
}
