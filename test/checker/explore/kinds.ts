import { addBits, type Bits, noBits, withBit } from '../local/bits.ts'
import type { Facts } from '../local/locals.ts'
import type { World } from '../world/world.ts'

/** Sorts messages by what makes them worth hearing. */
export type Kinds = {
  /** Of these messages, those that the bounds deliver in a local state. */
  timely(facts: Facts, audible: Bits): Bits
}

type Sorted = { size: number; votes: Bits; commits: Bits; readonly byDigest: Map<string, Bits> }

const sort = ({ actions }: World, sorted: Sorted): void => {
  for (; sorted.size < actions.all.length; sorted.size++) {
    const action = actions.all[sorted.size]
    if (action?.kind !== 'hear') continue
    const { id, kind, digest, height } = action.message
    if (kind === 'commit') sorted.commits = withBit(sorted.commits, id)
    if (kind !== 'commit' && kind !== 'prepare') continue
    sorted.votes = withBit(sorted.votes, id)
    const key = `${height} ${digest}`
    sorted.byDigest.set(key, withBit(sorted.byDigest.get(key) ?? noBits, id))
  }
}

const without = (bits: Bits, others: Bits): Bits => bits.map((word, place) => word & ~(others[place] ?? 0))

/**
 * A vote that comes before its proposal is kept unchecked until the proposal comes, so that it can as well come right after
 * it; votes for another digest than the proposal's are dropped. With `early`, nothing is assumed about that.
 */
export const createKinds = (world: World): Kinds => {
  const { scope } = world
  const sorted: Sorted = { size: 0, votes: noBits, commits: noBits, byDigest: new Map() }
  return {
    timely: ({ accepted, chain }, audible) => {
      sort(world, sorted)
      let timely = audible
      if (!scope.early) {
        timely = without(audible, sorted.votes)
        const height = world.headOf(chain).number + 1n
        const votes = accepted === undefined ? undefined : sorted.byDigest.get(`${height} ${accepted}`)
        if (votes !== undefined)
          addBits(
            timely,
            votes.map((word, place) => word & (audible[place] ?? 0)),
          )
      }
      return scope.commits ? timely : without(timely, sorted.commits)
    },
  }
}
