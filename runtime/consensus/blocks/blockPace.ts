import type { ConsensusObserver } from '../reports/observer.ts'

/** The part of a period that a full block is to take: what is left covers blocks that take longer than the last ones. */
const TARGET_SHARE = 0.9

/** Blocks in a row that take longer than a period before blocks are limited: one alone may be a pause of the machine. */
const LATE_BLOCKS_MIN = 2

/**
 * The part of a block's time that its execution must take, at the proposer and then at the others, before its gas counts as the
 * reason that it is late: no limit makes the rounds of messages of a slow network shorter.
 */
const EXECUTION_SHARE_MIN = 0.5

/** A block is executed by its proposer, and then by the others at once. */
const EXECUTIONS = 2

/** Gas of a hundred transfers: smaller blocks are late for other reasons. */
const LIMIT_MIN = 2_100_000

/** Blocks by whose median the limit is estimated. */
const MEASURED_BLOCKS = 4

/** Blocks whose best rate counts. */
const KEPT_BLOCKS = 64

/**
 * The part of the best recent rate of gas that a limit leaves, even if blocks are late with it: where rounds of messages take
 * most of a period, or other programs most of the machine, small blocks would cost more than late ones.
 */
const RATE_SHARE_MIN = 0.8

/** How much the limit grows from one block to the next: one fast block must not make the next one late. */
const GROWTH_MAX = 1.25

/** A block has filled the limit if it has this part of it. */
const FILLED_SHARE = 0.8

/** Blocks in a row below the limit after which there is none: the load has gone, and the estimate is old. */
const UNFILLED_BLOCKS_MAX = 8

/** From the start of a round 0 until the chain could continue with the next height, and its execution on this node. */
type MeasuredBlock = { readonly gas: number; readonly ms: number; readonly executionMs: number }

export type BlockPace = {
  /** Notes how long this node took to build or to verify a block. */
  readonly executed: (number: bigint, ms: number) => void
  /** Measures the blocks. */
  readonly observer: ConsensusObserver
  /** When the round began in which this block was proposed, milliseconds since 1970; undefined if it is not known. */
  readonly beganMs: (number: bigint) => number | undefined
  /** Gas with which a block takes less than its period; undefined while blocks are not late. */
  readonly gasMax: () => bigint | undefined
}

type State = {
  /** The last round that began. */
  begun: { readonly sequence: bigint; readonly round: number; readonly atMs: number } | undefined
  /** The longest execution of a block of this height. */
  execution: { readonly number: bigint; readonly ms: number } | undefined
  /** The last blocks, the oldest first. */
  readonly blocks: MeasuredBlock[]
  limit: number | undefined
  unfilled: number
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] as number

const timeOfGas = ({ ms, executionMs }: MeasuredBlock): number => Math.min(ms, EXECUTIONS * executionMs)

const isLateByGas = (block: MeasuredBlock, periodMs: number): boolean =>
  block.ms > periodMs && timeOfGas(block) >= EXECUTION_SHARE_MIN * block.ms

/** Gas that takes the target part of a period, by the last blocks of which execution took most of the time; see `RATE_SHARE_MIN`. */
const estimate = ({ blocks }: State, periodMs: number): number | undefined => {
  const limits = blocks
    .slice(-MEASURED_BLOCKS)
    .filter(block => block.gas > 0 && timeOfGas(block) >= EXECUTION_SHARE_MIN * block.ms)
    .map(block => {
      const fixedMs = block.ms - timeOfGas(block)
      return (block.gas * (TARGET_SHARE * periodMs - fixedMs)) / timeOfGas(block)
    })
  if (limits.length === 0) return undefined
  const bestRate = Math.max(...blocks.map(({ gas, ms }) => gas / Math.max(ms, periodMs)))
  return Math.max(median(limits), RATE_SHARE_MIN * bestRate * periodMs, LIMIT_MIN)
}

const note = (state: State, block: MeasuredBlock, periodMs: number): void => {
  const { blocks, limit } = state
  blocks.push(block)
  if (blocks.length > KEPT_BLOCKS) blocks.shift()
  if (limit === undefined) {
    const isLate =
      blocks.length >= LATE_BLOCKS_MIN &&
      blocks.slice(-LATE_BLOCKS_MIN).every(late => isLateByGas(late, periodMs))
    state.limit = isLate ? estimate(state, periodMs) : undefined
    state.unfilled = 0
    return
  }
  if (block.gas < FILLED_SHARE * limit && block.ms <= periodMs) {
    if (++state.unfilled >= UNFILLED_BLOCKS_MAX) state.limit = undefined
    return
  }
  state.unfilled = 0
  state.limit = Math.min(estimate(state, periodMs) ?? limit * GROWTH_MAX, limit * GROWTH_MAX)
}

/**
 * Estimates how much gas a block may have so that it is executed, verified by a quorum and committed within its period. Each
 * validator measures all blocks, whoever proposes them: their time ends with the slowest verification that they need.
 */
export const createBlockPace = (options: {
  readonly periodMs: (sequence: bigint) => number
  /** Gas of the block at the head. */
  readonly headGas: () => bigint
}): BlockPace => {
  const state: State = { begun: undefined, execution: undefined, blocks: [], limit: undefined, unfilled: 0 }
  return {
    executed: (number, ms) => {
      if (state.execution?.number !== number || state.execution.ms < ms) state.execution = { number, ms }
    },
    observer: {
      stepped: ({ effects, nowMs }) => {
        for (const effect of effects) {
          if (effect.kind !== 'round-started') continue
          state.begun = { sequence: effect.sequence, round: effect.round, atMs: nowMs }
        }
      },
      newHead: ({ number }, nowMs) => {
        const { begun, execution } = state
        // Blocks that a sync imports, and those of later rounds, do not tell how long a block takes.
        if (begun?.sequence !== number || begun.round !== 0) return
        const executionMs = execution?.number === number ? execution.ms : 0
        const block = { gas: Number(options.headGas()), ms: nowMs - begun.atMs, executionMs }
        note(state, block, options.periodMs(number))
      },
      refused: () => undefined,
      sent: () => undefined,
    },
    beganMs: number => (state.begun?.sequence === number ? state.begun.atMs : undefined),
    gasMax: () => (state.limit === undefined ? undefined : BigInt(Math.round(state.limit))),
  }
}
