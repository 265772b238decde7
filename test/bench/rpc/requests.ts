import { encodeFunctionData } from 'viem'
import { padStartBytes } from '../../../core/bytes/bytes.ts'
import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import { compile } from '../../support/programs/solc.ts'
import { holderAddress, TOKEN_ADDRESS } from '../workload.ts'

/** A method, and the parameters of its nth call. */
export type Workload = {
  readonly method: string
  /** So many calls there are, each to be made once; undefined where any can be made again. */
  readonly calls?: number
  /** Undefined where there is no such call. */
  readonly params: (index: number) => readonly unknown[] | undefined
  /** What of a result both servers must agree on. */
  readonly agreed: (result: unknown) => unknown
}

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

const holder = (index: number, recipients: number): Uint8Array => holderAddress(index % recipients)

const asItIs = (result: unknown): unknown => result
const count = (result: unknown): unknown => (result as readonly unknown[]).length

export type WorkloadChain = {
  readonly blocks: number
  /** Holders that have had transfers. */
  readonly recipients: number
  readonly unsent: readonly RecoveredTransaction[]
}

/** What is asked, each time of another holder, block or transaction. */
export const workloads = ({ blocks, recipients, unsent }: WorkloadChain): readonly Workload[] => {
  const { abi } = compile('Token')
  const balanceOf = Array.from({ length: recipients }, (_, index) =>
    encodeFunctionData({ abi, functionName: 'balanceOf', args: [toHex(holder(index, recipients))] }),
  )
  return [
    { method: 'eth_blockNumber', params: () => [], agreed: asItIs },
    {
      method: 'eth_getBalance',
      params: index => [toHex(holder(index, recipients)), 'latest'],
      agreed: asItIs,
    },
    {
      method: 'eth_getBlockByNumber',
      params: index => [toQuantity(1 + (index % blocks)), true],
      agreed: result => count((result as { transactions: readonly unknown[] }).transactions),
    },
    {
      method: 'eth_call',
      params: index => [{ to: toHex(TOKEN_ADDRESS), data: balanceOf[index % recipients] }, 'latest'],
      agreed: asItIs,
    },
    {
      method: 'eth_getLogs',
      params: index => {
        const topics = [TRANSFER, null, toHex(padStartBytes(holder(index, recipients), 32))]
        return [{ fromBlock: '0x1', toBlock: toQuantity(blocks), address: toHex(TOKEN_ADDRESS), topics }]
      },
      agreed: count,
    },
    {
      method: 'eth_sendRawTransaction',
      calls: unsent.length,
      params: index => {
        const next = unsent[index]
        return next === undefined ? undefined : [toHex(next.transaction.encoded)]
      },
      agreed: asItIs,
    },
  ]
}

/** Bodies of requests for the calls from `first` on, `batch` in each or one by itself; undefined when there are no more. */
export const requestBodies = (
  { method, params }: Workload,
  batch: number | undefined,
  first: number,
): (() => string | undefined) => {
  let index = first
  const call = (): string | undefined => {
    const given = params(index)
    if (given === undefined) return undefined
    return JSON.stringify({ jsonrpc: '2.0', id: index++, method, params: given })
  }
  if (batch === undefined) return call
  return () => {
    const calls: string[] = []
    while (calls.length < batch) {
      const next = call()
      if (next === undefined) return undefined
      calls.push(next)
    }
    return `[${calls.join(',')}]`
  }
}
