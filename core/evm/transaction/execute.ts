import type { Address } from '../../bytes/bytes.ts'
import { EMPTY_BYTES } from '../../bytes/bytes.ts'
import { fromHex } from '../../bytes/hex.ts'
import { minBigint } from '../../bytes/integer.ts'
import {
  GAS_PER_BLOB,
  type AccessListEntry,
  type Authorization,
  type RecoveredTransaction,
  type Transaction,
} from '../../block/transaction.ts'
import type { AccountState } from '../../state/accountState.ts'
import { hasCode } from '../../state/accountState.ts'
import type { ExecutionState } from '../../state/executionState.ts'
import { accountOf, BalanceOverflow, codeOf } from '../../state/executionState.ts'
import { beginTransaction, endTransactionSteps } from '../../state/transaction.ts'
import { runSteps, type Steps } from '../../steps.ts'
import type { WorldState } from '../../state/world.ts'
import { executionStateOf } from '../../state/worldState.ts'
import { createContext, transactionSteps } from './apply.ts'
import { delegateOf } from '../frames/delegation.ts'
import type { BlockEnvironment } from './environment.ts'
import type { Rules } from '../../genesis/configuration.ts'
import { messageSteps } from '../frames/message.ts'
import { InvalidTransaction, type TransactionResult } from './result.ts'
import { scheduleOf } from '../gas/gasSchedule.ts'
import type { Tracer } from '../interpreter/tracer.ts'
import { checkIntrinsic, checkTransaction } from './validity.ts'

/** EIP-1559: the effective gas price, in wei. */
const priceOf = (
  environment: BlockEnvironment,
  { maxFeePerGas, maxPriorityFeePerGas }: Pick<Transaction, 'maxFeePerGas' | 'maxPriorityFeePerGas'>,
): bigint => {
  const base = environment.baseFeePerGas ?? 0n
  return minBigint(maxFeePerGas, base + maxPriorityFeePerGas)
}

const checkSender = (
  state: ExecutionState,
  sender: AccountState,
  transaction: Transaction,
  { contractsMaySend }: Rules,
): void => {
  const { nonce } = transaction
  if (nonce !== sender.nonce)
    throw new InvalidTransaction(
      nonce < sender.nonce ? 'NONCE_TOO_LOW' : 'NONCE_TOO_HIGH',
      `nonce ${nonce}, the account's next one is ${sender.nonce}`,
    )
  if (contractsMaySend !== true && hasCode(sender) && delegateOf(codeOf(state, sender)) === undefined)
    throw new InvalidTransaction('SENDER_NOT_EOA', 'the sender is a contract (EIP-3607)')
}

const checkFunds = (
  sender: AccountState,
  { gasLimit, maxFeePerGas, value, blobVersionedHashes, maxFeePerBlobGas }: Message,
): void => {
  const blobGas = GAS_PER_BLOB * BigInt(blobVersionedHashes.length)
  const cost = gasLimit * maxFeePerGas + value + blobGas * maxFeePerBlobGas
  if (sender.balance < cost)
    throw new InvalidTransaction(
      'INSUFFICIENT_FUNDS',
      `the sender has ${sender.balance} wei, the transaction may cost ${cost}`,
    )
}

/**
 * Executes one transaction of the block of `environment`: pays fees, and removes self-destructed and empty accounts.
 * `blockGasAvailable` is the gas left in the block. Yields when a pause is due (runLimit.ts).
 * @throws InvalidTransaction when the block must not have it at this position; the state is then unchanged
 * @throws BalanceOverflow which leaves a state that the caller reverts
 */
