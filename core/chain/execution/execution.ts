import type { Address, Hash } from '../../bytes/bytes.ts'
import { shareBigint } from '../../bytes/integer.ts'
import { createSlab } from '../../bytes/slab.ts'
import type { BlockEnvironment } from '../../evm/transaction/environment.ts'
import { executeTransactionSteps } from '../../evm/transaction/execute.ts'
import { MemoryUnavailable } from '../../evm/interpreter/memory.ts'
import type { Tracer } from '../../evm/interpreter/tracer.ts'
import type { Usage } from '../../evm/interpreter/runLimit.ts'
import { InvalidTransaction, type TransactionResult } from '../../evm/transaction/result.ts'
import type { ChainConfiguration, Rules } from '../../genesis/configuration.ts'
import { forkIsAtLeast } from '../../genesis/fork.ts'
import type { StateChanges, StateReader } from '../../state/account.ts'
import { BalanceOverflow } from '../../state/executionState.ts'
import { applyEdits, type EditList } from '../../state/edits.ts'
import type { WorldState } from '../../state/world.ts'
import { createWorldState } from '../../state/worldState.ts'
import type { TrieNodeReader, TrieNodeWrite } from '../../trie/nodes/node.ts'
import { orderedTrieRootSteps } from '../../trie/ordered.ts'
import { stateRootSteps, updateStateRoot } from '../../trie/state/stateRoot.ts'
import type { Steps } from '../../steps.ts'
import { maxBlobGas } from '../fees/blobFee.ts'
import type { Withdrawal } from '../../block/block.ts'
import { TransactionStopped } from './bounds.ts'
import { BLOOM_BYTES, joinBlooms, logsBloom } from '../../block/codec/bloom.ts'
import { encodeReceipt, encodeReceiptSteps, hasManyLogs } from '../../block/codec/receipt.ts'
import { blockEnvironment, type OpenHeader } from './environment.ts'
import type { Header } from '../../block/header.ts'
import { type Log, NO_LOGS, type Receipt } from '../../block/receipt.ts'
import { collectRequests } from './requests.ts'
import { rewardCredits, withdrawalCredits } from './reward.ts'
import { callBeforeTransactions, requestContractsOf } from './systemContracts.ts'
import { GAS_PER_BLOB, type RecoveredTransaction } from '../../block/transaction.ts'

/** Slab size for encoded receipts, which are discarded when the root is known: some 60 without logs. */
const RECEIPTS_SLAB_LENGTH = 16_384

/** The source of transactions to execute: the body of an imported block, or candidates for a new one. */
export type TransactionSource = {
  /** The next transaction; undefined at the end. */
  next(gasAvailable: bigint): RecoveredTransaction | undefined
  /** Called when the last transaction is invalid here and was not executed. Throws if that makes the block invalid. */
  refuse(recovered: RecoveredTransaction, reason: InvalidTransaction): void
  /** Called repeatedly while a transaction is executed. @throws TransactionStopped to end it */
  check?(usage: Usage): void
  /** Called when the last transaction was stopped and undone; undefined if the source never stops one. */
  stopped?(recovered: RecoveredTransaction, reason: string): void
  /** Observes the execution of each transaction. */
  readonly tracer?: Tracer | undefined
}

export type ExecutionInput = {
  readonly configuration: ChainConfiguration
  readonly rules: Rules
  readonly header: OpenHeader
  readonly transactions: TransactionSource
  readonly ommers: readonly Header[]
  /** Undefined before Shanghai. */
  readonly withdrawals: readonly Withdrawal[] | undefined
  readonly parentStateRoot: Hash
  /** The state and the trie records after the parent. */
  readonly reader: StateReader
  /** Undefined if the state root is known: it is then not computed, and accounts keep the storage roots of the parent. */
  readonly nodes: TrieNodeReader | undefined
  /** For BLOCKHASH. */
  readonly blockHash: (number: bigint) => Hash | undefined
  /** Changes that no transaction made, on a development chain. */
  readonly edits?: EditList
}

/** The result of a block's execution: the values for its header, and the data that the store keeps. */
export type ExecutionResult = {
  readonly executed: readonly RecoveredTransaction[]
  readonly receipts: readonly Receipt[]
  readonly gasUsed: bigint
  /** 0 before Cancun. */
  readonly blobGasUsed: bigint
  readonly logsBloom: Uint8Array
  readonly receiptsRoot: Hash
  /** Undefined before Prague. */
  readonly requestsHash: Hash | undefined
  readonly stateRoot: Hash
  /** With every storage root set. */
  readonly changes: StateChanges
  readonly nodes: readonly TrieNodeWrite[]
  /** True when a transaction ran out of gas because it requested more memory than any client can provide. */
  readonly isMemoryMissing: boolean
}

