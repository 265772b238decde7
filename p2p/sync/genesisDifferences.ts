import { toBareHex } from '../../core/bytes/hex.ts'
import { differingEntries } from '../peers/differences.ts'
import type { Peer } from '../network.ts'
import type { Log } from '../log.ts'

/** Nodes kept, the one that was told first forgotten first: more than any consortium looks at. */
const KEPT_MAX = 64

/** Of a value in the log: what others sent must not fill it. */
const SHOWN_MAX = 80

/** Entries in the log and in what is kept; a wholly different file differs in all of them. */
const ENTRIES_MAX = 16

type Configuration = Readonly<Record<string, string>>

export type Difference = { readonly peer: string; readonly entries: readonly string[] }

export type Differences = {
  /** A peer connected or told its status. */
  told(peer: Peer): void
  /** A node of another chain was refused; `remote` is where it is. */
  readonly refused: (remote: string, reason: string, entries: readonly string[]) => void
  readonly list: () => readonly Difference[]
}

const shown = (value: string | undefined): string => {
  if (value === undefined) return 'not there'
  return value.length <= SHOWN_MAX ? value : `${value.slice(0, SHOWN_MAX)}…`
}

/** Entry by entry, what it is there and here. */
const described = (names: readonly string[], own: Configuration, theirs: Configuration): string =>
  names.map(name => `${shown(name)} is ${shown(theirs[name])} there and ${shown(own[name])} here`).join('; ')

/** Nodes whose genesis file is not this one's, told to the operator once each by the names of the entries. */
export const createDifferences = (own: Configuration, log: Pick<Log, 'warn'>): Differences => {
  const kept = new Map<string, Difference>()

  /** False when that was told already. */
  const keep = (key: string, peer: string, entries: readonly string[]): boolean => {
    const before = kept.get(key)
    if (before !== undefined && before.entries.join() === entries.join()) return false
    kept.delete(key)
    kept.set(key, { peer, entries })
    const [oldest] = kept.keys()
    if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest)
    return true
  }

  return {
    told: peer => {
      // A peer over devp2p tells no configuration.
      if (Object.keys(peer.status.configuration).length === 0) return
      const key = toBareHex(peer.address)
      const names = differingEntries({ ...peer.status, configuration: own }, peer.status).slice(
        0,
        ENTRIES_MAX,
      )
      const entries = names.map(shown)
      if (names.length === 0) kept.delete(key)
      else if (keep(key, peer.enode, entries))
        log.warn('{peer} runs with another genesis file: {differences}. Both must have the same one.', {
          peer: peer.enode,
          differences: described(names, own, peer.status.configuration),
          entries,
        })
    },
    refused: (remote, reason, differing) => {
      const names = differing.slice(0, ENTRIES_MAX).map(shown)
      if (keep(remote, remote, names))
        log.warn('{remote} was refused: {reason}.{differences}', {
          remote,
          reason: shown(reason),
          differences: names.length === 0 ? '' : ` What differs in the genesis file: ${names.join(', ')}.`,
          entries: names,
        })
    },
    list: () => [...kept.values()],
  }
}
