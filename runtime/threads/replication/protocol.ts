import type { Hash } from '../../../core/bytes/bytes.ts'
import type { ReplicaStatus } from '../../replicate/replication.ts'

/** Start parameters of the thread that copies blocks. */
export type ReplicationSetup = {
  /** As `--replicate-to` names them. */
  readonly storages: readonly string[]
  readonly genesisHash: Hash
  readonly headNumber: bigint
}

/** A request for a block of the chain. */
type BlockRequest = { readonly id: number; readonly what: 'record' | 'hash'; readonly number: bigint }

export type ToReplication =
  | { readonly kind: 'head'; readonly number: bigint }
  /** `bytes` is undefined for a block that is not there. */
  | { readonly kind: 'answer'; readonly id: number; readonly bytes: Uint8Array | undefined }
  | { readonly kind: 'refusal'; readonly id: number; readonly reason: string }

export type FromReplication =
  | ({ readonly kind: 'request' } & BlockRequest)
  | { readonly kind: 'status'; readonly replicas: readonly ReplicaStatus[] }
  | {
      readonly kind: 'log'
      readonly level: 'info' | 'warn' | 'error'
      readonly text: string
      readonly values: Record<string, unknown>
    }