// Shared by all receipts without logs.
const EMPTY_BLOOM = new Uint8Array(BLOOM_BYTES)

/** Gas between two pauses: some 2 ms of plain transfers. */
const SLICE_GAS = 1_000_000n
/** Gas that counts for a refused candidate, because its check takes as long as a plain transfer. */
const REFUSED_GAS = 21_000n

type Totals = { gasUsed: bigint; blobGasUsed: bigint }

/** EIP-658 from Byzantium on; before, the state root after the transaction replaces the status. */
const outcomeOf = (
  input: ExecutionInput,
  world: WorldState,
  result: TransactionResult,
): Pick<Receipt, 'status' | 'postStateRoot'> => {
  if (forkIsAtLeast(input.rules.fork, 'byzantium'))
    return { status: result.success, postStateRoot: undefined }
  if (input.nodes === undefined) return { status: undefined, postStateRoot: undefined }
  const { root } = updateStateRoot(input.nodes, input.parentStateRoot, world.changes(input.header.number))
  return { status: undefined, postStateRoot: root }
}

/** Logs added to a bloom between two yields: one to two milliseconds. */
const LOGS_AT_ONCE = 512

const bloomOf = (logs: readonly Log[]): Uint8Array => (logs.length === 0 ? EMPTY_BLOOM : logsBloom(logs))

/** As `bloomOf`, in steps for many logs. */
function* bloomSteps(logs: readonly Log[]): Steps<Uint8Array> {
  const parts: Uint8Array[] = []
  for (let at = 0; at < logs.length; at += LOGS_AT_ONCE) {
    parts.push(logsBloom(logs.slice(at, at + LOGS_AT_ONCE)))
    yield
  }
  return joinBlooms(parts)
}

const receiptOf = (
  { transaction }: RecoveredTransaction,
  result: TransactionResult,
  outcome: Pick<Receipt, 'status' | 'postStateRoot'>,
  bloom: Uint8Array,
  totals: Totals,
  environment: BlockEnvironment,
): Receipt => ({
  type: transaction.type,
  ...outcome,
  cumulativeGasUsed: shareBigint(totals.gasUsed),
  logsBloom: bloom,
  logs: result.logs.length === 0 ? NO_LOGS : result.logs,
  gasUsed: shareBigint(result.gasUsed),
  effectiveGasPrice: shareBigint(result.effectiveGasPrice),
  contractAddress: result.contractAddress,
  blobGasUsed: blobGasOf(transaction),
  blobGasPrice: transaction.type === 3 ? (environment.blobBaseFee ?? 0n) : 0n,
  revertReason: result.failure?.kind === 'revert' ? result.output : undefined,
})

const blobGasOf = (transaction: RecoveredTransaction['transaction']): bigint =>
  transaction.type === 3 ? BigInt(transaction.blobVersionedHashes.length) * GAS_PER_BLOB : 0n

/** EIP-4844: limits the blobs of a block. @throws InvalidTransaction */
const requireBlobRoom = (rules: Rules, blobGasUsed: bigint, more: bigint): void => {
  if (more === 0n || rules.blob === undefined) return
  if (blobGasUsed + more > maxBlobGas(rules.blob))
    throw new InvalidTransaction(
      'TOO_MANY_BLOBS',
      `blob gas ${more} does not fit into the ${maxBlobGas(rules.blob) - blobGasUsed} left in the block`,
    )
}

type Executed = {
  readonly executed: RecoveredTransaction[]
  readonly receipts: Receipt[]
  readonly totals: Totals
}

/**
 * Executes one transaction. Undefined when it was stopped, with the world unchanged. Yields when a pause is due.
 * @throws InvalidTransaction
 */
function* executeOrUndo(
  source: TransactionSource,
  environment: BlockEnvironment,
  world: WorldState,
  recovered: RecoveredTransaction,
  gasAvailable: bigint,
): Steps<TransactionResult | undefined> {
  const snapshot = world.snapshot()
  try {
    return yield* executeTransactionSteps(environment, world, recovered, gasAvailable, source.tracer)
  } catch (error) {
    if (error instanceof BalanceOverflow) {
      yield* world.revertSteps(snapshot)
      throw new InvalidTransaction(error.code, error.message)
    }
    const isStopped = error instanceof TransactionStopped || error instanceof MemoryUnavailable
    if (!isStopped || source.stopped === undefined) throw error
    yield* world.revertSteps(snapshot)
    source.stopped(recovered, error.message)
    return undefined
  }
}

