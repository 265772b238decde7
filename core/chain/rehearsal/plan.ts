import type { ChainConfiguration, ForkActivation, QbftTransition } from '../../genesis/configuration.ts'
import { isPlanned, qbftAt } from '../../genesis/qbftSchedule.ts'

type Point = { readonly number: bigint; readonly timestamp: bigint }

const isAfter = ({ at }: ForkActivation, head: Point): boolean =>
  at.kind === 'block' ? at.number > head.number : at.timestamp > head.timestamp

/** The planned transitions as one at the block: the parameters of the last, and the last list of validators. */
const mergedAt = (block: bigint, planned: readonly QbftTransition[]): readonly QbftTransition[] => {
  const last = planned.at(-1)
  if (last === undefined) return []
  const validators = planned.findLast(transition => transition.validators !== undefined)?.validators
  return [{ block, parameters: last.parameters, validators }]
}

/** Whether the configuration has transitions or forks after the head. */
export const hasPlan = ({ forks, consensus }: ChainConfiguration, head: Point): boolean =>
  forks.some(fork => isAfter(fork, head)) ||
  (consensus.kind === 'qbft' && consensus.transitions.some(each => isPlanned(consensus, each, head)))

/**
 * The configuration in which everything that is planned after the head takes effect at an earlier block instead. Transitions
 * between that block and the head are replaced by the planned ones.
 */
export const planMovedTo = (
  configuration: ChainConfiguration,
  head: Point,
  at: Point,
): ChainConfiguration => {
  const { consensus } = configuration
  const forks = configuration.forks.map((fork): ForkActivation => {
    if (!isAfter(fork, head)) return fork
    return {
      ...fork,
      at:
        fork.at.kind === 'block'
          ? { kind: 'block', number: at.number }
          : { kind: 'time', timestamp: at.timestamp },
    }
  })
  if (consensus.kind !== 'qbft') return { ...configuration, forks }
  const planned = consensus.transitions.filter(each => isPlanned(consensus, each, head))
  // With transitions by time, the options at the block, and the planned ones by its number.
  if (consensus.besuTimesFrom !== undefined) {
    const { besuTimesFrom: _, ...byNumber } = consensus
    const parameters = qbftAt(consensus, at.number, at.timestamp)
    return {
      ...configuration,
      forks,
      consensus: { ...byNumber, parameters, transitions: mergedAt(at.number, planned) },
    }
  }
  const past = consensus.transitions.filter(({ block }) => block <= head.number)
  const transitions =
    planned.length === 0
      ? past
      : [...past.filter(({ block }) => block < at.number), ...mergedAt(at.number, planned)]
  return { ...configuration, forks, consensus: { ...consensus, transitions } }
}
