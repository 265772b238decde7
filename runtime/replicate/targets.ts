import { UsageError } from '../cli/errors.ts'
import { sharedStoreOf } from '../drivers/shared.ts'
import { StorageUnavailable } from '../drivers/storageUnavailable.ts'

/** A store that `--replicate-to` names. */
export type ReplicaTarget = {
  readonly storage: string
  /** Without its secrets, for the log. */
  readonly name: string
}

/**
 * The stores that `--replicate-to` names.
 * @throws UsageError for one that readers cannot share
 */
export const replicaTargetsOf = (storages: readonly string[]): readonly ReplicaTarget[] =>
  storages.map(storage => {
    try {
      return { storage, name: sharedStoreOf(storage).name }
    } catch (error) {
      if (error instanceof StorageUnavailable)
        throw new UsageError('INVALID_VALUE', `Invalid value for option '--replicate-to': ${error.message}`)
      throw error
    }
  })
