import { toHex, toQuantity } from '../../core/bytes/hex.ts'
import type { ChainConfiguration } from '../../core/genesis/configuration.ts'
import { besuTransitionWarnings } from '../../core/genesis/parse/besuTransitions.ts'
import { forkKeys } from '../../core/genesis/parse/forks.ts'
import { isByTime, isPlanned } from '../../core/genesis/qbftSchedule.ts'
import { parameterEntries } from '../../core/genesis/transitionEntries.ts'

/** A change of the rules that the genesis file plans. */
export type PlannedChange = {
  /** The first block under it; a fork by time has `timestamp`, seconds since 1970. */
  readonly block?: string
  readonly timestamp?: string
  /** New values by the genesis file's names. */
  readonly changes: Readonly<Record<string, string>>
}

/** Changes that are shown. */
const SHOWN_MAX = 16

const PREFIX = 'qbft'

type Head = { readonly number: bigint; readonly timestamp: bigint }

const transitionsAfter = ({ consensus }: ChainConfiguration, head: Head): readonly PlannedChange[] => {
  if (consensus.kind !== 'qbft') return []
  const { transitions } = consensus
  return transitions
    .filter(transition => isPlanned(consensus, transition, head))
    .slice(0, SHOWN_MAX)
    .map(transition => {
      const { block, parameters, validators } = transition
      const previous = transitions[transitions.indexOf(transition) - 1]?.parameters ?? consensus.parameters
      const before = parameterEntries(PREFIX, previous)
      const changed = Object.entries(parameterEntries(PREFIX, parameters)).filter(
        ([name, value]) => before[name] !== value,
      )
      const changes = Object.fromEntries(
        changed.map(([name, value]) => [name.slice(PREFIX.length + 1), value] as const),
      )
      return {
        ...(isByTime(consensus, transition)
          ? { timestamp: toQuantity(block) }
          : { block: toQuantity(block) }),
        changes:
          validators === undefined ? changes : { ...changes, validators: validators.map(toHex).join(',') },
      }
    })
}

const forksAfter = ({ forks }: ChainConfiguration, head: Head): readonly PlannedChange[] => {
  const keys = forkKeys(forks)
  return forks.flatMap(({ fork, at }, index): readonly PlannedChange[] => {
    const changes = { fork: keys[index] ?? fork }
    if (at.kind === 'block') return at.number > head.number ? [{ block: toQuantity(at.number), changes }] : []
    return at.timestamp > head.timestamp ? [{ timestamp: toQuantity(at.timestamp), changes }] : []
  })
}

/** Warnings about planned transitions that Besu reads otherwise, also where a fork by time is planned below them. */
export const planWarnings = (configuration: ChainConfiguration, head: Head): readonly string[] =>
  plannedChanges(configuration, head).length === 0 ? [] : besuTransitionWarnings(configuration)

/** The transitions and forks that come after the head, the next ones first within each kind. */
export const plannedChanges = (configuration: ChainConfiguration, head: Head): readonly PlannedChange[] =>
  [...transitionsAfter(configuration, head), ...forksAfter(configuration, head)].slice(0, SHOWN_MAX)
