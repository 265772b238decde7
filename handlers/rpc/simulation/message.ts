import { GAS_PER_BLOB } from '../../../core/block/transaction.ts'
import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import { minBigint } from '../../../core/bytes/integer.ts'
import type { BlockEnvironment } from '../../../core/evm/transaction/environment.ts'
import { callMessage, type Message } from '../../../core/evm/transaction/execute.ts'
import type { TransactionResult } from '../../../core/evm/transaction/result.ts'
import type { Tracer } from '../../../core/evm/interpreter/tracer.ts'
import { forkIsAtLeast } from '../../../core/genesis/fork.ts'
import type { WorldState } from '../../../core/state/world.ts'
import type { RpcContext } from '../context.ts'
import { RpcError, wrongChainId } from '../errors.ts'
import { type CallParameters, invalidCall } from './callParameters.ts'
import { invalidMessage } from './outcome.ts'

/** A call prepared for one block. */
export type PreparedCall = {
  readonly message: Message & { readonly from: Uint8Array }
  readonly environment: BlockEnvironment
}

/** Gas of a call without a gas member. EIP-7825 limits transactions, not calls. */
const defaultGas = ({ gasLimit }: BlockEnvironment, gasCap: bigint): bigint =>
  gasCap > 0n ? minBigint(gasLimit, gasCap) : gasLimit

/** Checks the chain id, and that the fork has the transaction types that the call's members need. @throws RpcError */
export const checkTypes = (call: CallParameters, { rules }: BlockEnvironment): void => {
  if (call.chainId !== undefined && call.chainId !== rules.chainId)
    throw wrongChainId(call.chainId, rules.chainId)
  const { blobVersionedHashes, authorizationList } = call
  if (authorizationList !== undefined && authorizationList.length > 0 && !forkIsAtLeast(rules.fork, 'prague'))
    throw new RpcError('INVALID_TRANSACTION_TYPE')
  if (blobVersionedHashes === undefined) return
  if (!forkIsAtLeast(rules.fork, 'cancun')) throw new RpcError('INVALID_TRANSACTION_TYPE')
  const blobs = blobVersionedHashes.length
  if (blobs === 0) throw new RpcError('INVALID_BLOB_COUNT')
  if (call.to === undefined) invalidCall('to is missing: a blob transaction cannot create a contract')
  if (blobs > (rules.blob?.maxBlobs ?? 0))
    throw new RpcError('TOTAL_BLOB_GAS', { detail: `Blob transaction has too many blobs: ${blobs}` })
}

type Fees = Pick<Message, 'maxFeePerGas' | 'maxPriorityFeePerGas' | 'maxFeePerBlobGas'>

const NO_FEES: Fees = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n, maxFeePerBlobGas: 0n }

/** `gasPrice` counts only without the fees of EIP-1559. */
const offeredFees = (call: CallParameters, baseFeePerGas: bigint): Fees => {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = call
  const maxFeePerBlobGas = call.maxFeePerBlobGas ?? 0n
  if (maxFeePerGas === undefined && maxPriorityFeePerGas === undefined)
    return { maxFeePerGas: gasPrice ?? 0n, maxPriorityFeePerGas: gasPrice ?? 0n, maxFeePerBlobGas }
  const priority = maxPriorityFeePerGas ?? 0n
  const max = maxFeePerGas ?? (priority === 0n ? 0n : baseFeePerGas + priority)
  if (priority > max)
    throw new RpcError('PRIORITY_FEE_ABOVE_MAX_FEE', {
      detail: 'max priority fee per gas cannot be greater than max fee per gas',
    })
  return { maxFeePerGas: max, maxPriorityFeePerGas: priority, maxFeePerBlobGas }
}

