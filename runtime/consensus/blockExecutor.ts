import type { Hash } from '../../core/bytes/bytes.ts'
import type { Block } from '../../core/block/block.ts'
import { toHex } from '../../core/bytes/hex.ts'
import { ExecutionStopped } from '../../core/chain/execution/bounds.ts'
import type { BuiltBlock, Chain } from '../../core/chain/chain.ts'
import { qbftBlockHash } from '../../core/block/codec/blockHash.ts'
import { rememberSealSigners } from '../../core/chain/rules/seals.ts'
import { InvalidBlock } from '../../core/chain/rules/invalidBlock.ts'
import { MemoryUnavailable } from '../../core/evm/interpreter/memory.ts'
import type { Effect } from '../../core/qbft/effect.ts'
import type { Input } from '../../core/qbft/input.ts'
import { StoreFailed } from '../../core/store/storeFailed.ts'
import { createClockWarning } from '../../p2p/sync/clockWarning.ts'
import type { Log } from '../logging/log.ts'
import type { BuildBlock } from './blockBuilder.ts'
import { createExecutedBlocks } from './executedBlocks.ts'
import { createRecentTimes } from './recentTimes.ts'

/**
 * A proposal whose timestamp is up to this far in the future is verified once its time has come, instead of rejected for the
 * whole height: other validators may be locked on it. A larger difference means a wrong clock.
 */
const EARLY_MS_MAX = 10_000

/**
 * Minimum time to verify a proposal, which otherwise ends with its round: other validators may be locked on it, and the
 * timer of the next round may be about to start.
 */
const VERIFY_MS_MIN = 500

/** Delay before retrying after an internal error, which says nothing about the block. */
const RETRY_MS = 1_000

/** Interval between checks whether a failed store accepts writes again. */
const STORE_POLL_MS = 250

type EffectOf<Kind extends Effect['kind']> = Extract<Effect, { readonly kind: Kind }>

export type BlockExecutorOptions = {
  readonly chain: Chain
  readonly build: BuildBlock
  /** When the current round ends, milliseconds since 1970; undefined when no round runs. */
  readonly roundEndMs: () => number | undefined
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

export const createBlockExecutor = (options: BlockExecutorOptions): BlockExecutor => {
  const { chain, answer, log } = options
  const executed = createExecutedBlocks()
  const waits = new Set<() => void>()
  const proposedAtMs = createRecentTimes()
  const clockWarning = createClockWarning(log, Date.now)
  let stopped = false

  const wait = (ms: number): Promise<void> =>
    new Promise(resolve => {
      const end = (): void => {
        clearTimeout(timer)
        waits.delete(end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      waits.add(end)
    })

  /** False once the chain has passed the block's height: its result no longer matters. */
  const isDue = ({ header }: Block): boolean => !stopped && chain.head().header.number + 1n === header.number

  /** Returns why the execution of a proposal is abandoned. Not a validity rule: sealed blocks are always executed fully. */
  const createAbandonCheck = (block: Block): (() => string | undefined) => {
    const beganMs = Date.now()
    const untilMs = Math.max(options.roundEndMs() ?? Infinity, beganMs + VERIFY_MS_MIN)
    return () => {
      if (!isDue(block)) return 'the chain has passed its height'
      return Date.now() < untilMs
        ? undefined
        : `it did not finish within ${untilMs - beganMs} ms, before its round ended`
    }
  }

  /** Verifies a block: `invalid` has the reason; `againMs` asks for a retry after that many milliseconds. */
  const verify = async (
    block: Block,
    hash: Hash,
  ): Promise<{ invalid?: string; againMs?: number; isAbandoned?: boolean }> => {
    const nowMs = Date.now()
    try {
      executed.put(hash, await chain.verifyBlock(block, { nowMs, giveUp: createAbandonCheck(block) }))
      return {}
    } catch (error) {
      if (error instanceof ExecutionStopped || error instanceof MemoryUnavailable) {
        if (isDue(block))
          log.warn('Block {number} of {proposer} is not verified: {reason}. A round change follows', {
            number: block.header.number,
            proposer: toHex(block.header.coinbase),
            reason: error.message,
          })
        return { isAbandoned: true }
      }
      if (!(error instanceof InvalidBlock)) {
        if (isDue(block))
          log.error('Block {number} could not be verified: {error}', { number: block.header.number, error })
        return { againMs: RETRY_MS }
      }
      const earlyMs = Number(block.header.timestamp) * 1000 - nowMs
      if (error.rule === 'future-timestamp') clockWarning(block.header)
      if (error.rule === 'future-timestamp' && earlyMs < EARLY_MS_MAX)
        return { againMs: Math.max(earlyMs - 1000, 0) + 1 }
      return { invalid: error.message }
    }
  }

  const commit = ({
    block,
    hash,
    sealers,
    isRecorded,
  }: EffectOf<'import-block'>): ReturnType<Chain['importBlock']> => {
    const built: BuiltBlock | undefined = executed.get(hash)
    rememberSealSigners(block.header, sealers)
    // The restart record is replaced only once the blocks below it are durable, see recordStore.ts.
    const durable = isRecorded ? 'next' : 'now'
    return built === undefined
      ? chain.importBlock(block, { nowMs: Date.now(), durable })
      : chain.commitBuilt(built, block.header, durable)
  }

  /** Retries until a failed store accepts writes. The store watcher has logged the failure. */
  const commitWhenWritable = async (effect: EffectOf<'import-block'>): ReturnType<Chain['importBlock']> => {
    for (;;) {
      try {
        return await commit(effect)
      } catch (error) {
        if (!(error instanceof StoreFailed) || stopped) throw error
        await wait(STORE_POLL_MS)
      }
    }
  }

  return {
    build: async ({ sequence, round, timestamp }) => {
      let block: Block | undefined
      try {
        const built = await options.build(sequence, round, timestamp)
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
    },

    verify: async ({ block, hash }) => {
      proposedAtMs.note(hash)
      for (;;) {
        const { invalid, againMs, isAbandoned } = await verify(block, hash)
        if (!isDue(block)) return
        if (isAbandoned === true) return answer({ kind: 'block-unverified', hash })
        if (againMs === undefined) return answer({ kind: 'block-verified', hash, invalid })
        await wait(againMs)
        if (!isDue(block)) return
      }
    },

    import: async effect => {
      const { block, hash } = effect
      const { number } = block.header
      let isNew: boolean
      try {
        isNew = (await commitWhenWritable(effect)) === 'imported'
      } catch (error) {
        log.error('Block {number} has a quorum and could not be committed: {error}', { number, error })
        return answer({ kind: 'import-failed', hash })
      }
      try {
        if (isNew) await options.onCommitted(block, hash, proposedAtMs.since(hash))
      } catch (error) {
        // The block is committed all the same.
        log.error('Block {number} is committed, but announcing it failed: {error}', { number, error })
      }
    },

    newHead: () => executed.clear(),
    stop: () => {
      stopped = true
      for (const end of waits) end()
    },
  }
}
