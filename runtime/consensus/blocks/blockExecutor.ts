import type { Hash } from '../../../core/bytes/bytes.ts'
import type { Block } from '../../../core/block/block.ts'
import { qbftBlockHash } from '../../../core/block/codec/blockHash.ts'
import type { BuiltBlock, Chain } from '../../../core/chain/chain.ts'
import { rememberSealSigners } from '../../../core/chain/rules/seals.ts'
import type { EffectOf } from '../../../core/qbft/effect.ts'
import type { Input } from '../../../core/qbft/input.ts'
import { StoreFailed } from '../../../core/store/storeFailed.ts'
import { createClockWarning } from '../../../p2p/sync/clockWarning.ts'
import type { Log } from '../../logging/log.ts'
import type { BuildBlock } from './blockBuilder.ts'
import { createDelays, type Delays } from './delays.ts'
import { createExecutedBlocks, type ExecutedBlocks } from './executedBlocks.ts'
import { createRecentTimes, type RecentTimes } from './recentTimes.ts'
import { type ProposalVerificationOptions, verifyOnce } from './verification.ts'

/** Interval between checks whether a failed store accepts writes again. */
const STORE_POLL_MS = 250

export type BlockExecutorOptions = {
  readonly chain: Chain
  readonly build: BuildBlock
  /** When the current round ends, milliseconds since 1970; undefined when no round runs. */
  readonly roundEndMs: () => number | undefined
  /** How long the first round of a height lasts. */
  readonly firstRoundMs: () => number
  /** Queues a result as an input of the state machine. */
  readonly answer: (input: Input) => void
  /** Called after a commit with the time since the proposal, to announce and log the block. */
  readonly onCommitted: (block: Block, hash: Hash, proposalToCommitMs: number | undefined) => Promise<void>
  readonly log: Log
}

/** Builds, verifies and imports blocks asynchronously; each result is an input of the state machine. */
export type BlockExecutor = {
  build(effect: EffectOf<'build-block'>): Promise<void>
  verify(effect: EffectOf<'verify-block'>): Promise<void>
  import(effect: EffectOf<'import-block'>): Promise<void>
  /** Drops the executed blocks of the finished height. */
  newHead(): void
  /** Ends all delays. */
  stop(): void
}

type Executor = BlockExecutorOptions & {
  readonly executed: ExecutedBlocks
  readonly delays: Delays
  readonly proposedAtMs: RecentTimes
  readonly verification: ProposalVerificationOptions
  isStopped: boolean
}

const build = async (executor: Executor, effect: EffectOf<'build-block'>): Promise<void> => {
  const { sequence, round, timestamp } = effect
  const { executed, proposedAtMs, answer, log } = executor
  let block: Block | undefined
  try {
    const built = await executor.build(sequence, round, timestamp)
    if (built !== undefined) {
      const hash = qbftBlockHash(built.block.header)
      executed.put(hash, built)
      proposedAtMs.note(hash)
    }
    block = built?.block
  } catch (error) {
    log.error('Building block {sequence} failed: {error}. It is retried in the next round.', {
      sequence,
      error,
    })
  }
  answer({ kind: 'block-built', sequence, round, block })
}

const verify = async (executor: Executor, { block, hash }: EffectOf<'verify-block'>): Promise<void> => {
  const { executed, delays, verification, answer } = executor
  executor.proposedAtMs.note(hash)
  for (;;) {
    const outcome = await verifyOnce(verification, block)
    if (outcome.kind === 'valid') executed.put(hash, outcome.built)
    if (!verification.isDue(block)) return
    switch (outcome.kind) {
      case 'valid':
        return answer({ kind: 'block-verified', hash, invalid: undefined })
      case 'invalid':
        return answer({ kind: 'block-verified', hash, invalid: outcome.reason })
      case 'abandoned':
        return answer({ kind: 'block-unverified', hash })
      case 'retry':
        await delays.wait(outcome.afterMs)
        if (!verification.isDue(block)) return
    }
  }
}

const commit = (
  { chain, executed }: Executor,
  { block, hash, sealers, isRecorded }: EffectOf<'import-block'>,
): ReturnType<Chain['importBlock']> => {
  const built: BuiltBlock | undefined = executed.get(hash)
  rememberSealSigners(block.header, sealers)
  // The restart record is replaced only once the blocks below it are durable, see recordStore.ts.
  const durable = isRecorded ? 'next' : 'now'
  return built === undefined
    ? chain.importBlock(block, { nowMs: Date.now(), durable })
    : chain.commitBuilt(built, block.header, durable)
}

/** Retries until a failed store accepts writes. The store watcher has logged the failure. */
const commitWhenWritable = async (
  executor: Executor,
  effect: EffectOf<'import-block'>,
): ReturnType<Chain['importBlock']> => {
  for (;;) {
    try {
      return await commit(executor, effect)
    } catch (error) {
      if (!(error instanceof StoreFailed) || executor.isStopped) throw error
      await executor.delays.wait(STORE_POLL_MS)
    }
  }
}

const importBlock = async (executor: Executor, effect: EffectOf<'import-block'>): Promise<void> => {
  const { block, hash } = effect
  const { number } = block.header
  const { log } = executor
  let isNew: boolean
  try {
    isNew = (await commitWhenWritable(executor, effect)) === 'imported'
  } catch (error) {
    log.error('Block {number} has a quorum and could not be committed: {error}', { number, error })
    return executor.answer({ kind: 'import-failed', hash })
  }
  try {
    if (isNew) await executor.onCommitted(block, hash, executor.proposedAtMs.since(hash))
  } catch (error) {
    // The block is committed nevertheless.
    log.error('Block {number} is committed, but announcing it failed: {error}', { number, error })
  }
}

export const createBlockExecutor = (options: BlockExecutorOptions): BlockExecutor => {
  const { chain, roundEndMs, firstRoundMs, log } = options
  const executor: Executor = {
    ...options,
    executed: createExecutedBlocks(),
    delays: createDelays(),
    proposedAtMs: createRecentTimes(),
    verification: {
      chain,
      roundEndMs,
      firstRoundMs,
      isDue: ({ header }) => !executor.isStopped && chain.head().header.number + 1n === header.number,
      clockWarning: createClockWarning(log, Date.now),
      log,
    },
    isStopped: false,
  }
  return {
    build: effect => build(executor, effect),
    verify: effect => verify(executor, effect),
    import: effect => importBlock(executor, effect),
    newHead: () => executor.executed.clear(),
    stop: () => {
      executor.isStopped = true
      executor.delays.stop()
    },
  }
}
