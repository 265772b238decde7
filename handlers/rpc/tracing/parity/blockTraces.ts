import { toHex, toQuantity } from '../../../../core/bytes/hex.ts'
import { equalBytes } from '../../../../core/bytes/bytes.ts'
import { beneficiaryOf, rewardCredits } from '../../../../core/chain/execution/reward.ts'
import { rulesAt } from '../../../../core/genesis/forkSchedule.ts'
import type { BlockRecord } from '../../../../core/store/store.ts'
import type { RpcContext } from '../../context.ts'
import { type Budget, objectsBudget } from '../budget.ts'
import { collectCalls } from '../calls.ts'
import { replayBlock } from '../replay.ts'
import type { TracerKind } from '../traced.ts'
import { type FlatTrace, flatTraces } from './flatTraces.ts'

const REWARD_BYTES = 400

const flatTracer: TracerKind = ({ place }, budget) => {
  const { hooks, root } = collectCalls(objectsBudget(budget))
  return { hooks, finish: result => flatTraces(root(), result, { isMined: true, place }) }
}

/** The traces of one transaction of a block. */
export const transactionTraces = async (
  context: RpcContext,
  record: BlockRecord,
  index: number,
  budget: Budget,
): Promise<readonly FlatTrace[]> => {
  let traces: readonly FlatTrace[] = []
  const take = (trace: unknown): void => {
    traces = trace as readonly FlatTrace[]
  }
  await replayBlock(context, record, flatTracer, budget, index, take)
  return traces
}

/**
 * The traces of the block's rewards: one for the beneficiary of the block and one for that of each ommer. As in Besu the
 * first one exists even without a reward.
 */
const rewardTraces = ({ chain }: RpcContext, { block, hash }: BlockRecord): FlatTrace[] => {
  const { configuration } = chain
  const { header, ommers } = block
  const rules = rulesAt(configuration, header.number, header.timestamp, header.difficulty)
  const credits = rewardCredits(configuration, rules.fork, { header, ommers })
  const author = beneficiaryOf(configuration, header)
  const own = credits.at(-1)
  const shape = (address: Uint8Array, rewardType: 'block' | 'uncle', wei: bigint): FlatTrace => ({
    from: undefined,
    to: address,
    json: {
      action: { author: toHex(address), rewardType, value: toQuantity(wei) },
      blockHash: toHex(hash),
      blockNumber: Number(header.number),
      result: null,
      subtraces: 0,
      traceAddress: [],
      transactionHash: null,
      transactionPosition: null,
      type: 'reward',
    },
  })
  return [
    shape(author, 'block', own === undefined ? 0n : own.wei),
    ...credits.slice(0, -1).map(({ address, wei }) => shape(address, 'uncle', wei)),
  ]
}

/** Passes the traces of a block's transactions to `take` in order, then those of its rewards. The genesis block has none. */
export const blockTraces = async (
  context: RpcContext,
  record: BlockRecord,
  budget: Budget,
  take: (trace: FlatTrace) => void,
): Promise<void> => {
  const { header, transactions, ommers } = record.block
  if (header.number === 0n) return
  const takeAll = (traces: unknown): void => (traces as readonly FlatTrace[]).forEach(take)
  if (transactions.length > 0) await replayBlock(context, record, flatTracer, budget, undefined, takeAll)
  budget.add(REWARD_BYTES * (1 + ommers.length))
  rewardTraces(context, record).forEach(take)
}

export type TraceMatch = {
  readonly fromAddress: readonly Uint8Array[]
  readonly toAddress: readonly Uint8Array[]
  /** `union`: a match of either list suffices; `intersection`: each list that is not empty must match. */
  readonly mode: 'union' | 'intersection'
}

const includes = (addresses: readonly Uint8Array[], address: Uint8Array | undefined): boolean =>
  address !== undefined && addresses.some(one => equalBytes(one, address))

export const matches = ({ from, to }: FlatTrace, { fromAddress, toAddress, mode }: TraceMatch): boolean => {
  if (fromAddress.length === 0 && toAddress.length === 0) return true
  const isFrom = includes(fromAddress, from)
  const isTo = includes(toAddress, to)
  if (mode === 'union') return isFrom || isTo
  return (fromAddress.length === 0 || isFrom) && (toAddress.length === 0 || isTo)
}
