import type { ChainConfiguration, QbftParameters, QbftTransition } from '../configuration.ts'
import { forkKeys } from './forks.ts'
import { firstTimeFork, type QbftConsensus, selectingTransitionAt, transitionAt } from '../qbftSchedule.ts'
import { parameterEntries, sectionAt } from '../transitionEntries.ts'

/** Entries that one warning names. */
const NAMED_MAX = 8

/** What to do where Besu reads the transitions of a file otherwise. */
const REMEDY =
  'in a network with Besu add "besuTransitionTimes": true to config.qbft in the file of every node of this software, which then reads them as Besu does; a network without Besu needs nothing'

/** The options that Besu takes from the schedule of forks; the others it takes from that of transitions, by number too. */
const FORK_OPTIONS: readonly string[] = [
  'blockperiodseconds',
  'xblockperiodmilliseconds',
  'blockreward',
  'miningbeneficiary',
  'pertxgaslimit',
]

const changesBetween = (before: QbftParameters, after: QbftParameters): readonly string[] => {
  const old = parameterEntries('', before)
  return Object.entries(parameterEntries('', after))
    .filter(([name, value]) => old[name] !== value)
    .map(([name]) => name.slice(1))
}

const entryName = (consensus: QbftConsensus, { block }: Pick<QbftTransition, 'block'>): string =>
  `config.transitions.${sectionAt(consensus, block)}[block ${block}]`

/** The name of the first fork by time. */
const timeForkName = ({ forks }: ChainConfiguration, from: bigint): string => {
  const index = forks.findIndex(({ at }) => at.kind === 'time' && at.timestamp === from)
  return `${forkKeys(forks)[index] ?? 'a fork'} ${from}`
}

type Misread = { readonly asTime: readonly string[]; readonly early: readonly string[] }

/** The transitions that Besu may apply at another block: as a time, or early at the first fork by time. */
const misread = (consensus: QbftConsensus, from: bigint): Misread => {
  const asTime: string[] = []
  const early: string[] = []
  let inForce = consensus.parameters
  for (const transition of consensus.transitions) {
    const changes = changesBetween(inForce, transition.parameters)
    inForce = transition.parameters
    const name = `${entryName(consensus, transition)} (${changes.join(', ')})`
    if (transition.block >= from && changes.length > 0) asTime.push(name)
    else if (changes.some(change => FORK_OPTIONS.includes(change))) early.push(name)
  }
  return { asTime, early }
}

const listed = (names: readonly string[]): string =>
  names.length <= NAMED_MAX
    ? names.join(', ')
    : `${names.slice(0, NAMED_MAX).join(', ')} and ${names.length - NAMED_MAX} more`

/**
 * Warnings about transitions that Besu reads otherwise: where forks are set by time, it compares `block` with the time of a
 * block from the first such fork on.
 */
export const besuTransitionWarnings = (configuration: ChainConfiguration): readonly string[] => {
  const { consensus, forks } = configuration
  const from = firstTimeFork(forks)
  if (consensus.kind !== 'qbft' || consensus.besuTimesFrom !== undefined || from === undefined) return []
  const { asTime, early } = misread(consensus, from)
  const fork = timeForkName(configuration, from)
  return [
    ...(asTime.length === 0
      ? []
      : [
          `${listed(asTime)}: Besu reads "block" as a time in seconds here, because it is not below ${fork}; this node as a block number. They split where it changes something: ${REMEDY}`,
        ]),
    ...(early.length === 0
      ? []
      : [
          `${listed(early)}: Besu applies this from the first block of ${fork} on, even before that block number; this node at the number. They split unless the number comes first: ${REMEDY}`,
        ]),
  ]
}

const textOf = (parameters: QbftParameters, names: readonly string[]): string => {
  const entries = parameterEntries('', parameters)
  return names.map(name => `${name} ${entries[`.${name}`] || 'none'}`).join(', ')
}

/** How the transitions of a file are read at one block by another client. */
export type OtherReading = {
  readonly here: string
  readonly there: string
  readonly configuration: ChainConfiguration
  /** Whether the block lists validators by the other reading, where this is what differs. */
  readonly listsValidators: boolean | undefined
}

/** The configuration with the other reading of transitions; undefined where there is only one. */
const readOtherwise = (
  configuration: ChainConfiguration,
  from: bigint | undefined,
): { readonly ours: QbftConsensus; readonly theirs: QbftConsensus } | undefined => {
  const { consensus } = configuration
  if (consensus.kind !== 'qbft' || from === undefined) return undefined
  const { besuTimesFrom, ...byNumber } = consensus
  return {
    ours: consensus,
    theirs: besuTimesFrom === undefined ? { ...consensus, besuTimesFrom: from } : byNumber,
  }
}

/** The other client's reading of the transitions at a block; undefined where it has the same options there. */
export const otherReadingAt = (
  configuration: ChainConfiguration,
  block: { readonly number: bigint; readonly timestamp: bigint },
  parent: { readonly timestamp: bigint },
): OtherReading | undefined => {
  const from = firstTimeFork(configuration.forks)
  const readings = readOtherwise(configuration, from)
  if (readings === undefined || from === undefined) return undefined
  const { ours, theirs } = readings
  const at = { number: block.number, timestamp: parent.timestamp }
  const lookUps = [
    (consensus: QbftConsensus) => selectingTransitionAt(consensus, at),
    (consensus: QbftConsensus) => transitionAt(consensus, block),
  ]
  for (const [index, lookUp] of lookUps.entries()) {
    const [mine, its] = [lookUp(ours), lookUp(theirs)]
    const [before, after] = [mine?.parameters ?? ours.parameters, its?.parameters ?? ours.parameters]
    const selects = index === 0
    const changes = changesBetween(before, after).filter(name => FORK_OPTIONS.includes(name) !== selects)
    const { mode } = after.validatorSelection
    if (changes.length === 0 || (selects && mode === before.validatorSelection.mode)) continue
    const name = (transition: QbftTransition | undefined): string =>
      transition === undefined ? `config.${sectionAt(ours, 0n)}` : entryName(ours, transition)
    const reader =
      ours.besuTimesFrom === undefined
        ? `Besu, which reads "block" as a time from ${timeForkName(configuration, from)} on`
        : 'a client that reads "block" as a number'
    return {
      here: `${textOf(before, changes)} of ${name(mine)}`,
      there: `${textOf(after, changes)} of ${name(its)}, as of ${reader}`,
      configuration: { ...configuration, consensus: theirs },
      listsValidators: selects ? mode === 'blockheader' : undefined,
    }
  }
  return undefined
}
