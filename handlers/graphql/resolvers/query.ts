import { fromHex, toHex, toQuantity } from '../../../core/bytes/hex.ts'
import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import { decodeRlp, RlpError } from '../../../core/rlp/rlp.ts'
import { RpcError } from '../../rpc/errors.ts'
import { findMined } from '../../rpc/blocks/mined.ts'
import type { BlockSelector } from '../../rpc/parameters/block.ts'
import type { RequestScope } from '../context.ts'
import { FetchError, invalidParams } from '../errors.ts'
import { answerOf } from '../methods.ts'
import { findLogs, type LogCriteria } from './log.ts'
import type { Resolvers } from './resolver.ts'
import { type BlockSource, minedTransaction, readBlock, type TransactionSource } from './sources.ts'

/** The head at the time of the field's resolution. */
const headSelector = ({ rpc }: RequestScope): BlockSelector => ({
  kind: 'number',
  number: rpc.chain.head().header.number,
})

/** A range of blocks within its limit; undefined where none of them exists yet. @throws FetchError, RpcError */
const rangeOf = (
  { rpc }: RequestScope,
  from: bigint,
  to: bigint,
  blocksMax: bigint,
): readonly [from: bigint, to: bigint] | undefined => {
  if (from > to) throw invalidParams()
  // Before the range is cut to the head: the limit must not depend on the height of the chain.
  if (blocksMax > 0n && to - from >= blocksMax) throw new RpcError('LOGS_RANGE_TOO_LARGE')
  const head = rpc.chain.head().header.number
  const first = from < 0n ? 0n : from
  const last = to > head ? head : to
  return first > last ? undefined : [first, last]
}

type Named = { readonly number?: bigint | null; readonly hash?: string | null }
type Range = { readonly from?: bigint | null; readonly to?: bigint | null }
type Filter = LogCriteria & { readonly fromBlock?: bigint | null; readonly toBlock?: bigint | null }

/** Null on chains other than QBFT. */
const ofQbft = async (answer: Promise<unknown>): Promise<unknown> => {
  try {
    return await answer
  } catch (error) {
    if (error instanceof RpcError && error.code === 'METHOD_NOT_ENABLED') return null
    throw error
  }
}

export const pooledSource = ({ transaction, sender }: RecoveredTransaction): TransactionSource => ({
  transaction,
  sender,
  mined: undefined,
})

export const QUERY_RESOLVERS: Resolvers<unknown> = {
  block: async (_, { number, hash }: Named, scope, info): Promise<BlockSource> => {
    const byNumber = number !== undefined && number !== null
    const byHash = hash !== undefined && hash !== null
    if (byNumber && byHash) throw invalidParams()
    const selector: BlockSelector = byNumber
      ? { kind: 'number', number }
      : byHash
        ? { kind: 'hash', hash: fromHex(hash) }
        : headSelector(scope)
    const block = await readBlock(scope, selector, info)
    if (block !== undefined) return block
    throw new FetchError(
      byNumber ? `Block number ${number} was not found` : `Block hash ${hash} was not found`,
    )
  },
  blocks: async (_, { from, to }: Range, scope, info): Promise<readonly unknown[]> => {
    if (from === undefined || from === null) throw invalidParams()
    const range = rangeOf(
      scope,
      from,
      to ?? scope.rpc.chain.head().header.number,
      scope.rpc.options.graphqlBlocksRangeMax,
    )
    if (range === undefined) return []
    const blocks: BlockSource[] = []
    const yieldTurn = scope.rpc.scheduler.createYield()
    for (let [number, last] = range; number <= last; number++) {
      await yieldTurn()
      if (scope.expired()) throw new RpcError('TIMEOUT')
      const block = await readBlock(scope, { kind: 'number', number }, info)
      if (block !== undefined) blocks.push(block)
    }
    return scope.yieldingList(blocks)
  },
  pending: (_, _args, { proofs }) => {
    proofs.note('reader')
    return {}
  },
  transaction: async (
    _,
    { hash }: { readonly hash: string },
    { rpc, proofs },
  ): Promise<TransactionSource | null> => {
    const key = fromHex(hash)
    const pooled = rpc.pool.get(key)
    if (pooled !== undefined) return pooledSource(pooled)
    const mined = await findMined(rpc, key)
    if (mined !== undefined) return minedTransaction(mined.record, mined.index)
    proofs.note('head')
    return null
  },
  logs: (_, { filter }: { readonly filter: Filter }, scope, info) => {
    const head = scope.rpc.chain.head().header.number
    const { logsRangeMax } = scope.rpc.options
    const range = rangeOf(
      scope,
      filter.fromBlock ?? head,
      filter.toBlock ?? head,
      logsRangeMax === 0n ? 0n : logsRangeMax + 1n,
    )
    return range === undefined ? [] : findLogs(scope, filter, ...range, info).then(scope.yieldingList)
  },
  gasPrice: (_, _args, scope) => answerOf(scope, 'eth_gasPrice'),
  maxPriorityFeePerGas: (_, _args, scope) => answerOf(scope, 'eth_maxPriorityFeePerGas'),
  syncing: (_, _args, { rpc, proofs }) => {
    proofs.note('reader')
    return rpc.syncing() ?? null
  },
  chainID: (_, _args, { rpc }) => rpc.chain.configuration.chainId,
  validators: (_, { block }: { readonly block?: bigint | null }, scope) =>
    ofQbft(
      answerOf(
        scope,
        'qbft_getValidatorsByBlockNumber',
        block === undefined || block === null ? 'pending' : block < 0n ? block.toString() : toQuantity(block),
      ),
    ),
  qbft: (_, _args, { rpc }) => (rpc.chain.configuration.consensus.kind === 'qbft' ? {} : null),
}

/** Unwraps a typed transaction. Besu accepts them only wrapped into an RLP string; other tools send them unwrapped. */
const unwrapped = (data: string): string => {
  const bytes = fromHex(data)
  const first = bytes[0] ?? 0
  if (first < 0x80 || first >= 0xc0) return data
  try {
    return toHex(decodeRlp(bytes) as Uint8Array)
  } catch (error) {
    if (error instanceof RlpError) throw invalidParams()
    throw error
  }
}

export const MUTATION_RESOLVERS: Resolvers<unknown> = {
  sendRawTransaction: (_, { data }: { readonly data: string }, scope) =>
    answerOf(scope, 'eth_sendRawTransaction', unwrapped(data)),
}

export const QBFT_RESOLVERS: Resolvers<unknown> = {
  round: (_, _args, { rpc, proofs }) => {
    proofs.note('reader')
    return rpc.round?.() ?? null
  },
  pendingVotes: async (_, _args, scope) => {
    const votes = await ofQbft(answerOf(scope, 'qbft_getPendingVotes'))
    return votes === null ? null : Object.entries(votes as object).map(([address, add]) => ({ address, add }))
  },
  signerMetrics: (_, { from, to }: Range, scope) => {
    const bounds = [from, to].map(number => (typeof number === 'bigint' ? toQuantity(number) : undefined))
    // JSON-RPC reports an error for a window without a block, even for an empty request.
    const isNew = scope.rpc.chain.head().header.number === 0n
    if (isNew && bounds.every(bound => bound === undefined)) return []
    return answerOf(scope, 'qbft_getSignerMetrics', ...bounds)
  },
}
