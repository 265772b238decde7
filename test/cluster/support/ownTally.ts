import type { HeaderView } from './headers.ts'

type Ballots = Map<string, Set<string>>

export type Counted = {
  /** The set of each block from 0 to the one after the last, ascending. */
  readonly sets: readonly (readonly string[])[]
  /** Votes under way that each epoch block cleared, by its number. */
  readonly cleared: ReadonlyMap<number, number>
}

/** Counts the votes of a chain with nothing of the code under test. `headers` from block 0 on. */
export const countVotes = (headers: readonly HeaderView[], epochLength: number): Counted => {
  const set = new Set(headers[0]?.validators)
  const adds: Ballots = new Map()
  const drops: Ballots = new Map()
  const sets = [[...set].toSorted()]
  const cleared = new Map<number, number>()

  const cast = ({ miner, vote }: HeaderView): void => {
    if (vote === undefined) return
    const { recipient, type } = vote
    const [same, opposite] = type === 'add' ? [adds, drops] : [drops, adds]
    opposite.get(recipient)?.delete(miner)
    same.set(recipient, (same.get(recipient) ?? new Set<string>()).add(miner))
    const limit = Math.floor(set.size / 2) + 1
    const isWanted = (adds.get(recipient)?.size ?? 0) >= limit
    if (!isWanted && (drops.get(recipient)?.size ?? 0) < limit) return
    adds.delete(recipient)
    drops.delete(recipient)
    if (isWanted) set.add(recipient)
    else {
      set.delete(recipient)
      for (const votes of [adds, drops]) for (const each of votes.values()) each.delete(recipient)
    }
  }

  for (const header of headers) {
    if (header.number % epochLength === 0) {
      const voters = [...adds.values(), ...drops.values()]
      cleared.set(
        header.number,
        voters.reduce((sum, { size }) => sum + size, 0),
      )
      adds.clear()
      drops.clear()
    } else cast(header)
    sets.push([...set].toSorted())
  }
  return { sets, cleared }
}
