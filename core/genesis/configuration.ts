import type { Address } from '../bytes/bytes.ts'
import type { ForkName } from './fork.ts'

/** EIP-7840 blob parameters of one fork. */
export type BlobParameters = {
  readonly targetBlobs: number
  readonly maxBlobs: number
  readonly baseFeeUpdateFraction: bigint
}

/** One step of the fork schedule. Block forks come first, time forks after; both ascending. */
export type ForkActivation = {
  readonly fork: ForkName
  /** A blob-parameter-only fork keeps the EVM rules of `fork` and changes just `blob`. */
  readonly blob: BlobParameters | undefined
  readonly at:
    | { readonly kind: 'block'; readonly number: bigint }
    | { readonly kind: 'time'; readonly timestamp: bigint }
}

/** The parameters of the EVM and the block rules at one block; computed by `rulesAt`. */
export type Rules = {
  readonly fork: ForkName
  readonly chainId: bigint
  readonly blob: BlobParameters | undefined
  /** Bytes; EIP-170 and Besu's `contractSizeLimit`. */
  readonly codeSizeMax: number
  /** Items; 1024 unless the genesis file sets Besu's `evmStackSize`. */
  readonly stackItemsMax: number
  /** Gas limit of one transaction: EIP-7825's, or `qbft.pertxgaslimit`; undefined without a limit. */
  readonly transactionGasMax: bigint | undefined
  /** True on a development chain, where tests send transactions from contracts (EIP-3607 refuses them). */
  readonly contractsMaySend?: boolean
}

/** QBFT options in force at one block, transitions applied (`qbftAt`). */
export type QbftParameters = {
  readonly blockPeriodSeconds: number
  /** 0 when off; overrides `blockPeriodSeconds` and drops the spacing rule when below 1000. */
  readonly blockPeriodMs: number
  /** 0 when off. */
  readonly emptyBlockPeriodSeconds: number
  readonly epochLength: bigint
  readonly requestTimeoutSeconds: number
  /** Wei per block. */
  readonly blockReward: bigint
  /** Undefined pays the proposer. */
  readonly miningBeneficiary: Address | undefined
  /** Gas limit of one transaction on every fork; 0 for no limit, undefined keeps the fork's. */
  readonly perTxGasLimit: bigint | undefined
  readonly validatorSelection:
    | { readonly mode: 'blockheader' }
    | { readonly mode: 'contract'; readonly address: Address }
}

/** A `transitions.qbft` entry with all inherited values filled in. */
export type QbftTransition = {
  /** Block number of the transition; with `besuTimesFrom` it may be a time. */
  readonly block: bigint
  readonly parameters: QbftParameters
  /** The validators that replace the set at exactly this block; undefined if the entry names none. */
  readonly validators: readonly Address[] | undefined
}

/** Limits of one node on consensus messages; nodes may differ. */
export type QbftMessaging = {
  /** Most messages that wait to be processed. */
  readonly messageQueueLimit: number
  /** Hashes of received messages that are kept to drop duplicates. */
  readonly duplicateMessageLimit: number
  /** Messages kept for later heights; 0 keeps none. */
  readonly futureMessagesLimit: number
  /** Largest distance of the height of a kept message. */
  readonly futureMessagesMaxDistance: number
}

export type Consensus =
  | {
      readonly kind: 'qbft'
      /** From genesis on; those of IBFT 2.0 on a chain that moves to QBFT. */
      readonly parameters: QbftParameters
      /** Ascending by block. On a chain that moves to QBFT, the one at `startBlock` has the parameters of QBFT. */
      readonly transitions: readonly QbftTransition[]
      /**
       * With `besuTransitionTimes`: the time of the first fork by time, from which transitions are read as Besu does
       * (`qbftAt`, `selectionAt`). Undefined where each `block` is a block number.
       */
      readonly besuTimesFrom?: bigint
      /**
       * With `isQuorum`: as in GoQuorum, a transition selects the validators from the block after its own on, which it asks
       * the mode of the block before for.
       */
      readonly selectsNextBlock?: boolean
      /** The first block of QBFT after a history of IBFT 2.0; 0 without one. */
      readonly startBlock: bigint
      readonly messaging: QbftMessaging
    }
  /** Proof of work, and proof of stake from `paris` on: imported and served, never produced. */
  | { readonly kind: 'ethash'; readonly terminalTotalDifficulty: bigint | undefined }

export type ChainConfiguration = {
  readonly chainId: bigint
  readonly consensus: Consensus
  readonly forks: readonly ForkActivation[]
  readonly zeroBaseFee: boolean
  readonly fixedBaseFee: boolean
  readonly codeSizeMax: number
  readonly stackItemsMax: number
  readonly daoForkBlock: bigint | undefined
  /** The blocks of GoQuorum's own forks, if the file has `isQuorum`; they only count for GoQuorum's fork id. */
  readonly goQuorumForkBlocks: readonly bigint[] | undefined
  readonly depositContractAddress: Address | undefined
  readonly withdrawalRequestContractAddress: Address | undefined
  readonly consolidationRequestContractAddress: Address | undefined
  /** As in the rules; never set by a genesis file. */
  readonly contractsMaySend?: boolean
  /**
   * True where coinbase, base fee and gas limit of a block may be any: a development chain, whose users set them. Never set
   * by a genesis file.
   */
  readonly anyHeaderValues?: boolean
}

export type GenesisAccount = {
  readonly address: Address
  readonly balance: bigint
  readonly nonce: bigint
  readonly code: Uint8Array
  /** 32-byte slot and value; zero values are left out. */
  readonly storage: readonly (readonly [slot: Uint8Array, value: Uint8Array])[]
}
