import type { Chain, RecordImport, Rewinding } from '../../core/chain/chain.ts'
import type { BadBlocks } from '../../core/chain/importing/badBlocks.ts'
import type { RecoverSenders } from '../../core/chain/importing/validation.ts'
import type { RecoverSeals } from '../../core/chain/rules/seals.ts'
import type { MemoryUnavailable } from '../../core/evm/interpreter/memory.ts'
import type { KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'
import type { RecoverBlocks } from '../../p2p/sync/chain/prefetch.ts'
import type { ValidatorStatement } from '../../p2p/validatorStatement.ts'
import type { StorageLost } from '../drivers/lease.ts'
import type { NodeKey } from '../keys/nodeKey.ts'
import type { ValidatorSigner } from '../signing/signer.ts'
import type { KnownSender } from '../threads/recovery/recoverSenders.ts'
import type { DevelopmentChains } from './development/chains.ts'

/** An open chain, which this process has locked. */
export type OpenNode = {
  readonly chain: Chain
  readonly recoverSenders: RecoverSenders
  /** Sets the lookup of known senders: those of pooled transactions need not be recovered again in a block. */
  readonly lookUpSenders: (known: KnownSender) => void
  readonly recoverSeals: RecoverSeals
  /** Of downloaded blocks. */
  readonly recoverBlocks: RecoverBlocks
  /** Blocks that this chain rejected. */
  readonly badBlocks: BadBlocks
  /** Resolves if a sealed block needs more memory than this machine has. */
  readonly memoryExceeded: Promise<MemoryUnavailable>
  /** Resolves when another node has taken over the storage, which then refuses each write of this one. */
  readonly storageLost: Promise<StorageLost> | undefined
  readonly importRecord: RecordImport['importRecord']
  /** What a development chain can undo; undefined on any other chain. */
  readonly development: { readonly rewinding: Rewinding; readonly chains: DevelopmentChains } | undefined
  /** Storage of the chain, also for other data that must survive as blocks do. */
  readonly storage: Pick<KeyValueStore, 'durability' | 'get' | 'setDurably'>
  /** Flushes everything to disk and unlocks the data path. */
  close(): Promise<void>
}

/** An open chain with the keys of its validator. */
export type RunningNode = OpenNode & {
  /** Of its validator. */
  readonly key: Pick<NodeKey, 'address' | 'publicKey'>
  readonly signer: ValidatorSigner
  readonly connectionKey: NodeKey
  /** Binds the connection key to the validator's key; undefined where they are the same. */
  readonly statement: ValidatorStatement | undefined
  /** Entries of the genesis file that all nodes must agree on, by name. */
  readonly genesisEntries: Readonly<Record<string, string>>
}
