import { toBareHex } from '../../../core/bytes/hex.ts'
import type { EffectOf } from '../../../core/qbft/effect.ts'
import type { HeightState } from '../../../core/qbft/state.ts'
import { proposerOf } from '../../../core/validators/proposer.ts'
import { faultsOf } from '../../../core/validators/quorum.ts'
import type { Log } from '../../logging/log.ts'
import type { ConsensusObserver, ConsensusStep } from '../reports/observer.ts'

/** Gas of a hundred transfers: rounds with smaller blocks end for other reasons. */
const BOUND_MIN = 2_100_000n

/**
 * Number of recent blocks, decided in round 0, whose gas is known to fit in a round. Older ones tell nothing of a machine that
 * has become slower since.
 */
const PROVEN_BLOCKS = 16

/**
 * The next bound after a filled block, as a percentage of the current one. The target is half of a round, with at most twice the
 * gas. Between half and three quarters of a round the bound still grows slowly: where messages alone take half of a round, blocks
 * would otherwise stay at the minimum.
 */
const raisedPercent = (shareOfRound: number): number => {
  if (shareOfRound > 3 / 4) return 100
  return Math.max(106, Math.floor(50 / Math.max(shareOfRound, 1 / 4)))
}

/** True for a block with at least four fifths of the bound: the next transaction may not have fitted. */
const isFilled = (gas: bigint, bound: bigint): boolean => 5n * gas >= 4n * bound

/** Consecutive blocks below the bound after which it is lifted: the load is gone. */
const UNFILLED_BLOCKS_MAX = 16

/** Undecided proposals of a height that do not shorten the selection time. */
const FREE_TRIES = 1

/** Maximum halvings of the selection time: a period of one second leaves some milliseconds, enough for a hundred transfers. */
const HALVINGS_MAX = 5

export type GasBound = {
  /** Receives the proposals and rounds that determine the bound. */
  readonly observer: ConsensusObserver
  /** Maximum gas of this validator's next block; undefined for no other limit than that of the chain. */
  readonly gasMax: () => bigint | undefined
  /**
   * The share of the selection time for a block of this round. Each undecided proposal of the height halves it, because smaller
   * blocks are sent and verified faster. Rounds without a proposal, and those of proposers that failed before, count only beyond
   * the number that faulty validators can cause.
   */
  readonly timeShare: (round: number) => number
}

type BegunRound = {
  readonly sequence: bigint
  readonly round: number
  readonly timeoutMs: number
  /** Milliseconds since 1970. */
  readonly atMs: number
  /** The proposal of the round; undefined until it arrives. */
  readonly proposal: { readonly gas: bigint; readonly isOwn: boolean } | undefined
  /** Undefined where the validators of the height are unknown. */
  readonly proposer: string | undefined
  /** F, the number of faulty validators that the network tolerates. */
  readonly faults: number
  /** Earlier rounds of the height that count as evidence that rounds are too short. */
  readonly tries: number
}

type State = {
  /** The last round that began. */
  round: BegunRound | undefined
  bound: bigint | undefined
  /** Gas of recent blocks that were decided in round 0, oldest first. */
  proven: readonly bigint[]
  unfilled: number
  /** The last F distinct proposers of undecided proposals, oldest first. */
  failed: readonly string[]
}

const noteProposal = (state: State, number: bigint, gas: bigint, isOwn: boolean): void => {
  if (state.round?.sequence === number) state.round = { ...state.round, proposal: { gas, isOwn } }
}

/**
 * Sets the bound to half of the gas of an undecided proposal, but not below the gas of recent blocks that were decided in one
 * round. The second undecided proposal of a height removes blocks of its size from these: connections or machines have become
 * slower.
 */
const lowerBound = (state: State, gas: bigint, tries: number, log: Log): void => {
  if (tries > 0) state.proven = state.proven.filter(each => each < gas)
  const proven = state.proven.reduce((most, each) => (each > most ? each : most), BOUND_MIN)
  const half = gas / 2n > proven ? gas / 2n : proven
  if (gas <= proven || (state.bound !== undefined && state.bound <= half)) return
  state.bound = half
  state.unfilled = 0
  log.info(
    'A round with a block of {gas} gas ended without a decision: this validator limits its blocks to {bound} gas, and raises the limit once rounds end early',
    { gas, bound: half },
  )
}