/** Yields after each slice of gas, and when a pause is due. */
function* executeTransactions(
  input: ExecutionInput,
  environment: BlockEnvironment,
  world: WorldState,
): Generator<void, Executed, void> {
  const executed: RecoveredTransaction[] = []
  const receipts: Receipt[] = []
  const totals: Totals = { gasUsed: 0n, blobGasUsed: 0n }
  let sliceGas = SLICE_GAS
  for (;;) {
    if (sliceGas <= 0n) {
      yield
      sliceGas = SLICE_GAS
    }
    const gasAvailable = input.header.gasLimit - totals.gasUsed
    const recovered = input.transactions.next(gasAvailable)
    if (recovered === undefined) return { executed, receipts, totals }
    const blobGas = blobGasOf(recovered.transaction)
    let result: TransactionResult | undefined
    try {
      requireBlobRoom(input.rules, totals.blobGasUsed, blobGas)
      result = yield* executeOrUndo(input.transactions, environment, world, recovered, gasAvailable)
    } catch (error) {
      if (!(error instanceof InvalidTransaction)) throw error
      input.transactions.refuse(recovered, error)
      sliceGas -= REFUSED_GAS
      continue
    }
    if (result === undefined) continue
    sliceGas -= result.gasUsed
    totals.gasUsed += result.gasUsed
    totals.blobGasUsed += blobGas
    executed.push(recovered)
    const bloom = result.logs.length > LOGS_AT_ONCE ? yield* bloomSteps(result.logs) : bloomOf(result.logs)
    receipts.push(receiptOf(recovered, result, outcomeOf(input, world, result), bloom, totals, environment))
    world.keep()
  }
}

/**
 * Executes a block on the state after its parent: system calls, transactions, withdrawals, requests and rewards in the
 * order of the execution specification. Import and building share it; the trie is updated once, at the end. Pure. Yields
 * to other work, which must not change the state below.
 * @throws SystemContractFailure, and what `transactions.refuse` and the readers throw
 */
export function* executionSteps(input: ExecutionInput): Generator<void, ExecutionResult, void> {
  const { configuration, rules, header } = input
  const world = createWorldState(input.reader)
  applyEdits(world, input.edits)
  const environment = blockEnvironment(configuration, rules, header, input.blockHash)
  const contracts = requestContractsOf(configuration)
  if (contracts !== undefined) yield* callBeforeTransactions(environment, world, header)

  const { executed, receipts, totals } = yield* executeTransactions(input, environment, world)
  for (const { address, wei } of withdrawalCredits(input.withdrawals ?? [])) world.addBalance(address, wei)
  const requestsHash = forkIsAtLeast(rules.fork, 'prague')
    ? yield* collectRequests(environment, world, receipts, contracts)
    : undefined
  for (const { address, wei } of rewardCredits(configuration, rules.fork, { header, ommers: input.ommers }))
    world.addBalance(address, wei)

  if (executed.length > 0) yield
  const changes = yield* world.changesSteps(header.number)
  const state =
    input.nodes === undefined
      ? { root: input.parentStateRoot, changes, nodes: [] }
      : yield* stateRootSteps(input.nodes, input.parentStateRoot, changes)
  if (executed.length > 0) yield
  const allocate = createSlab(RECEIPTS_SLAB_LENGTH)
  const receiptsRoot = yield* orderedTrieRootSteps(receipts.length, index => {
    const receipt = receipts[index] as Receipt
    return hasManyLogs(receipt) ? encodeReceiptSteps(receipt) : encodeReceipt(receipt, allocate)
  })
  return {
    executed,
    receipts,
    gasUsed: totals.gasUsed,
    blobGasUsed: totals.blobGasUsed,
    logsBloom: joinBlooms(receipts.filter(({ logs }) => logs.length > 0).map(receipt => receipt.logsBloom)),
    receiptsRoot,
    requestsHash,
    stateRoot: state.root,
    changes: state.changes,
    nodes: state.nodes,
    isMemoryMissing: world.isMemoryMissing(),
  }
}

/** The senders of the executed transactions, in order. */
export const sendersOf = (executed: readonly RecoveredTransaction[]): readonly Address[] =>
  executed.map(({ sender }) => sender)
