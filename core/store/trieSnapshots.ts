import type { TrieNodeReader, TrieNodeWrite } from '../trie/nodes/node.ts'

/** Records kept for one snapshot: some hundred full blocks overwrite as many, 30 MB. */
export const SNAPSHOT_NODES_MAX = 100_000

/** The trie records of one head, independent of later commits. */
export type TrieSnapshot = {
  /** @throws SnapshotExpired when more than SNAPSHOT_NODES_MAX records were overwritten */
  readonly nodes: TrieNodeReader
  /** Releases the snapshot. */
  readonly release: () => void
}

export type TrieSnapshots = {
  take(): TrieSnapshot
  /** Called before a block changes these records. */
  keep(writes: readonly TrieNodeWrite[]): void
  /** Expires all snapshots: their head is no longer on the chain. */
  expireAll(): void
}

type SnapshotState = { readonly before: Map<string, Uint8Array | undefined>; expired: boolean }

/** @param nodes the records of the head */
export const createTrieSnapshots = (nodes: TrieNodeReader): TrieSnapshots => {
  const snapshots = new Set<SnapshotState>()

  const keepOverwritten = (snapshot: SnapshotState, writes: readonly TrieNodeWrite[]): void => {
    if (snapshot.before.size + writes.length > SNAPSHOT_NODES_MAX) throw new SnapshotExpired()
    for (const { key } of writes) if (!snapshot.before.has(key)) snapshot.before.set(key, nodes.get(key))
  }

  const expire = (snapshot: SnapshotState): void => {
    snapshot.expired = true
    snapshot.before.clear()
    snapshots.delete(snapshot)
  }

  return {
    take: () => {
      const snapshot: SnapshotState = { before: new Map(), expired: false }
      snapshots.add(snapshot)
      const get = (key: string): Uint8Array | undefined => {
        if (snapshot.expired) throw new SnapshotExpired()
        return snapshot.before.has(key) ? snapshot.before.get(key) : nodes.get(key)
      }
      return {
        nodes: nodes.isPartial === true ? { get, isPartial: true } : { get },
        release: () => void snapshots.delete(snapshot),
      }
    },
    keep: writes => {
      for (const snapshot of snapshots) {
        try {
          keepOverwritten(snapshot, writes)
        } catch {
          // Too many records were overwritten, or an asynchronous store must load them first. The snapshot expires, its
          // reader starts again, and the commit proceeds.
          expire(snapshot)
        }
      }
    },
    expireAll: () => {
      for (const snapshot of snapshots) expire(snapshot)
    },
  }
}

/** The snapshot no longer has the records of its head. */
export class SnapshotExpired extends Error {
  override readonly name = 'SnapshotExpired'
  readonly code = 'SNAPSHOT_EXPIRED'
  constructor() {
    super('the trie records of an earlier head are no longer kept; read those of the head again')
  }
}
