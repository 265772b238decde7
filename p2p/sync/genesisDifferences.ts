import type { GenesisDifference } from '../../core/genesis/comparison/genesisDifference.ts'
import { toBareHex } from '../../core/bytes/hex.ts'
import { setBounded } from '../../core/collections/boundedMap.ts'
import type { Log } from '../log.ts'
import type { NetworkHandlers, Peer } from '../network.ts'
import { differingEntries } from '../peers/differences.ts'

/** Nodes remembered, the oldest is evicted first: more than any consortium looks at. */
const NODES_MAX = 64

/** Characters of a value in the log: data of other nodes must not fill it. */
const VALUE_CHARACTERS_MAX = 80

/** Entries in the log and in the list; a wholly different genesis file differs in all of them. */
const ENTRIES_MAX = 16

type Configuration = Readonly<Record<string, string>>

export type GenesisDifferences = {
  /** Compares the genesis file of a peer that connected or sent a new status. */
  compare(peer: Peer): void
  /** Records a node of another chain that was refused; `remote` is its endpoint, whose port changes, `address` its own. */
  readonly refused: NetworkHandlers['onRefused']
  readonly list: () => readonly GenesisDifference[]
}

const shortened = (value: string | undefined): string => {
  if (value === undefined) return 'missing'
  return value.length <= VALUE_CHARACTERS_MAX ? value : `${value.slice(0, VALUE_CHARACTERS_MAX)}…`
}

/** Both values of each entry. */
const describe = (names: readonly string[], own: Configuration, theirs: Configuration): string =>
  names
    .map(name => `${shortened(name)} is ${shortened(theirs[name])} there and ${shortened(own[name])} here`)
    .join('; ')

const FORK = /^\w+(?:Block|Time\d*)$/

/** When a fork that differs acts first; without those whose values are not numbers. */
const forksOf = (
  names: readonly string[],
  own: Configuration,
  theirs: Configuration,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names
      .filter(name => FORK.test(name))
      .flatMap(name => {
        const times = [own[name], theirs[name]].filter(value => value !== undefined)
        if (!times.every(value => /^\d{1,20}$/.test(value))) return []
        const [first] = times.map(BigInt).sort((a, b) => (a < b ? -1 : 1))
        return first === undefined ? [] : [[name, String(first)] as const]
      }),
  )

const forkMember = (forks: Readonly<Record<string, string>>): Pick<GenesisDifference, 'forks'> =>
  Object.keys(forks).length === 0 ? {} : { forks }

/** Finds nodes with another genesis file, and logs each of them once with the names of the entries that differ. */
export const createGenesisDifferences = (own: Configuration, log: Pick<Log, 'warn'>): GenesisDifferences => {
  const known = new Map<string, GenesisDifference>()

  /** Returns false if the same difference is known already. */
  const remember = (key: string, difference: GenesisDifference): boolean => {
    const before = known.get(key)
    if (before !== undefined && before.entries.join() === difference.entries.join()) return false
    setBounded(known, key, difference, NODES_MAX)
    return true
  }

  return {
    compare: ({ address, enode, status }) => {
      // The status of a devp2p peer has no configuration.
      if (Object.keys(status.configuration).length === 0) return
      const key = toBareHex(address)
      const names = differingEntries({ ...status, configuration: own }, status).slice(0, ENTRIES_MAX)
      const entries = names.map(shortened)
      if (names.length === 0) known.delete(key)
      else if (
        remember(key, { peer: enode, entries, ...forkMember(forksOf(names, own, status.configuration)) })
      )
        log.warn('{peer} runs with another genesis file: {differences}. Both must have the same one.', {
          peer: enode,
          differences: describe(names, own, status.configuration),
          entries,
        })
    },
    refused: (remote, reason, differing, address) => {
      const entries = differing.slice(0, ENTRIES_MAX).map(shortened)
      if (remember(address.slice(2), { peer: remote, entries, address }))
        log.warn('{remote} was refused: {reason}.{differences}', {
          remote,
          reason: shortened(reason),
          differences:
            entries.length === 0 ? '' : ` Entries that differ in the genesis file: ${entries.join(', ')}.`,
          entries,
        })
    },
    list: () => [...known.values()],
  }
}
