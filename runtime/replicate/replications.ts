import { UsageError } from '../cli/errors.ts'
import { type SharedStore, sharedStoreOf } from '../drivers/shared.ts'
import { StorageUnavailable } from '../drivers/storageUnavailable.ts'
import { type ReplicaStatus, type ReplicationOptions, startReplication } from './replication.ts'

/**
 * The stores that `--replicate-to` names.
 * @throws UsageError for one that readers cannot share
 */
export const replicaTargetsOf = (storages: readonly string[]): readonly SharedStore[] =>
  storages.map(storage => {
    try {
      return sharedStoreOf(storage)
    } catch (error) {
      if (error instanceof StorageUnavailable)
        throw new UsageError('INVALID_VALUE', `Invalid value for option '--replicate-to': ${error.message}`)
      throw error
    }
  })

export type Replications = {
  readonly status: () => readonly ReplicaStatus[]
  readonly stop: () => Promise<void>
}

/** Copies the chain into each target, independently of the others. */
export const startReplications = (
  targets: readonly SharedStore[],
  { chain, log }: Omit<ReplicationOptions, 'target'>,
): Replications => {
  const replications = targets.map(target => startReplication({ chain, target, log }))
  return {
    status: () => replications.map(({ status }) => status()),
    stop: async () => {
      await Promise.all(replications.map(({ stop }) => stop()))
    },
  }
}
