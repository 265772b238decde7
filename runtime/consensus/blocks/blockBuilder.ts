import { toHex } from '../../../core/bytes/hex.ts'
import type { BuildOptions, BuiltBlock, Chain } from '../../../core/chain/chain.ts'
import type { Vote } from '../../../core/block/codec/extraData.ts'
import { type QbftConsensus, qbftAfter } from '../../../core/genesis/qbftSchedule.ts'
import { SENDER_WAIT_MS } from '../../../core/txpool/overruns.ts'
import type { PoolHead, TransactionPool } from '../../../core/txpool/pool.ts'
import { chooseVote } from '../../../core/validators/proposals.ts'
import type { MinerSettings } from '../../../handlers/rpc/context.ts'
import type { NodeKey } from '../../keys/nodeKey.ts'
import type { Log } from '../../logging/log.ts'
import { selectionTimeMs } from './blockTiming.ts'
import type { GasBound } from './gasBound.ts'
import { createSelectionBounds } from './selectionBounds.ts'

export type BlockBuilderOptions = {
  readonly chain: Chain
  readonly consensus: QbftConsensus
  readonly pool: TransactionPool
  /** The pool's rules for the block after the current head. */
  readonly poolHead: () => PoolHead
  /** Of this validator. */
  readonly key: Pick<NodeKey, 'address'>
  /** The operator's votes, cast again as long as they would change the validators. */
  readonly standingVotes: () => readonly Vote[]
  /** Settings, read before each block. */
  readonly settings: () => MinerSettings
  /** Percentage of the block period that executing transactions may take; undefined if gas alone bounds a block. */
  readonly selectionPercent: number | undefined
  /** Observes the execution of the transactions; undefined for none. */
  readonly observe?: BuildOptions['observe']
  readonly log: Log
}

/** Builds block `sequence`. `timestamp` in seconds; undefined if the chain has passed that height. */
export type BuildBlock = (
  sequence: bigint,
  round: number,
  timestamp: bigint,
) => Promise<BuiltBlock | undefined>

const NO_BOUND = { gasMax: () => undefined, timeShare: () => 1 }

/** Builds the blocks this validator proposes from the pool, within a time limit and a bound of gas. */
export const createBlockBuilder = (
  options: BlockBuilderOptions,
  bound: Pick<GasBound, 'gasMax' | 'timeShare'> = NO_BOUND,
): BuildBlock => {
  const { chain, consensus, pool, key, log } = options
  /** Position of the next standing vote to cast. */
  let position = 0

  const nextVote = async (): Promise<Vote | undefined> => {
    const standing = options.standingVotes()
    const tally = standing.length === 0 ? undefined : await chain.voteTally()
    if (tally === undefined) return undefined
    const chosen = chooseVote(standing, tally, key.address, position)
    position = chosen.position
    return chosen.vote
  }

  return async (sequence, round, timestamp) => {
    if (chain.head().header.number + 1n !== sequence) return undefined
    const startedMs = Date.now()
    const settings = options.settings()
    const selectionMs = selectionTimeMs(qbftAfter(consensus, chain.head().header), options.selectionPercent)
    const ends = { atMs: startedMs + selectionMs * bound.timeShare(round), atGas: bound.gasMax() }
    const bounds = createSelectionBounds(ends, ({ transaction }) => pool.isDeferred(transaction.hash))
    const built = await chain.buildBlock({
      coinbase: settings.coinbase ?? key.address,
      timestamp,
      targetGasLimit: settings.targetGasLimit,
      chosen: settings.chosen,
      vanity: settings.extraData,
      minGasPrice: settings.minGasPrice,
      minPriorityFee: settings.minPriorityFee,
      round,
      vote: await nextVote(),
      candidates: pool.candidates(options.poolHead()),
      full: bounds.isFull,
      bounds,
      observe: options.observe,
    })
    for (const { transaction, reason } of built.rejected) {
      pool.remove(transaction.transaction.hash)
      log.info('Dropped transaction {hash}: {reason}', { hash: toHex(transaction.transaction.hash), reason })
    }
    for (const { transaction, reason } of built.stopped) {
      const { isDropped } = pool.noteOverrun(transaction, reason, Date.now())
      log.warn('Left transaction {hash} of {sender} out of block {number}: {reason}. {consequence}', {
        hash: toHex(transaction.transaction.hash),
        sender: toHex(transaction.sender),
        number: sequence,
        reason,
        consequence: isDropped
          ? `It is dropped, and its sender has to wait ${SENDER_WAIT_MS / 1000} seconds`
          : 'It is tried once more, after all others',
      })
    }
    log.debug('Built #{number} in {ms} ms', { number: sequence, ms: Date.now() - startedMs })
    return built
  }
}