/**
 * True if an undecided proposal is evidence that rounds are too short. Those of the last F distinct proposers that failed are
 * not: faulty validators could let their own rounds end again and again. Rounds that are too short fail with all proposers.
 */
const isEvidence = ({ failed }: State, { proposal, proposer }: BegunRound): boolean =>
  proposal !== undefined && proposer !== undefined && (proposal.isOwn || !failed.includes(proposer))

const roundFailed = (state: State, begun: BegunRound, log: Log): void => {
  const { proposal, proposer, faults, tries } = begun
  if (proposal === undefined || proposer === undefined) return
  if (isEvidence(state, begun)) {
    lowerBound(state, proposal.gas, tries, log)
    state.round = { ...begun, tries: tries + 1 }
  }
  const others = state.failed.filter(each => each !== proposer)
  state.failed = faults === 0 ? [] : [...others, proposer].slice(-faults)
}

type Started = EffectOf<'round-started'>

const roundStarted = (
  state: State,
  effect: Started,
  height: HeightState | undefined,
  nowMs: number,
): void => {
  const { sequence, round, timeoutMs } = effect
  const before = state.round?.sequence === sequence ? state.round : undefined
  const head = height?.sequence === sequence ? height.head : undefined
  const proposer = head && proposerOf(head.validators, head.coinbase, round)
  state.round = {
    sequence,
    round,
    timeoutMs,
    atMs: nowMs,
    proposal: undefined,
    proposer: proposer && toBareHex(proposer),
    faults: faultsOf(head?.validators.length ?? 0),
    tries: before?.tries ?? 0,
  }
}

const decidedInRoundZero = (state: State, gas: bigint, shareOfRound: number, log: Log): void => {
  const { proven, bound } = state
  state.proven = [...proven, gas].slice(-PROVEN_BLOCKS)
  if (bound === undefined) return
  if (isFilled(gas, bound)) {
    state.bound = (bound * BigInt(raisedPercent(shareOfRound))) / 100n
    state.unfilled = 0
  } else if (++state.unfilled >= UNFILLED_BLOCKS_MAX) {
    state.bound = undefined
    log.info('This validator no longer limits the gas of its blocks: recent ones were far below the limit')
  }
}

const stepped = (state: State, { input, effects, state: after, nowMs }: ConsensusStep, log: Log): void => {
  if (input.kind === 'block-built' && input.block !== undefined && input.round === state.round?.round)
    noteProposal(state, input.sequence, input.block.header.gasUsed, true)
  for (const effect of effects) {
    if (effect.kind === 'round-started') {
      const { round: before } = state
      if (before?.sequence === effect.sequence && effect.round > before.round) roundFailed(state, before, log)
      roundStarted(state, effect, after.height, nowMs)
    }
    if (effect.kind === 'verify-block')
      noteProposal(state, effect.block.header.number, effect.block.header.gasUsed, false)
  }
}

/** See `GasBound.timeShare`. */
const timeShare = ({ round: begun }: State, round: number): number => {
  const { tries, faults } = begun ?? { tries: 0, faults: 0 }
  const unexplained = tries + Math.max(0, round - tries - faults)
  return 1 / 2 ** Math.min(Math.max(0, unexplained - FREE_TRIES), HALVINGS_MAX)
}

/**
 * Reduces the size of blocks when rounds are too short for them: with many validators on few processors, on slow connections, or
 * just after a start. With blocks of constant size every round would fail again, and the messages of failed rounds would delay
 * the next ones.
 *
 * Each faulty proposer can lower the bound once, and never below the gas of recently decided blocks.
 * @param headGas gas of the block at the head
 */
export const createGasBound = (headGas: () => bigint, log: Log): GasBound => {
  const state: State = { round: undefined, bound: undefined, proven: [], unfilled: 0, failed: [] }
  return {
    observer: {
      stepped: step => stepped(state, step, log),
      newHead: ({ number }, nowMs) => {
        const { round } = state
        if (round?.sequence === number && round.round === 0)
          decidedInRoundZero(state, headGas(), (nowMs - round.atMs) / round.timeoutMs, log)
      },
      refused: () => undefined,
      sent: () => undefined,
    },
    gasMax: () => state.bound,
    timeShare: round => timeShare(state, round),
  }
}
