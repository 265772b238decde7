import type { Hash } from '../../core/bytes/bytes.ts'
import type { Block } from '../../core/chain/block.ts'
import { toHex } from '../../core/bytes/hex.ts'
import { ExecutionStopped } from '../../core/chain/bounds.ts'
import type { BuiltBlock, Chain } from '../../core/chain/chain.ts'
import { qbftBlockHash } from '../../core/chain/codec/blockHash.ts'
import { rememberSealSigners } from '../../core/chain/rules/seals.ts'
import { InvalidBlock } from '../../core/chain/rules/invalidBlock.ts'
import { MemoryUnavailable } from '../../core/evm/memory.ts'
import type { Effect } from '../../core/qbft/effect.ts'
import type { Input } from '../../core/qbft/input.ts'
import { StoreFailed } from '../../core/store/storeFailed.ts'
import { createClockWarning } from '../sync/clockWarning.ts'
import type { Log } from '../logging/log.ts'
import type { BuildBlock } from './blockBuilder.ts'
import { createExecutedBlocks } from './executedBlocks.ts'
import { createRecentTimes } from './recentTimes.ts'

/**
 * A proposal that is this early is verified when its second has come, rather than refused for the whole height: the others may
 * be locked on it. Earlier ones come from a clock that is wrong.
 */
const EARLY_MS_MAX = 10_000

/**
 * A proposal is verified for as long as its round lasts, and for no less than this: the others may be locked on it, and the
 * timer of the next round may be about to start.
 */
const VERIFY_MS_MIN = 500

/** After a failure of this node's own, which says nothing about the block. */
const RETRY_MS = 1_000

/** Interval between looks whether a store that failed takes writes again. */
const STORE_POLL_MS = 250

type EffectOf<Kind extends Effect['kind']> = Extract<Effect, { readonly kind: Kind }>

export type BlockWorkOptions = {
  readonly chain: Chain
  readonly build: BuildBlock
  /** When the current round ends, milliseconds since 1970; undefined when no round runs. */
  readonly roundEndMs: () => number | undefined
  /** Given to the machine; what is done in between goes on. */
  readonly answer: (input: Input) => void
  /** A block was committed here, so long after its proposal was there: told to others and to the log. */
  readonly onCommitted: (block: Block, hash: Hash, proposalToCommitMs: number | undefined) => Promise<void>
  readonly log: Log
}

/** What executes blocks: outside the loop, each answered by an input. */
export type BlockWork = {
  build(effect: EffectOf<'build-block'>): Promise<void>
  verify(effect: EffectOf<'verify-block'>): Promise<void>
  import(effect: EffectOf<'import-block'>): Promise<void>
  /** Forgets what was executed for a height that is over. */
  newHead(): void
  /** Ends waiting for better times. */
  stop(): void
}

export const createBlockWork = (options: BlockWorkOptions): BlockWork => {
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

  /** False when the chain has gone past the block: whatever came of it counts no more. */
  const isDue = ({ header }: Block): boolean => !stopped && chain.head().header.number + 1n === header.number

  /** Why the execution of a proposal is to be given up. No rule of blocks: what others seal is executed to its end. */
  const createGiveUp = (block: Block): (() => string | undefined) => {
    const beganMs = Date.now()
    const untilMs = Math.max(options.roundEndMs() ?? Infinity, beganMs + VERIFY_MS_MIN)
    return () => {
      if (!isDue(block)) return 'its height is over'
      return Date.now() < untilMs
        ? undefined
        : `it did not end within ${untilMs - beganMs} ms, when its round did`
    }
  }

  /** Why the block is not valid, undefined when it is; `again` after so many milliseconds where that is not known yet. */
  const judge = async (
    block: Block,
    hash: Hash,
  ): Promise<{ invalid?: string; againMs?: number; isGivenUp?: boolean }> => {
    const nowMs = Date.now()
    try {
      executed.put(hash, await chain.verifyBlock(block, { nowMs, giveUp: createGiveUp(block) }))
      return {}
    } catch (error) {
      if (error instanceof ExecutionStopped || error instanceof MemoryUnavailable) {
        if (isDue(block))
          log.warn('Block {number} of {proposer} is not verified: {reason}. A round change follows', {
            number: block.header.number,
            proposer: toHex(block.header.coinbase),
            reason: error.message,
          })
        return { isGivenUp: true }
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
    // A record is replaced (recordStore.ts) when the blocks below it are durable.
    const durable = isRecorded ? 'next' : 'now'
    return built === undefined
      ? chain.importBlock(block, { nowMs: Date.now(), durable })
      : chain.commitBuilt(built, block.header, durable)
  }

  /** A store that failed is waited for: nothing else can be committed meanwhile. Who watches the store has logged it. */
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
        log.error('Making block {sequence} failed: {error}. The next round is another chance.', {
          sequence,
          error,
        })
      }
      answer({ kind: 'block-built', sequence, round, block })
    },

    verify: async ({ block, hash }) => {
      proposedAtMs.note(hash)
      for (;;) {
        const { invalid, againMs, isGivenUp } = await judge(block, hash)
        if (!isDue(block)) return
        if (isGivenUp === true) return answer({ kind: 'block-unverified', hash })
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
        // The block stands all the same.
        log.error('Block {number} is committed, telling of it failed: {error}', { number, error })
      }
    },

    newHead: () => executed.clear(),
    stop: () => {
      stopped = true
      for (const end of waits) end()
    },
  }
}
