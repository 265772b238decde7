import type { Address } from '../../../core/bytes/bytes.ts'
import { maxBigint, minBigint } from '../../../core/bytes/integer.ts'
import { excessBlobGasAfter, blobBaseFeeAt } from '../../../core/chain/fees/blobFee.ts'
import { unsignedEncoding } from '../../../core/block/codec/signature.ts'
import type { UnsignedTransaction } from '../../../core/block/codec/transactionItem.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import type { TransactionType } from '../../../core/block/transaction.ts'
import type { PoolHead } from '../../../core/txpool/pool.ts'
import { withRunsBounded, WorkerRefusal } from '../dispatch/offload.ts'
import type { RpcContext } from '../context.ts'
import { valueOf } from '../dispatch/envelope.ts'
import { RpcError, wrongChainId } from '../errors.ts'
import type { Call } from '../method.ts'
import { nextHeadOf } from '../fees/nextHead.ts'
import { given, integerOf, required } from '../parameters/values.ts'
import { unsignedTransactionShape } from '../shapes/transaction.ts'
import { type CallParameters, readCall, invalidCall } from '../simulation/callParameters.ts'
import { estimateGas } from '../simulation/estimate.ts'

/** A base fee can double in six full blocks; the offered fee suffices for that long (go-ethereum). */
const BASE_FEE_FACTOR = 2n

/**
 * As in go-ethereum: a call with a gas price becomes a legacy transaction; without any price it gets the fees of EIP-1559 if
 * the chain has them.
 */
const typeOf = (call: CallParameters, { nextBaseFeePerGas }: PoolHead): TransactionType => {
  if (call.authorizationList !== undefined) return 4
  if (call.blobVersionedHashes !== undefined) return 3
  if (call.gasPrice === undefined && nextBaseFeePerGas !== undefined) return 2
  return call.accessList.length > 0 ? 1 : 0
}

type Fees = Pick<UnsignedTransaction, 'maxFeePerGas' | 'maxPriorityFeePerGas'>

const feesOf = async (
  context: RpcContext,
  call: CallParameters,
  head: PoolHead,
  type: TransactionType,
): Promise<Fees> => {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = call
  const hasFees = maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined
  if (type < 2) {
    if (hasFees) return invalidCall('maxFeePerGas and maxPriorityFeePerGas exclude gasPrice')
    const price = gasPrice ?? (await context.gasPrice.gasPrice())
    return { maxFeePerGas: price, maxPriorityFeePerGas: price }
  }
  if (gasPrice !== undefined) return invalidCall('gasPrice: a transaction of this type has none')
  const suggested = maxPriorityFeePerGas ?? (await context.gasPrice.priorityFee())
  const max = maxFeePerGas ?? suggested + BASE_FEE_FACTOR * (head.nextBaseFeePerGas ?? 0n)
  if (maxPriorityFeePerGas !== undefined && maxPriorityFeePerGas > max)
    throw new RpcError('PRIORITY_FEE_ABOVE_MAX_FEE')
  return { maxFeePerGas: max, maxPriorityFeePerGas: minBigint(suggested, max) }
}

const blobFeeOf = ({ chain }: RpcContext, call: CallParameters, { rules }: PoolHead): bigint => {
  if (call.blobVersionedHashes === undefined) return 0n
  if (call.maxFeePerBlobGas !== undefined) return call.maxFeePerBlobGas
  const excess = rules.blob === undefined ? 0n : excessBlobGasAfter(rules, rules.blob, chain.head().header)
  return BASE_FEE_FACTOR * maxBigint(1n, blobBaseFeeAt(chain.configuration, rules, excess) ?? 0n)
}

const nonceOf = async ({ chain, pool }: RpcContext, call: CallParameters): Promise<bigint> => {
  if (call.nonce !== undefined) return call.nonce
  const pooled = pool.nextNonce(call.from)
  if (pooled !== undefined) return pooled
  const { store } = chain
  const state = store.stateAt(chain.head().header.number)
  return await store.run(() => state.account(call.from)?.nonce ?? 0n)
}

/**
 * An estimate executes code, so it is dispatched like eth_estimateGas. Not on a development chain, whose call workers start
 * again after each edit of the state, and have no log for what the code prints.
 */
const gasOf = async (call: CallParameters, request: Call, context: RpcContext): Promise<bigint> => {
  if (call.gas !== undefined) return call.gas
  const estimate = { ...request, params: [request.params[0]] }
  if (context.development !== undefined) {
    const own = await estimateGas(estimate, withRunsBounded(context))
    return required(integerOf(own), 'INTERNAL_ERROR')
  }
  const outcome = await context.callWorkers?.run('eth_estimateGas', estimate)
  if (outcome !== undefined && 'error' in outcome) throw new WorkerRefusal(outcome.error)
  const gas = outcome === undefined ? await estimateGas(estimate, context) : valueOf(outcome)
  return required(integerOf(gas), 'INTERNAL_ERROR')
}

const checkForm = (call: CallParameters, chainId: bigint): void => {
  if (call.chainId !== undefined && call.chainId !== chainId) throw wrongChainId(call.chainId, chainId)
  if (call.blobVersionedHashes?.length === 0) throw new RpcError('INVALID_BLOB_COUNT')
  if (call.to !== undefined) return
  if (call.blobVersionedHashes !== undefined || call.authorizationList !== undefined)
    return invalidCall('to is missing: a transaction of this type cannot create a contract')
  if (call.data.length === 0) return invalidCall('input is missing: creating a contract needs code')
}

/** The call with nonce, gas, fees, chain id and type filled in, and its sender. @throws RpcError */
export const fillCall = async (
  request: Call,
  context: RpcContext,
): Promise<{ readonly transaction: UnsignedTransaction; readonly from: Address }> => {
  const call = readCall(given(request.params, 0))
  const { chainId } = context.chain.configuration
  checkForm(call, chainId)
  const head = nextHeadOf(context)
  const type = typeOf(call, head)
  const transaction: UnsignedTransaction = {
    type,
    chainId,
    nonce: await nonceOf(context, call),
    ...(await feesOf(context, call, head, type)),
    gasLimit: await gasOf(call, request, context),
    to: call.to,
    value: call.value,
    data: call.data,
    accessList: call.accessList,
    maxFeePerBlobGas: blobFeeOf(context, call, head),
    blobVersionedHashes: call.blobVersionedHashes ?? [],
    authorizationList: call.authorizationList ?? [],
  }
  return { transaction, from: call.from }
}

/**
 * eth_fillTransaction (go-ethereum, execution-apis): the filled transaction, ready for signing, and its encoding without a
 * signature.
 */
export const fillTransaction = async (request: Call, context: RpcContext): Promise<unknown> => {
  const { transaction, from } = await fillCall(request, context)
  const raw = unsignedEncoding(transaction)
  return { raw: toHex(raw), tx: unsignedTransactionShape(transaction, from, raw) }
}
