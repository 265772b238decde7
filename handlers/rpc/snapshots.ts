/** The last snapshot that this node was asked to write. */
export type WrittenSnapshot = {
  readonly state: 'writing' | 'complete' | 'failed'
  /** On the machine of the node. */
  readonly path: string
  /** The last block of the snapshot. */
  readonly number: bigint
  readonly hash: string
  /** Blocks written so far. */
  readonly done: bigint
  readonly bytes: number
  /** Why it failed. */
  readonly reason?: string
}

export type SnapshotStatus = { readonly state: 'none' } | WrittenSnapshot

/** Snapshots that the node writes while it runs. */
export type RpcSnapshots = {
  /** Begins to write the chain up to the head to a file in the node's folder. @throws SnapshotRefused */
  create(name: string | undefined): SnapshotStatus
  status(): SnapshotStatus
}

/** The snapshot cannot be written now; the message says why. */
export class SnapshotRefused extends Error {
  override readonly name = 'SnapshotRefused'
  readonly code = 'SNAPSHOT_REFUSED'
}
