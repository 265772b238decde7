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
 * How a filled block raises the bound: by half of it when a quarter of the round was enough, by an eighth when half of it
 * was. A step too far costs a round.
 */
const raised = (bound: bigint, shareOfRound: number): bigint => {
  if (shareOfRound > 1 / 2) return bound
  return bound + bound / (shareOfRound > 1 / 4 ? 8n : 2n)
}

/** A block has filled the bound if it has four fifths of it: the next transaction may not have fitted. */
const isFilled = (gas: bigint, bound: bigint): boolean => 5n * gas >= 4n * bound

/** Blocks in a row below the bound after which there is none: the load has gone. */
const UNFILLED_BLOCKS_MAX = 16

export type GasBound = {
  /** Watches proposals and their rounds. */
  readonly observer: ConsensusObserver
  /** Gas with which a block should be decided in one round; undefined while rounds are long enough. */
  readonly gasMax: () => bigint | undefined
}

type BegunRound = {
  readonly sequence: bigint
  readonly round: number
  readonly timeoutMs: number
  /** Milliseconds since 1970. */
  readonly atMs: number
  /** Of its proposal, if it arrived. */
  readonly gas: bigint | undefined
}

type State = {
  /** The last round that began. */
  round: BegunRound | undefined
  bound: bigint | undefined
  /** Gas of the last blocks of round 0, the oldest first. */
  readonly proven: bigint[]
  unfilled: number
}

const noteProposal = (state: State, number: bigint, gas: bigint): void => {
  if (state.round?.sequence === number) state.round = { ...state.round, gas }
}

/** Halves the gas of a proposal whose round ended without a block, but not below what was decided in one round lately. */
const roundFailed = (state: State, gas: bigint, log: Log): void => {
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

const roundStarted = (state: State, begun: BegunRound, log: Log): void => {
  const before = state.round
  if (before?.sequence === begun.sequence && begun.round > before.round && before.gas !== undefined)
    roundFailed(state, before.gas, log)
  state.round = begun
}

const decidedInRoundZero = (state: State, gas: bigint, shareOfRound: number): void => {
  const { proven, bound } = state
  proven.push(gas)
  if (proven.length > PROVEN_BLOCKS) proven.shift()
  if (bound === undefined) return
  if (isFilled(gas, bound)) {
    state.bound = raised(bound, shareOfRound)
    state.unfilled = 0
  } else if (++state.unfilled >= UNFILLED_BLOCKS_MAX) state.bound = undefined
}

const stepped = (state: State, { input, effects, nowMs }: ConsensusStep, log: Log): void => {
  if (input.kind === 'block-built' && input.block !== undefined)
    noteProposal(state, input.sequence, input.block.header.gasUsed)
  for (const effect of effects) {
    if (effect.kind === 'round-started') {
      const { sequence, round, timeoutMs } = effect
      roundStarted(state, { sequence, round, timeoutMs, atMs: nowMs, gas: undefined }, log)
    }
    if (effect.kind === 'verify-block')
      noteProposal(state, effect.block.header.number, effect.block.header.gasUsed)
  }
}

/**
 * Makes blocks smaller where rounds are too short for them: many validators on few processors, slow connections, a machine
 * that just started. Without it every round would be tried with a block of the same size, and the messages of the failed
 * rounds would slow down the next ones.
 *
 * A faulty proposer that lets rounds end cannot push the bound below what the network decided lately.
 * @param headGas gas of the block at the head
 */
export const createGasBound = (headGas: () => bigint, log: Log): GasBound => {
  const state: State = { round: undefined, bound: undefined, proven: [], unfilled: 0 }
  return {
    observer: {
      stepped: step => stepped(state, step, log),
      newHead: ({ number }, nowMs) => {
        const { round } = state
        if (round?.sequence === number && round.round === 0)
          decidedInRoundZero(state, headGas(), (nowMs - round.atMs) / round.timeoutMs)
      },
      refused: () => undefined,
      sent: () => undefined,
    },
    gasMax: () => state.bound,
  }
}
