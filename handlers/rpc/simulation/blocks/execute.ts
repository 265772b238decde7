import type { Address, Hash } from '../../../../core/bytes/bytes.ts'
import { runSteps } from '../../../../core/steps.ts'
import { joinBlooms, logsBloom } from '../../../../core/block/codec/bloom.ts'
import { rawHeaderHash } from '../../../../core/block/codec/header.ts'
import { encodeReceipt } from '../../../../core/block/codec/receipt.ts'
import { blockEnvironment } from '../../../../core/chain/execution/environment.ts'
import type { Receipt } from '../../../../core/block/receipt.ts'
import { collectRequests, SystemContractFailure } from '../../../../core/chain/execution/requests.ts'
import { rewardCredits, withdrawalCredits } from '../../../../core/chain/execution/reward.ts'
import { transactionsRootOf } from '../../../../core/chain/rules/body.ts'
import {
  callBeforeTransactions,
  requestContractsOf,
} from '../../../../core/chain/execution/systemContracts.ts'
import { GAS_PER_BLOB, type Transaction } from '../../../../core/block/transaction.ts'
import type { BlockEnvironment } from '../../../../core/evm/transaction/environment.ts'
import type { TransactionResult } from '../../../../core/evm/transaction/result.ts'
import { forkIsAtLeast } from '../../../../core/genesis/fork.ts'
import type { StateReader } from '../../../../core/state/account.ts'
import type { WorldState } from '../../../../core/state/world.ts'
import { createWorldState } from '../../../../core/state/worldState.ts'
import type { BlockRecord } from '../../../../core/store/store.ts'
import type { TrieNodeReader } from '../../../../core/trie/nodes/node.ts'
import { orderedTrieRoot } from '../../../../core/trie/ordered.ts'
import { type StateRootUpdate, updateStateRoot } from '../../../../core/trie/state/stateRoot.ts'
import type { RpcContext } from '../../context.ts'
import { RpcError } from '../../errors.ts'
import { precompilesUnder } from '../precompileOverrides.ts'
import { applyOverrides } from '../stateOverrides.ts'
import { runSimulated, transactionOfCall } from './call.ts'
import type { OpenBlock } from './header.ts'
import { createLogTracer, type NumberedLog } from './logTracer.ts'
import type { PlannedBlock } from './plan.ts'

/** Result of one call of a block; `logs` include transfers where the request asks for them. */
export type SimulatedCall = { readonly result: TransactionResult; readonly logs: readonly NumberedLog[] }

export type SimulatedBlock = {
  readonly record: BlockRecord
  readonly calls: readonly SimulatedCall[]
  readonly update: StateRootUpdate
}

export type SimulationStep = OpenBlock & {
  readonly block: PlannedBlock
  readonly validation: boolean
  readonly traceTransfers: boolean
  /** Gas left for all further calls; undefined without a limit. */
  readonly gasLeft: bigint | undefined
  /** State and trie after the parent. */
  readonly reader: StateReader
  readonly nodes: TrieNodeReader
  readonly parentStateRoot: Hash
  /** For BLOCKHASH. */
  readonly blockHash: (number: bigint) => Hash | undefined
}

const environmentOf = ({ chain }: RpcContext, step: SimulationStep): BlockEnvironment => {
  const { header, rules, block } = step
  const { blobBaseFee, feeRecipient } = block.blockOverrides
  return {
    ...blockEnvironment(chain.configuration, rules, header, step.blockHash),
    ...(blobBaseFee === undefined ? {} : { blobBaseFee }),
    ...(feeRecipient === undefined ? {} : { beneficiary: feeRecipient }),
    precompileAt: precompilesUnder(rules.fork, block.stateOverrides),
  }
}

const receiptOf = (
  transaction: Transaction,
  result: TransactionResult,
  cumulativeGasUsed: bigint,
  outcome: Pick<Receipt, 'status' | 'postStateRoot'>,
  blobBaseFee: bigint,
): Receipt => ({
  type: transaction.type,
  ...outcome,
  cumulativeGasUsed,
  logsBloom: logsBloom(result.logs),
  logs: result.logs,
  gasUsed: result.gasUsed,
  effectiveGasPrice: result.effectiveGasPrice,
  contractAddress: result.contractAddress,
  blobGasUsed: GAS_PER_BLOB * BigInt(transaction.blobVersionedHashes.length),
  blobGasPrice: transaction.type === 3 ? blobBaseFee : 0n,
  revertReason: result.failure?.kind === 'revert' ? result.output : undefined,
})

