import type { Address, Hash } from '../../bytes/bytes.ts'
import { maxBigint, minBigint } from '../../bytes/integer.ts'
import { GAS_PER_BLOB, type AccessListEntry, type Transaction } from '../../block/transaction.ts'
import type { AccountState } from '../../state/accountState.ts'
import type { ExecutionState } from '../../state/executionState.ts'
import {
  accountOf,
  decreaseBalance,
  increaseBalance,
  putNonce,
  warmAccount,
} from '../../state/executionState.ts'
import { slotOfBytes, storageOf, warmSlot } from '../../state/slots.ts'
import { beginTransaction, endIsLong, endTransaction, endTransactionSteps } from '../../state/transaction.ts'
import type { Steps } from '../../steps.ts'
import { createAddress } from '../frames/address.ts'
import { authorizationSteps } from './authorization.ts'
import { transactionConstants } from '../interpreter/constants.ts'
import type { BlockEnvironment } from './environment.ts'
import type { Context, Frame } from '../frames/frame.ts'
import { gasOf } from '../gas/gas.ts'
import { minimumGas } from '../gas/intrinsic.ts'
import { finishMessage, startMessage } from '../frames/message.ts'
import type { TransactionResult } from './result.ts'
import { type GasSchedule, scheduleOf } from '../gas/gasSchedule.ts'
import type { Tracer } from '../interpreter/tracer.ts'
import { checkTransactionLimit } from '../interpreter/runLimit.ts'

/** The fields of a transaction that its execution depends on. */
export type AppliedTransaction = Pick<
  Transaction,
  'to' | 'value' | 'data' | 'gasLimit' | 'accessList' | 'blobVersionedHashes' | 'authorizationList'
>

/** EIP-3529. */
const REFUND_QUOTIENT_LONDON = 5n
const REFUND_QUOTIENT = 2n

/** Creates the context of one transaction or system call. */
export const createContext = (
  environment: BlockEnvironment,
  state: ExecutionState,
  origin: Address,
  gasPrice: bigint,
  blobHashes: readonly Hash[],
  tracer: Tracer | undefined,
): Context => {
  const schedule = scheduleOf(environment.rules.fork)
  return {
    state,
    schedule,
    environment,
    constants: transactionConstants(environment, schedule.isParis, origin, gasPrice),
    blobHashes,
    tracer,
  }
}

/**
 * Executes a valid transaction: buys the gas at `gasPrice` wei, runs the message, refunds and pays fees, and ends the
 * transaction in the state. Yields when a pause is due.
 */
export function* transactionSteps(
  environment: BlockEnvironment,
  state: ExecutionState,
  sender: AccountState,
  transaction: AppliedTransaction,
  gasPrice: bigint,
  tracer: Tracer | undefined,
): Steps<TransactionResult> {
  const { rules } = environment
  const { gasLimit, data } = transaction
  const context = createContext(
    environment,
    state,
    sender.address,
    gasPrice,
    transaction.blobVersionedHashes,
    tracer,
  )
  const { schedule } = context
  beginTransaction(state, schedule.eip158)
  const blobGas = GAS_PER_BLOB * BigInt(transaction.blobVersionedHashes.length)
  decreaseBalance(state, sender, gasLimit * gasPrice + blobGas * (environment.blobBaseFee ?? 0n))
  const isCreate = transaction.to === undefined
  const target = transaction.to ?? createAddress(sender.address, sender.nonce)
  const to = accountOf(state, target)
  const beneficiary = accountOf(state, environment.beneficiary)
  putNonce(state, sender, sender.nonce + 1n)
  if (schedule.eip2929) {
    warmAccount(state, sender)
    warmAccount(state, to)
    if (schedule.isShanghai) warmAccount(state, beneficiary)
    if (transaction.accessList.length > 0) yield* warmListSteps(state, transaction.accessList)
  }
  if (transaction.authorizationList.length > 0)
    yield* authorizationSteps(state, rules.chainId, transaction.authorizationList)

  const { intrinsic, floor } = minimumGas(rules.fork, transaction)
  const { frame, paused } = startMessage(context, {
    sender,
    to,
    isCreate,
    value: transaction.value,
    data,
    gas: gasLimit - intrinsic,
  })
  if (paused !== undefined) yield* finishMessage(frame, paused)

  // Read before the end of the transaction, which may pause: other messages may then reuse the frame.
  const { outcome, output } = frame
  const failure = failureOf(frame)
  const used = gasLimit - gasOf(frame)
  const gasUsed = maxBigint(used - refundOf(state, schedule, used), floor)
  increaseBalance(state, sender, (gasLimit - gasUsed) * gasPrice)
  const burnt = schedule.isLondon ? (environment.baseFeePerGas ?? 0n) : 0n
  increaseBalance(state, beneficiary, gasUsed * maxBigint(gasPrice - burnt, 0n))
  const { logs } = state
  if (endIsLong(state)) yield* endTransactionSteps(state)
  else endTransaction(state)
  return {
    success: outcome === 'success',
    gasUsed,
    gasUsedMax: maxBigint(used, floor),
    output,
    logs,
    contractAddress: isCreate ? target : undefined,
    effectiveGasPrice: gasPrice,
    failure,
  }
}

/** Slots warmed between two checks of the run limit: a millisecond or two, as each may be read from the store. */
const SLOTS_AT_ONCE = 64

/** Warms the access list (EIP-2930). @throws as RunLimit.check */
function* warmListSteps(state: ExecutionState, accessList: readonly AccessListEntry[]): Steps<void> {
  let slots = 0
  for (const { address, storageKeys } of accessList) {
    const account = accountOf(state, address)
    warmAccount(state, account)
    for (const key of storageKeys) {
      const id = slotOfBytes(state, account, key)
      warmSlot(state, storageOf(account), id)
      if (++slots % SLOTS_AT_ONCE === 0 && checkTransactionLimit(state)) yield
    }
    if (++slots % SLOTS_AT_ONCE === 0 && checkTransactionLimit(state)) yield
  }
}

const refundOf = (state: ExecutionState, schedule: GasSchedule, used: bigint): bigint =>
  minBigint(BigInt(state.refund), used / (schedule.isLondon ? REFUND_QUOTIENT_LONDON : REFUND_QUOTIENT))

const failureOf = (frame: Frame): TransactionResult['failure'] => {
  if (frame.outcome === 'success') return undefined
  return frame.outcome === 'revert'
    ? { kind: 'revert' }
    : { kind: 'halt', reason: frame.halt ?? 'Out of gas' }
}
