import type { EditList } from '../../../core/state/edits.ts'
import type { Hash } from '../../../core/bytes/bytes.ts'
import type { PooledTransaction } from '../../../core/txpool/pool.ts'
import type { HeaderChoice, SnapshotPoint } from '../../../handlers/rpc/development/development.ts'

/** What a development chain goes back to. */
export type ChainSnapshot = {
  readonly number: bigint
  readonly edits: EditList
  readonly pooled: readonly PooledTransaction[]
  readonly header: HeaderChoice
}

/** Snapshots that are kept: test suites take one before each test. The oldest are forgotten. */
const SNAPSHOTS_MAX = 10_000

export type Snapshots = {
  readonly isEmpty: boolean
  add(snapshot: ChainSnapshot & { readonly hash: Hash }): bigint
  list(): readonly SnapshotPoint[]
  /** Removes a snapshot and all later ones; undefined for an unknown one. */
  take(id: bigint): ChainSnapshot | undefined
  clear(): void
}

export const createSnapshots = (): Snapshots => {
  const known = new Map<bigint, ChainSnapshot & { readonly hash: Hash }>()
  let last = 0n
  return {
    get isEmpty() {
      return known.size === 0
    },
    add: snapshot => {
      known.set(++last, snapshot)
      if (known.size > SNAPSHOTS_MAX) known.delete(known.keys().next().value as bigint)
      return last
    },
    take: id => {
      const snapshot = known.get(id)
      if (snapshot !== undefined) for (const later of known.keys()) if (later >= id) known.delete(later)
      return snapshot
    },
    list: () => Array.from(known, ([id, { number, hash }]) => ({ id, number, hash })),
    clear: () => known.clear(),
  }
}
