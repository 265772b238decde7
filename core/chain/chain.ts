import type { Address } from '../bytes/bytes.ts'
import type { ChainConfiguration } from '../genesis/configuration.ts'
import type { ChainHead, ChainStore, Durable } from '../store/store.ts'
import type { VoteTally } from '../validators/votes.ts'
import type { Block } from '../block/block.ts'
import type { SelectionBounds } from './execution/bounds.ts'
import type { Vote } from '../block/codec/extraData.ts'
import type { Header } from '../block/header.ts'
import type { Receipt } from '../block/receipt.ts'
import type { SenderTransaction } from '../block/transaction.ts'

export type BuildOptions = {
  /** The validator that makes the block. */
  readonly coinbase: Address
  /** Seconds since 1970. */
  readonly timestamp: bigint
  /** Undefined keeps the parent's gas limit. */
  readonly targetGasLimit: bigint | undefined
  /** Up to 32 bytes. */
  readonly vanity: Uint8Array
  /** Wei per gas: `fixedBaseFee` networks take it as base fee, and nothing that pays less is put into a block. */
  readonly minGasPrice: bigint
  /** Wei per gas that a transaction must leave to the maker of the block; 0 when left out. */
  readonly minPriorityFee?: bigint | undefined
  /** QBFT round. */
  readonly round: number
  /** The proposer's vote on the validators; left out in contract mode, where nobody votes. */
  readonly vote?: Vote | undefined
  /** Transactions to choose from; `skip` says that the sender's next ones cannot follow. */
  readonly candidates: { next(): SenderTransaction | undefined; skip(sender: Address): void }
  /**
   * Asked between transactions; true closes the block. Not before it has one: on a machine that is slow for the period of
   * its chain transactions would wait for ever.
   */
  readonly full: () => boolean
  /** Bounds of each transaction; one that passes them is left out. None when left out. */
  readonly bounds?: SelectionBounds | undefined
}

/** A block that was built and executed but is not sealed and not committed. */
export type BuiltBlock = {
  readonly block: Block
  readonly senders: readonly Address[]
  readonly receipts: readonly Receipt[]
  /** Candidates that can never be executed, with why; the pool drops them. */
  readonly rejected: readonly { readonly transaction: SenderTransaction; readonly reason: string }[]
  /** Candidates that were stopped at their bounds, with why. */
  readonly stopped: readonly { readonly transaction: SenderTransaction; readonly reason: string }[]
}

export type ImportOptions = {
  /** Milliseconds since 1970, for the rule that a block must not come from the future. */
  readonly nowMs: number
  /**
   * `now` when left out. `next` is for a block that a quorum of validators has recorded, `soon` for one of many that
   * others have and can give again.
   */
  readonly durable?: Durable
}

export type VerifyOptions = ImportOptions & {
  /** Asked again and again: why the execution is to be given up, undefined while it may go on. */
  readonly giveUp?: () => string | undefined
}

/** The chain: validates, executes, builds and commits blocks over a ChainStore. One at a time; calls queue. */
export type Chain = {
  readonly configuration: ChainConfiguration
  readonly store: ChainStore
  readonly genesis: ChainHead
  head(): ChainHead
  /**
   * Validates by every rule, executes and commits. Resolves `known` for a block already on the chain.
   * @throws InvalidBlock (rules/invalidBlock.ts), ChainError when too many calls wait
   */
  importBlock(block: Block, options: ImportOptions): Promise<'imported' | 'known'>
  /**
   * The next block of a QBFT chain, executed but without seals.
   * @throws InvalidBlock when the options contradict a rule (coinbase, timestamp), ChainError on a chain that is not QBFT
   */
  buildBlock(options: BuildOptions): Promise<BuiltBlock>
  /**
   * A block that another validator proposes: every rule but the seals, and executed. Nothing of it is kept but the result.
   * @throws InvalidBlock, ExecutionStopped (bounds.ts) when it was given up, MemoryUnavailable, ChainError on a chain that is not QBFT
   */
  verifyBlock(block: Block, options: VerifyOptions): Promise<BuiltBlock>
  /**
   * Commits a block that `buildBlock` or `verifyBlock` gave, with the extraData that carries its seals (and the round it was
   * committed in); nothing is executed again. Resolves `known` when the block came onto the chain another way meanwhile.
   * @throws InvalidBlock when anything else differs, or the seals do not suffice
   */
  commitBuilt(built: BuiltBlock, header: Header, durable?: Durable): Promise<'imported' | 'known'>
  /**
   * Makes the record of a block below the head again, from the block as another node gives it.
   * @throws InvalidBlock when it is not the block on the chain; ChainError
   */
  repairBlock(block: Block): Promise<void>
  /** The validators that govern block `number` (head + 1 at most), ascending. */
  validators(number: bigint): Promise<readonly Address[]>
  /**
   * The validators that block `number` (the head at most) names, as JSON-RPC tells them: in the order its extraData lists
   * them, or where a contract selects them what that gives after the block, ascending.
   */
  validatorsNamedBy(number: bigint): Promise<readonly Address[]>
  /** The votes that stand after the head, by which a proposer chooses its own; undefined where nobody votes on the next block. */
  voteTally(): Promise<VoteTally | undefined>
  /** Called after each commit, in order. Returns the function that unsubscribes. */
  onHead(listener: (head: ChainHead) => void): () => void
}
