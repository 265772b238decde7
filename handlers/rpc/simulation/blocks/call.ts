import { NONCE_MAX } from '../../../../core/evm/frames/create.ts'
import type { Address } from '../../../../core/bytes/bytes.ts'
import { toHex } from '../../../../core/bytes/hex.ts'
import { minBigint } from '../../../../core/bytes/integer.ts'
import { encodeEnvelope } from '../../../../core/block/codec/envelope.ts'
import { unsignedItems } from '../../../../core/block/codec/transactionItem.ts'
import type { Transaction, TransactionType } from '../../../../core/block/transaction.ts'
import { keccak256 } from '../../../../core/crypto/crypto.ts'
import type { BlockEnvironment } from '../../../../core/evm/transaction/environment.ts'
import { callMessage } from '../../../../core/evm/transaction/execute.ts'
import { InvalidTransaction, type TransactionResult } from '../../../../core/evm/transaction/result.ts'
import type { Tracer } from '../../../../core/evm/interpreter/tracer.ts'
import type { WorldState } from '../../../../core/state/world.ts'
import { RpcError } from '../../errors.ts'
import type { CallParameters } from '../callParameters.ts'
import { checkTypes, upfrontCostOf } from '../message.ts'

/** EIP-2681: an account with this nonce can send no transaction. */

/** Gas that remains for further calls. */
export type GasLeft = {
  /** In the block. */
  readonly block: bigint
  /** In the whole simulation; undefined without a bound. */
  readonly simulation: bigint | undefined
}

const typeOf = (call: CallParameters, hasBaseFee: boolean): TransactionType => {
  const isMarket = call.maxFeePerGas !== undefined || call.maxPriorityFeePerGas !== undefined
  if (!isMarket && (call.gasPrice !== undefined || !hasBaseFee)) return 0
  if (call.authorizationList !== undefined) return 4
  return call.blobVersionedHashes === undefined ? 2 : 3
}

const gasOf = (call: CallParameters, left: GasLeft): bigint => {
  const gas = call.gas ?? left.block
  if (gas > left.block)
    throw new RpcError('SIMULATION_BLOCK_GAS', { detail: `remaining: ${left.block}, required: ${gas}` })
  return left.simulation === undefined ? gas : minBigint(gas, left.simulation)
}

/**
 * Blob and authorization transactions need a recipient, and the latter an authorization (EIP-4844, EIP-7702). @throws
 * RpcError
 */
const checkForm = (type: TransactionType, { to, authorizationList }: CallParameters): void => {
  if (type < 3) return
  if (to === undefined)
    throw new RpcError('INVALID_PARAMS', { detail: `a transaction of type ${type} cannot create a contract` })
  if (type === 4 && authorizationList?.length === 0)
    throw new RpcError('INVALID_PARAMS', { detail: 'the authorization list is empty' })
}

/** The call as an unsigned transaction of the simulated block: r, s and v are 0. */
export const transactionOfCall = (
  call: CallParameters,
  environment: BlockEnvironment,
  world: WorldState,
  left: GasLeft,
): Transaction => {
  checkTypes(call, environment)
  const type = typeOf(call, environment.baseFeePerGas !== undefined)
  checkForm(type, call)
  const price = call.gasPrice ?? 0n
  const isMarket = type !== 0
  const fields = {
    type,
    chainId: type === 0 ? undefined : environment.rules.chainId,
    nonce: call.nonce ?? world.nonce(call.from),
    maxPriorityFeePerGas: isMarket ? (call.maxPriorityFeePerGas ?? 0n) : price,
    maxFeePerGas: isMarket ? (call.maxFeePerGas ?? 0n) : price,
    gasLimit: gasOf(call, left),
    to: call.to,
    value: call.value,
    data: call.data,
    accessList: call.accessList,
    maxFeePerBlobGas: type === 3 ? (call.maxFeePerBlobGas ?? 0n) : 0n,
    blobVersionedHashes: call.blobVersionedHashes ?? [],
    authorizationList: call.authorizationList ?? [],
    yParity: 0,
    r: 0n,
    s: 0n,
  }
  const encoded = encodeEnvelope(type, [...unsignedItems(fields), 0n, 0n, 0n])
  return { ...fields, encoded, hash: keccak256(encoded) }
}

