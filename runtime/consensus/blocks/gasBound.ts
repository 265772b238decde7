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
 * Blocks whose gas is known to fit: the network decided them in round 0. Sixteen, so that a machine that becomes slower is
 * noticed after some blocks.
 */
const PROVEN_BLOCKS = 16

/**
 * Percentage of the bound that it becomes after a filled block: as much as would take half of the round, at most the double,
 * and a little more up to three quarters of it, so that a network whose messages alone take half of a round is not kept at the
 * smallest blocks.
 */
const raisedPercent = (shareOfRound: number): number => {
  if (shareOfRound > 3 / 4) return 100
  return Math.max(106, Math.floor(50 / Math.max(shareOfRound, 1 / 4)))
}

/** A block has filled the bound if it has four fifths of it: the next transaction may not have fitted. */
const isFilled = (gas: bigint, bound: bigint): boolean => 5n * gas >= 4n * bound

/** Blocks in a row below the bound after which there is none: the load has gone. */
const UNFILLED_BLOCKS_MAX = 16

/** Proposals of a height without a decision after which the next ones are chosen in the whole selection time. */
const WHOLE_TRIES = 1

/** Halvings at most: with a period of one second some milliseconds are left, enough for a hundred transfers. */
const HALVINGS_MAX = 5

export type GasBound = {
  /** Watches proposals and their rounds. */
  readonly observer: ConsensusObserver
  /** Gas with which a block should be decided in one round; undefined while rounds are long enough. */
  readonly gasMax: () => bigint | undefined
  /**
   * The part of the selection time that a block of this round may take. It halves with each proposal of the height that was
   * not decided: whatever the reason, smaller blocks are sent and verified faster. Rounds without a proposal, or with one of a
   * proposer that failed before, count if there are more of them than faulty validators can cause.
   */
  readonly timeShare: (round: number) => number
}

type BegunRound = {
  readonly sequence: bigint
  readonly round: number
  readonly timeoutMs: number
  /** Milliseconds since 1970. */
  readonly atMs: number
  /** Its proposal, if it arrived. */
  readonly proposal: { readonly gas: bigint; readonly isOwn: boolean } | undefined
  /** Undefined for a height without validators. */
  readonly proposer: string | undefined
  /** Faulty validators that the network tolerates. */
  readonly faults: number
  /** Rounds of the height that ended with a proposal, of those that tell something. */
  readonly tries: number
}

type State = {
  /** The last round that began. */
  round: BegunRound | undefined
  bound: bigint | undefined
  /** Gas of the last blocks of round 0, the oldest first. */
  proven: readonly bigint[]
  unfilled: number
  /** The last proposers whose proposals were not decided, each once, the oldest first: as many as may be faulty. */
  failed: readonly string[]
}

const noteProposal = (state: State, number: bigint, gas: bigint, isOwn: boolean): void => {
  if (state.round?.sequence === number) state.round = { ...state.round, proposal: { gas, isOwn } }
}

/**
 * Halves the gas of a proposal whose round ended without a block, but not below what was decided in one round lately. Once a
 * second proposal of the height tells the same, blocks like it are no longer proven: connections or machines became slower.
 */
const lowerBound = (state: State, gas: bigint, tries: number, log: Log): void => {
  if (tries > 0) state.proven = state.proven.filter(each => each < gas)
  const proven = state.proven.reduce((most, each) => (each > most ? each : most), BOUND_MIN)
  const half = gas / 2n > proven ? gas / 2n : proven
  if (gas <= proven || (state.bound !== undefined && state.bound <= half)) return
  state.bound = half
  state.unfilled = 0
  log.info(
    'A round with a block of {gas} gas ended without a decision. This validator now puts at most {bound} gas into a block, and more again once rounds end early',
    {
      gas,
      bound: half,
    },
  )
}

/**
 * A proposer tells nothing that failed before without as many others in between as may be faulty: it, or those together with
 * it, may let their rounds end on purpose, again and again. Rounds that are too short fail with all proposers in turn.
 */
const isTelling = ({ failed }: State, { proposal, proposer }: BegunRound): boolean =>
  proposal !== undefined && proposer !== undefined && (proposal.isOwn || !failed.includes(proposer))

const roundFailed = (state: State, begun: BegunRound, log: Log): void => {
  const { proposal, proposer, faults, tries } = begun
  if (proposal === undefined || proposer === undefined) return
  if (isTelling(state, begun)) {
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
    log.info('This validator no longer bounds the gas of its blocks: recent ones were far below the bound')
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
  return 1 / 2 ** Math.min(Math.max(0, unexplained - WHOLE_TRIES), HALVINGS_MAX)
}

/**
 * Makes blocks smaller where rounds are too short for them: many validators on few processors, slow connections, a machine
 * that just started. Without it every round would be tried with a block of the same size, and the messages of the failed
 * rounds would slow down the next ones.
 *
 * Faulty proposers that let rounds end cannot push the bound below what the network decided lately, and each only once.
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
