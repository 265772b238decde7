import type { Address } from '../bytes/bytes.ts'
import type { Consensus, ForkActivation, QbftParameters, QbftTransition } from './configuration.ts'

export type QbftConsensus = Extract<Consensus, { readonly kind: 'qbft' }>

/** A block, or the head after which something is planned. */
type Point = { readonly number: bigint; readonly timestamp: bigint }

const parametersOf = (
  { parameters }: QbftConsensus,
  transition: QbftTransition | undefined,
): QbftParameters => transition?.parameters ?? parameters

const lastUpTo = (
  transitions: readonly QbftTransition[],
  value: bigint,
  below?: bigint,
): QbftTransition | undefined =>
  transitions.findLast(({ block }) => block <= value && (below === undefined || block < below))

/** The transition whose options rule a block by their number alone. */
export const qbftByNumber = (consensus: QbftConsensus, number: bigint): QbftParameters =>
  parametersOf(consensus, lastUpTo(consensus.transitions, number))

/** The transition that rules the execution and the spacing of a block with this time; undefined for the section's options. */
export const transitionAt = (
  consensus: QbftConsensus,
  { number, timestamp }: Point,
): QbftTransition | undefined => {
  const { transitions, besuTimesFrom } = consensus
  if (besuTimesFrom === undefined) return lastUpTo(transitions, number)
  return timestamp < besuTimesFrom
    ? lastUpTo(transitions, number, besuTimesFrom)
    : lastUpTo(transitions, timestamp)
}

/**
 * The QBFT options that rule the execution and the spacing of a block: those of the last transition at or below it, otherwise
 * those of the genesis file. With `besuTransitionTimes`, as Besu's protocol schedule: from the first fork by time on, each
 * `block` is compared with the block's time, so that the last of the smaller numbers is in force at once.
 */
export const qbftAt = (consensus: QbftConsensus, number: bigint, timestamp: bigint): QbftParameters =>
  parametersOf(consensus, transitionAt(consensus, { number, timestamp }))

/** The block whose number selects the validators of a block: with `isQuorum` the one before, as in GoQuorum. */
const selectingNumber = ({ selectsNextBlock }: QbftConsensus, number: bigint): bigint =>
  selectsNextBlock === true && number > 0n ? number - 1n : number

/** True when a transition is read as a time, with `besuTransitionTimes`. */
export const isByTime = ({ besuTimesFrom }: QbftConsensus, { block }: QbftTransition): boolean =>
  besuTimesFrom !== undefined && block >= besuTimesFrom

/** The transition that selects the validators of a block, by the time of its parent. */
export const selectingTransitionAt = (
  consensus: QbftConsensus,
  { number, timestamp }: Point,
): QbftTransition | undefined => {
  const selecting = selectingNumber(consensus, number)
  return consensus.transitions.findLast(
    transition => transition.block <= (isByTime(consensus, transition) ? timestamp : selecting),
  )
}

/**
 * Where the validators of a block come from. With `besuTransitionTimes`, as Besu's schedule of options: only a `block` at or
 * above the first fork by time is a time, which is compared with that of the parent.
 */
export const selectionAt = (
  consensus: QbftConsensus,
  number: bigint,
  parentTimestamp: bigint,
): QbftParameters['validatorSelection'] =>
  parametersOf(consensus, selectingTransitionAt(consensus, { number, timestamp: parentTimestamp }))
    .validatorSelection

/** True when every option of a block is that of its number. */
const isPlain = ({ besuTimesFrom, selectsNextBlock }: QbftConsensus): boolean =>
  besuTimesFrom === undefined && selectsNextBlock !== true

/** The options that the rules check a block by. */
export const qbftOfBlock = (
  consensus: QbftConsensus,
  block: Point,
  parent: Pick<Point, 'timestamp'>,
): QbftParameters => {
  const parameters = qbftAt(consensus, block.number, block.timestamp)
  if (isPlain(consensus)) return parameters
  return { ...parameters, validatorSelection: selectionAt(consensus, block.number, parent.timestamp) }
}

/** The options with which a validator makes the block after `head`, at the earliest time that they allow. */
export const qbftAfter = (consensus: QbftConsensus, head: Point): QbftParameters => {
  const number = head.number + 1n
  if (isPlain(consensus)) return qbftByNumber(consensus, number)
  const selecting = parametersOf(
    consensus,
    selectingTransitionAt(consensus, { number, timestamp: head.timestamp }),
  )
  const timestamp = head.timestamp + BigInt(selecting.blockPeriodSeconds)
  const ruling = qbftAt(consensus, number, timestamp)
  return {
    ...ruling,
    validatorSelection: selecting.validatorSelection,
    // As in Besu: the longer period where it changes between the two times.
    blockPeriodSeconds: Math.max(ruling.blockPeriodSeconds, selecting.blockPeriodSeconds),
    emptyBlockPeriodSeconds: selecting.emptyBlockPeriodSeconds,
  }
}

/** True when a transition comes after the head. */
export const isPlanned = (consensus: QbftConsensus, transition: QbftTransition, head: Point): boolean => {
  const { besuTimesFrom } = consensus
  if (isByTime(consensus, transition)) return transition.block > head.timestamp
  return transition.block > head.number && (besuTimesFrom === undefined || head.timestamp < besuTimesFrom)
}

/** The first block with the validators that a transition lists. Always by number, as in Besu. */
export const overriddenFrom = ({ selectsNextBlock }: QbftConsensus, { block }: QbftTransition): bigint =>
  selectsNextBlock === true ? block + 1n : block

/** The validators that a transition sets at exactly this block; undefined if none does. */
export const validatorOverrideAt = (
  consensus: QbftConsensus,
  blockNumber: bigint,
): readonly Address[] | undefined =>
  consensus.transitions.find(transition => overriddenFrom(consensus, transition) === blockNumber)?.validators

/** The first fork by time, from which Besu reads transitions by time; undefined without one. */
export const firstTimeFork = (forks: readonly ForkActivation[]): bigint | undefined =>
  forks.flatMap(({ at }) => (at.kind === 'time' ? [at.timestamp] : [])).sort((a, b) => (a < b ? -1 : 1))[0]