type Executed = {
  readonly transactions: Transaction[]
  readonly senders: Address[]
  readonly receipts: Receipt[]
  readonly calls: SimulatedCall[]
  gasUsed: bigint
}

const executeCalls = (step: SimulationStep, environment: BlockEnvironment, world: WorldState): Executed => {
  const { header, rules, validation } = step
  const executed: Executed = { transactions: [], senders: [], receipts: [], calls: [], gasUsed: 0n }
  const logs = createLogTracer(step.traceTransfers)
  const rootNow = (): Hash =>
    updateStateRoot(step.nodes, step.parentStateRoot, world.changes(header.number)).root
  for (const call of step.block.calls) {
    const left = {
      block: header.gasLimit - executed.gasUsed,
      simulation: step.gasLeft === undefined ? undefined : step.gasLeft - executed.gasUsed,
    }
    const transaction = transactionOfCall(call, environment, world, left)
    const result = runSimulated(transaction, call.from, environment, world, validation, logs.tracer)
    executed.gasUsed += result.gasUsed
    executed.transactions.push(transaction)
    executed.senders.push(call.from)
    // A status since Byzantium (EIP-658), the state root before it.
    const outcome = forkIsAtLeast(rules.fork, 'byzantium')
      ? { status: result.success, postStateRoot: undefined }
      : { status: undefined, postStateRoot: rootNow() }
    executed.receipts.push(
      receiptOf(transaction, result, executed.gasUsed, outcome, environment.blobBaseFee ?? 0n),
    )
    executed.calls.push({ result, logs: logs.take() })
  }
  return executed
}

const requestsHashOf = (
  { chain }: RpcContext,
  { header, rules }: SimulationStep,
  environment: BlockEnvironment,
  world: WorldState,
  receipts: readonly Receipt[],
): Hash | undefined => {
  // Only a header with a beacon root can hold it.
  if (!forkIsAtLeast(rules.fork, 'prague') || header.parentBeaconBlockRoot === undefined) return undefined
  try {
    return runSteps(collectRequests(environment, world, receipts, requestContractsOf(chain.configuration)))
  } catch (error) {
    if (!(error instanceof SystemContractFailure)) throw error
    throw new RpcError('INVALID_INPUT', { detail: error.message, cause: error })
  }
}

/**
 * Executes one simulated block like one of the chain: overrides, system calls, the calls as transactions, withdrawals,
 * requests and rewards. Synchronous, over loaded entries. @throws RpcError if the block cannot contain a call, and the
 * errors of the readers
 */
export const executeSimulated = (context: RpcContext, step: SimulationStep): SimulatedBlock => {
  const { configuration } = context.chain
  const { header: open, rules, block } = step
  const world = createWorldState(step.reader)
  const environment = environmentOf(context, step)
  applyOverrides(world, block.stateOverrides)
  if (requestContractsOf(configuration) !== undefined)
    runSteps(callBeforeTransactions(environment, world, open))

  const { transactions, senders, receipts, calls, gasUsed } = executeCalls(step, environment, world)
  const withdrawals =
    open.withdrawalsRoot === undefined ? undefined : (block.blockOverrides.withdrawals ?? [])
  for (const { address, wei } of withdrawalCredits(withdrawals ?? [])) world.addBalance(address, wei)
  const requestsHash = requestsHashOf(context, step, environment, world, receipts)
  for (const { address, wei } of rewardCredits(configuration, rules.fork, { header: open, ommers: [] }))
    world.addBalance(address, wei)

  const update = updateStateRoot(step.nodes, step.parentStateRoot, world.changes(open.number))
  const header = {
    ...open,
    stateRoot: block.blockOverrides.stateRoot ?? update.root,
    transactionsRoot: transactionsRootOf(transactions),
    receiptsRoot: orderedTrieRoot(receipts.map(receipt => encodeReceipt(receipt))),
    logsBloom: joinBlooms(receipts.map(receipt => receipt.logsBloom)),
    gasUsed,
    blobGasUsed:
      open.blobGasUsed === undefined ? undefined : receipts.reduce((sum, one) => sum + one.blobGasUsed, 0n),
    requestsHash,
  }
  return {
    record: {
      block: { header, transactions, ommers: [], withdrawals },
      hash: block.blockOverrides.hash ?? rawHeaderHash(header),
      totalDifficulty: 0n,
      senders,
      receipts,
    },
    calls,
    update,
  }
}