/** A given price must be sufficient; it may be missing, and the blob price may be missing only if gas is free, too. */
const checkPrices = (fees: Fees, call: CallParameters, environment: BlockEnvironment): void => {
  const { maxFeePerGas, maxFeePerBlobGas } = fees
  if (maxFeePerGas > 0n && maxFeePerGas < (environment.baseFeePerGas ?? 0n))
    throw new RpcError('GAS_PRICE_BELOW_BASE_FEE', {
      detail: 'gasPrice is less than the current BaseFee',
      data: `the gas price is ${maxFeePerGas} wei, the base fee ${environment.baseFeePerGas} wei`,
    })
  const blobBaseFee = environment.blobBaseFee ?? 0n
  if (call.blobVersionedHashes !== undefined && maxFeePerBlobGas < blobBaseFee)
    throw new RpcError('BLOB_GAS_PRICE_BELOW_BASE_FEE', {
      detail: `tx max fee per blob gas less than block blob gas fee: address ${toHex(call.from)} blobGasFeeCap: ${maxFeePerBlobGas} wei, blobBaseFee: ${blobBaseFee} wei`,
    })
}

/**
 * Prepares the call by Besu's rules: without a price, or with `strict` false, gas is free and the block has no fees.
 * Otherwise the sender pays for gas. In both cases its balance in the state must cover the value. @throws RpcError
 */
export const prepareCall = (
  context: RpcContext,
  call: CallParameters,
  environment: BlockEnvironment,
): PreparedCall => {
  checkTypes(call, environment)
  const { gasCap } = context.options
  const offered = offeredFees(call, environment.baseFeePerGas ?? 0n)
  const fees = call.strict === false ? NO_FEES : offered
  if (fees.maxFeePerGas > 0n || fees.maxFeePerBlobGas > 0n) checkPrices(fees, call, environment)
  const gas = call.gas ?? defaultGas(environment, gasCap)
  return {
    message: {
      ...fees,
      from: call.from,
      to: call.to,
      gasLimit: gasCap > 0n ? minBigint(gas, gasCap) : gas,
      value: call.value,
      data: call.data,
      accessList: call.accessList,
      blobVersionedHashes: call.blobVersionedHashes ?? [],
      authorizationList: call.authorizationList ?? [],
    },
    environment: withFees(environment, fees),
  }
}

/** Environments without fees, cached because most calls offer none. */
const free = new WeakMap<BlockEnvironment, BlockEnvironment>()

/** The environment of the call: its fees are never above those that the call offers, so that a free call stays free. */
const withFees = (environment: BlockEnvironment, offered: Fees): BlockEnvironment => {
  const isFree = offered.maxFeePerGas === 0n && offered.maxFeePerBlobGas === 0n
  const known = isFree ? free.get(environment) : undefined
  if (known !== undefined) return known
  const { baseFeePerGas, blobBaseFee } = environment
  const adjusted = {
    ...environment,
    baseFeePerGas: baseFeePerGas === undefined ? undefined : minBigint(baseFeePerGas, offered.maxFeePerGas),
    blobBaseFee: blobBaseFee === undefined ? undefined : minBigint(blobBaseFee, offered.maxFeePerBlobGas),
  }
  if (isFree) free.set(environment, adjusted)
  return adjusted
}

/** Maximum cost of the call to its sender, in wei. */
export const upfrontCostOf = ({
  gasLimit,
  maxFeePerGas,
  value,
  blobVersionedHashes,
  maxFeePerBlobGas,
}: Pick<
  Message,
  'gasLimit' | 'maxFeePerGas' | 'value' | 'blobVersionedHashes' | 'maxFeePerBlobGas'
>): bigint =>
  gasLimit * maxFeePerGas + value + GAS_PER_BLOB * BigInt(blobVersionedHashes.length) * maxFeePerBlobGas

/** @throws RpcError with Besu's text when the sender cannot pay for gas and value. */
export const checkUpfrontCost = ({ message }: PreparedCall, world: WorldState): void => {
  const cost = upfrontCostOf(message)
  const balance = world.balance(message.from)
  if (cost > balance)
    throw new RpcError('UPFRONT_COST', {
      detail: `transaction up-front cost ${toQuantity(cost)} exceeds transaction sender account balance ${toQuantity(balance)} for sender ${toHex(message.from)}`,
    })
}

/** Runs the call and changes the world state. @throws RpcError if the call cannot begin */
export const runCall = (
  { message, environment }: PreparedCall,
  world: WorldState,
  tracer?: Tracer,
): TransactionResult => {
  try {
    return callMessage(environment, world, message, tracer)
  } catch (error) {
    throw invalidMessage(error, message, environment.rules)
  }
}