const checkNonce = (from: Address, { nonce }: Transaction, world: WorldState): void => {
  const accountNonce = world.nonce(from)
  const detail = `address ${toHex(from)}, tx: ${nonce} state: ${accountNonce}`
  if (nonce < accountNonce) throw new RpcError('SIMULATION_NONCE_TOO_LOW', { detail })
  if (nonce > accountNonce) throw new RpcError('SIMULATION_NONCE_TOO_HIGH', { detail })
  if (nonce === NONCE_MAX)
    throw new RpcError('SIMULATION_NONCE_MAX', { detail: `address ${toHex(from)}, nonce ${nonce}` })
}

/** A given fee must be sufficient; with validation a missing fee counts as 0 and must be sufficient, too. */
const checkFees = (transaction: Transaction, environment: BlockEnvironment, validation: boolean): void => {
  const { maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas } = transaction
  const baseFee = environment.baseFeePerGas ?? 0n
  if (validation || maxFeePerGas > 0n || maxPriorityFeePerGas > 0n) {
    if (maxPriorityFeePerGas > maxFeePerGas)
      throw new RpcError('INVALID_PARAMS', { detail: 'maxPriorityFeePerGas is above maxFeePerGas' })
    if (maxFeePerGas < baseFee)
      throw new RpcError('SIMULATION_FEE_TOO_LOW', {
        detail: `maxFeePerGas: ${maxFeePerGas}, baseFee: ${baseFee}`,
      })
  }
  const blobBaseFee = environment.blobBaseFee ?? 0n
  if (transaction.type !== 3 || maxFeePerBlobGas >= blobBaseFee) return
  if (validation || maxFeePerBlobGas > 0n)
    throw new RpcError('INVALID_PARAMS', {
      detail: `maxFeePerBlobGas: ${maxFeePerBlobGas}, blobBaseFee: ${blobBaseFee}`,
    })
}

/** The execution-apis' error code for a message that the EVM refuses to execute. */
const refusalOf = (error: unknown): unknown => {
  if (!(error instanceof InvalidTransaction)) return error
  const options = { detail: error.message, cause: error }
  switch (error.code) {
    case 'INTRINSIC_GAS':
      return new RpcError('SIMULATION_INTRINSIC_GAS', options)
    case 'INITCODE_TOO_LARGE':
      return new RpcError('SIMULATION_INITCODE', options)
    case 'INSUFFICIENT_FUNDS':
      return new RpcError('SIMULATION_UPFRONT_COST', options)
    default:
      return new RpcError('INVALID_PARAMS', options)
  }
}

/**
 * Runs the call as a transaction of its block and changes the world state. @throws RpcError if the block cannot contain it
 */
export const runSimulated = (
  transaction: Transaction,
  from: Address,
  environment: BlockEnvironment,
  world: WorldState,
  validation: boolean,
  tracer: Tracer,
): TransactionResult => {
  if (validation) checkNonce(from, transaction, world)
  checkFees(transaction, environment, validation)
  const cost = upfrontCostOf(transaction)
  const balance = world.balance(from)
  if (cost > balance)
    throw new RpcError('SIMULATION_UPFRONT_COST', {
      detail: `address ${toHex(from)} have ${balance} want ${cost}`,
    })
  try {
    return callMessage(environment, world, { ...transaction, from }, tracer)
  } catch (error) {
    throw refusalOf(error)
  } finally {
    // Without validation even an account with the highest nonce can send; its nonce wraps around, as in geth.
    const nonce = world.nonce(from)
    if (nonce > NONCE_MAX) world.setNonce(from, nonce & NONCE_MAX)
  }
}
