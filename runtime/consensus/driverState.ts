import type { Address } from '../../core/bytes/bytes.ts'
import type { QbftEnvironment } from '../../core/qbft/environment.ts'
import type { QbftState } from '../../core/qbft/state.ts'
import type { Network } from '../../p2p/network.ts'
import type { Sync } from '../../p2p/sync/sync.ts'
import type { BlockBuilderOptions } from './blocks/blockBuilder.ts'
import type { KeyInUse } from './keyInUse.ts'
import type { RecordStorage } from './record/recordFile.ts'
import type { ConsensusSigner } from '../signing/consensusSigner.ts'
import type { ConsensusObserver } from './reports/observer.ts'
import type { ValidatorFiles } from './record/validatorFiles.ts'

export type ConsensusOptions = BlockBuilderOptions & {
  /** Keeps evidence. */
  readonly files: ValidatorFiles
  readonly record: RecordStorage
  readonly signer: ConsensusSigner
  readonly environment: Omit<QbftEnvironment, 'address' | 'sign'>
  /** Why this node must not sign even as a validator; undefined if it may. */
  readonly refusal: string | undefined
  /** Another node that may sign with the key of this one; undefined without a network. */
  readonly keyInUse?: Pick<KeyInUse, 'isSeen' | 'onChange'> | undefined
  /** Maximum queued messages (`messagequeuelimit`). */
  readonly messageQueueMax: number
  /** Resolves when the pool has removed the transactions that the head made stale. */
  readonly poolSettled: () => Promise<void>
  /** Measures consensus; undefined when metrics are off. */
  readonly observer?: ConsensusObserver | undefined
  /** Undefined without a network. */
  readonly sync: Pick<Sync, 'progress' | 'onProgress' | 'raisePeerHead' | 'committed'> | undefined
}

export type DriverState = {
  qbft: QbftState
  /** Undefined until the network listens, and for a single validator without one. */
  network: Network | undefined
  /** The validators of the next block; empty until the first head is reported. */
  validators: readonly Address[]
  headNumber: bigint
  /** The invariant of consensus that was broken; undefined while all hold. */
  brokenInvariant: string | undefined
}
