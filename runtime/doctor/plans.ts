import { toHex, toQuantity } from '../../core/bytes/hex.ts'
import type { ChainConfiguration } from '../../core/genesis/configuration.ts'
import { forkKeys } from '../../core/genesis/parse/forks.ts'
import { qbftAt } from '../../core/genesis/forkSchedule.ts'
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

const transitionsAfter = ({ consensus }: ChainConfiguration, head: bigint): readonly PlannedChange[] => {
  if (consensus.kind !== 'qbft') return []
  return consensus.transitions
    .filter(({ block }) => block > head)
    .slice(0, SHOWN_MAX)
    .map(({ block, parameters, validators }) => {
      const before = parameterEntries(PREFIX, qbftAt(consensus, block - 1n))
      const changed = Object.entries(parameterEntries(PREFIX, parameters)).filter(
        ([name, value]) => before[name] !== value,
      )
      const changes = Object.fromEntries(
        changed.map(([name, value]) => [name.slice(PREFIX.length + 1), value] as const),
      )
      return {
        block: toQuantity(block),
        changes:
          validators === undefined ? changes : { ...changes, validators: validators.map(toHex).join(',') },
      }
    })
}

const forksAfter = (
  { forks }: ChainConfiguration,
  head: { readonly number: bigint; readonly timestamp: bigint },
): readonly PlannedChange[] => {
  const keys = forkKeys(forks)
  return forks.flatMap(({ fork, at }, index): readonly PlannedChange[] => {
    const changes = { fork: keys[index] ?? fork }
    if (at.kind === 'block') return at.number > head.number ? [{ block: toQuantity(at.number), changes }] : []
    return at.timestamp > head.timestamp ? [{ timestamp: toQuantity(at.timestamp), changes }] : []
  })
}

/** The transitions and forks that come after the head, the next ones first within each kind. */
export const plannedChanges = (
  configuration: ChainConfiguration,
  head: { readonly number: bigint; readonly timestamp: bigint },
): readonly PlannedChange[] =>
  [...transitionsAfter(configuration, head.number), ...forksAfter(configuration, head)].slice(0, SHOWN_MAX)
