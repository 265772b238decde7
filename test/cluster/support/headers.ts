import { fromHex, toHex } from '../../../core/bytes/hex.ts'
import { decodeExtraData } from '../../../core/block/codec/extraData.ts'
import type { NodeProcess } from '../../runtime/nodeProcess.ts'

/** What a block says, as a node's JSON-RPC tells it. */
export type HeaderView = {
  readonly number: number
  readonly hash: string
  readonly miner: string
  /** Seconds. */
  readonly timestamp: number
  /** Wei. */
  readonly baseFee: bigint
  readonly transactions: readonly string[]
  readonly round: number
  /** As extraData lists them. */
  readonly validators: readonly string[]
  readonly vote: { readonly recipient: string; readonly type: 'add' | 'drop' } | undefined
}

type RpcBlock = Readonly<
  Record<'number' | 'hash' | 'miner' | 'timestamp' | 'baseFeePerGas' | 'extraData', string>
> & {
  readonly transactions: readonly string[]
}

const headerView = (block: RpcBlock): HeaderView => {
  const { validators, vote, round } = decodeExtraData(fromHex(block.extraData))
  return {
    number: Number(block.number),
    hash: block.hash,
    miner: block.miner,
    timestamp: Number(block.timestamp),
    baseFee: BigInt(block.baseFeePerGas),
    transactions: block.transactions,
    round,
    validators: validators.map(toHex),
    vote: vote === undefined ? undefined : { recipient: toHex(vote.recipient), type: vote.type },
  }
}

/** Blocks 0 to `last`, each at the place of its number. */
export const headersOf = (node: NodeProcess, last: number): Promise<readonly HeaderView[]> =>
  Promise.all(
    Array.from({ length: last + 1 }, async (_, number) => {
      const block = await node.rpc<RpcBlock | null>('eth_getBlockByNumber', `0x${number.toString(16)}`, false)
      if (block === null) throw new Error(`block ${number} is not there`)
      return headerView(block)
    }),
  )