export function* executeTransactionSteps(
  environment: BlockEnvironment,
  world: WorldState,
  { transaction, sender: address }: RecoveredTransaction,
  blockGasAvailable: bigint,
  tracer?: Tracer,
): Steps<TransactionResult> {
  const { baseFeePerGas, blobBaseFee } = environment
  checkTransaction(
    environment.rules,
    { gasLimit: blockGasAvailable, baseFeePerGas, blobBaseFee },
    transaction,
  )
  const state = executionStateOf(world)
  const sender = accountOf(state, address)
  checkSender(state, sender, transaction, environment.rules)
  checkFunds(sender, transaction)
  const gasPrice = priceOf(environment, transaction)
  return yield* transactionSteps(environment, state, sender, transaction, gasPrice, tracer)
}

/** As `executeTransactionSteps`, without yielding. */
export const executeTransaction = (
  environment: BlockEnvironment,
  world: WorldState,
  recovered: RecoveredTransaction,
  blockGasAvailable: bigint,
  tracer?: Tracer,
): TransactionResult =>
  runSteps(executeTransactionSteps(environment, world, recovered, blockGasAvailable, tracer))

/** An unsigned call, for eth_call and eth_estimateGas. */
export type Message = {
  readonly gasLimit: bigint
  readonly to: Address | undefined
  readonly value: bigint
  readonly data: Uint8Array
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly accessList: readonly AccessListEntry[]
  readonly maxFeePerBlobGas: bigint
  readonly blobVersionedHashes: readonly Uint8Array[]
  readonly authorizationList: readonly Authorization[]
}

/**
 * Runs a message as a transaction of the block, without checking signature, nonce, fees, or that the sender is not a
 * contract. The sender pays the value, and gas at the effective gas price, or at 0 if maxFeePerGas is 0. Changes the world:
 * take a snapshot before.
 * @throws InvalidTransaction for too little gas, too long initialization code, a sender that cannot pay, or a balance above
 * 256 bits
 */
export const callMessage = (
  environment: BlockEnvironment,
  world: WorldState,
  message: Message & { readonly from: Address },
  tracer?: Tracer,
): TransactionResult => {
  checkIntrinsic(environment.rules, message)
  const state = executionStateOf(world)
  const sender = accountOf(state, message.from)
  checkFunds(sender, message)
  const gasPrice = message.maxFeePerGas === 0n ? 0n : priceOf(environment, message)
  try {
    return runSteps(transactionSteps(environment, state, sender, message, gasPrice, tracer))
  } catch (error) {
    if (!(error instanceof BalanceOverflow)) throw error
    throw new InvalidTransaction(error.code, error.message)
  }
}

/** The caller of system calls (EIP-4788, EIP-2935, EIP-7002, EIP-7251), and the gas they have. */
const SYSTEM_ADDRESS: Address = fromHex('fffffffffffffffffffffffffffffffffffffffe')
const SYSTEM_GAS = 30_000_000n

export type SystemCallResult = { readonly success: boolean; readonly output: Uint8Array }

/** Calls a contract as the system, without a transaction and fees. Does nothing when the contract has no code. */
export function* systemCallSteps(
  environment: BlockEnvironment,
  world: WorldState,
  to: Address,
  data: Uint8Array,
): Steps<SystemCallResult> {
  const state = executionStateOf(world)
  const account = accountOf(state, to)
  if (!hasCode(account)) return { success: true, output: EMPTY_BYTES }
  const context = createContext(environment, state, SYSTEM_ADDRESS, 0n, [], undefined)
  beginTransaction(state, scheduleOf(environment.rules.fork).eip158)
  const { outcome, output } = yield* messageSteps(context, {
    sender: accountOf(state, SYSTEM_ADDRESS),
    to: account,
    isCreate: false,
    value: 0n,
    data,
    gas: SYSTEM_GAS,
  })
  yield* endTransactionSteps(state)
  return { success: outcome === 'success', output }
}

/** As `systemCallSteps`, without yielding. */
export const systemCall = (
  environment: BlockEnvironment,
  world: WorldState,
  to: Address,
  data: Uint8Array,
): SystemCallResult => runSteps(systemCallSteps(environment, world, to, data))
