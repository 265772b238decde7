import type { Address } from '../bytes/bytes.ts'
import type { Usage } from '../evm/interpreter/runLimit.ts'
import type { ChainConfiguration } from '../genesis/configuration.ts'
import type { ChainHead, ChainStore, Durable } from '../store/store.ts'
import type { VoteTally } from '../validators/votes.ts'
import type { Block } from '../block/block.ts'
import type { Tracer } from '../evm/interpreter/tracer.ts'
import type { SelectionBounds } from './execution/bounds.ts'
import type { Vote } from '../block/codec/extraData.ts'
import type { GivenRecord } from './importing/importRecord.ts'
import type { Header } from '../block/header.ts'
import type { Receipt } from '../block/receipt.ts'
import type { RecoveredTransaction } from '../block/transaction.ts'

/** Header values that the user of a development chain has set; undefined where the rules decide. */
export type ChosenHeaderValues = {
  readonly baseFeePerGas?: bigint | undefined
  readonly gasLimit?: bigint | undefined
}

export type BuildOptions = {
  /** The proposer. */
  readonly coinbase: Address
  /** Seconds since 1970. */
  readonly timestamp: bigint
  /** Undefined keeps the parent's gas limit. */
  readonly targetGasLimit: bigint | undefined
  /** Values of this block that replace those of the rules; for chains with `anyHeaderValues`. */
  readonly chosen?: ChosenHeaderValues | undefined
  /** Up to 32 bytes. */
  readonly vanity: Uint8Array
  /** Wei per gas: the base fee of `fixedBaseFee` networks, and the minimum that an included transaction pays. */
  readonly minGasPrice: bigint
  /** Minimum wei per gas that an included transaction pays the proposer; default 0. */
  readonly minPriorityFee?: bigint | undefined
  /** QBFT round. */
  readonly round: number
  /** The proposer's vote on the validators; undefined in contract mode, which has no votes. */
  readonly vote?: Vote | undefined
  /** Transactions to choose from. `skip` excludes all further transactions of the sender. */
  readonly candidates: { next(): RecoveredTransaction | undefined; skip(sender: Address): void }
  /**
   * Called between transactions with the gas used so far; true closes the block. Not called before the first one: on a
   * machine too slow for the block period, transactions would otherwise wait forever.
   */
  readonly full: (gasUsed: bigint) => boolean
  /** A transaction that exceeds these bounds is not included. Undefined: no bounds. */
  readonly bounds?: SelectionBounds | undefined
  /** Called for each attempt to execute the candidates, which may begin again; the tracer observes that attempt. */
  readonly observe?: (() => Tracer) | undefined
}

/** An executed block that is neither sealed nor committed. */
export type BuiltBlock = {
  readonly block: Block
  readonly senders: readonly Address[]
  readonly receipts: readonly Receipt[]
  /** Candidates that can never be executed, with the reason; the pool drops them. */
  readonly rejected: readonly { readonly transaction: RecoveredTransaction; readonly reason: string }[]
  /** Candidates that exceeded their bounds, with the reason. */
  readonly stopped: readonly { readonly transaction: RecoveredTransaction; readonly reason: string }[]
}

export type ImportOptions = {
  /** Current time in milliseconds since 1970, for the rule against blocks from the future. */
  readonly nowMs: number
  /**
   * Default `now`. `next` is for a block that a quorum of validators has recorded, `soon` for one of many blocks that other
   * nodes have and can send again.
   */
  readonly durable?: Durable
}

export type VerifyOptions = ImportOptions & {
  /** Called repeatedly during execution, with what it has used so far; a reason ends it. */
  readonly giveUp?: (usage: Usage) => string | undefined
}

/** The functions that only a development chain has. */
export type Rewinding = {
  /**
   * Makes an earlier block the head again and deletes all later ones.
   * @throws RewindRefused for a block to which the store cannot go back
   */
  rewind(number: bigint): Promise<void>
  /** The listener is called with the new head after each rewind. Returns the function that removes it. */
  onRewind(listener: (head: ChainHead) => void): () => void
}

/** Takes blocks with their results, from a snapshot. */
export type RecordImport = {
  /**
   * Verifies the next block against its seals and roots without executing it, and commits it (`soon`).
   * @throws InvalidBlock
   */
  readonly importRecord: (record: GivenRecord, options: Pick<ImportOptions, 'nowMs'>) => Promise<void>
}

/** The chain: validates, executes, builds and commits blocks in a ChainStore, one at a time; further calls wait. */
export type Chain = {
  readonly configuration: ChainConfiguration
  readonly store: ChainStore
  readonly genesis: ChainHead
  head(): ChainHead
  /**
   * Checks all rules, executes and commits. Resolves to `known` for a block that is already on the chain.
   * @throws InvalidBlock (rules/invalidBlock.ts), ChainError when too many calls wait
   */
  importBlock(block: Block, options: ImportOptions): Promise<'imported' | 'known'>
  /**
   * The next block of a QBFT chain, executed but without seals.
   * @throws InvalidBlock when the options contradict a rule (coinbase, timestamp), ChainError on a chain that is not QBFT
   */
  buildBlock(options: BuildOptions): Promise<BuiltBlock>
  /**
   * Checks all rules of another validator's proposal except the seals, and executes it. Only the result is kept.
   * @throws InvalidBlock, ExecutionStopped (bounds.ts) after `giveUp`, MemoryUnavailable, ChainError on a chain that is not
   * QBFT
   */
  verifyBlock(block: Block, options: VerifyOptions): Promise<BuiltBlock>
  /**
   * Commits a result of `buildBlock` or `verifyBlock` with the header that has its seals and the round of the commit,
   * without executing it again. Resolves to `known` when the block was already imported.
   * @throws InvalidBlock when the header differs in anything else, or has no quorum of seals
   */
  commitBuilt(built: BuiltBlock, header: Header, durable?: Durable): Promise<'imported' | 'known'>
  /**
   * Restores the record of a block below the head from the block of another node.
   * @throws InvalidBlock when it is not the block on the chain; ChainError
   */
  repairBlock(block: Block): Promise<void>
  /** The validators that govern block `number` (head + 1 at most), ascending. */
  validators(number: bigint): Promise<readonly Address[]>
  /**
   * The validators that block `number` (at most the head) names, for JSON-RPC: the list of its extraData in its order, or
   * in contract mode the contract's result after the block, ascending.
   */
  validatorsNamedBy(number: bigint): Promise<readonly Address[]>
  /** The pending votes after the head, from which a proposer chooses its own vote; undefined in contract mode. */
  voteTally(): Promise<VoteTally | undefined>
  /** The listener is called after each commit, in order. Returns the function that removes it. */
  onHead(listener: (head: ChainHead) => void): () => void
}
