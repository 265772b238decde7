import { recordOf } from '../../blocks/blockWithReceipts.ts'
import type { RpcContext } from '../../context.ts'
import { RpcError } from '../../errors.ts'
import { createJsonArray } from '../../json/jsonPieces.ts'
import type { Call } from '../../method.ts'
import {
  type BlockSelector,
  LATEST,
  readSelector,
  requireNumberSelector,
  settled,
} from '../../parameters/block.ts'
import { given, hashOf, integerOf, required, requireCount } from '../../parameters/values.ts'
import { decodeSigned } from '../../pool/sendRawTransaction.ts'
import { simulationBlock } from '../../simulation/block.ts'
import { type CallParameters, readCall } from '../../simulation/callParameters.ts'
import { budgetOf } from '../budget.ts'
import { blockTraces, transactionTraces } from './blockTraces.ts'
import { filterTraces, readTraceFilter } from './filter.ts'
import { readTraceTypes, tracesOf } from './traceTypes.ts'
import { replayBlock } from '../replay.ts'
import { openSession, type Session } from '../session.ts'
import { traceCallIn } from '../tracedCall.ts'
import { findMined } from '../../blocks/mined.ts'

/** Maximum number of calls of one trace_callMany: each may use the gas of a block. */
const TRACE_CALLS_MAX = 100

/** Maximum length of a trace address: the maximum call depth. */
const TRACE_ADDRESS_MAX = 1025

/** `trace_block`. @throws RpcError */
export const traceBlock = async (call: Call, context: RpcContext): Promise<unknown> => {
  const record = await recordOf(context, requireNumberSelector(call.params, 0, 'INVALID_BLOCK'))
  if (record === undefined) return null
  const traces = createJsonArray(context.keep)
  await blockTraces(context, record, budgetOf(call, context), ({ json }) => traces.add(JSON.stringify(json)))
  return traces.finish()
}

/** The traces of the transaction in the first parameter; null where there is none. */
const tracesOfTransaction = async (call: Call, context: RpcContext): Promise<readonly unknown[] | null> => {
  const hash = required(hashOf(given(call.params, 0)), 'INVALID_TRANSACTION_HASH')
  const mined = await findMined(context, hash)
  if (mined === undefined) return null
  const traces = await transactionTraces(context, mined.record, mined.index, budgetOf(call, context))
  return traces.map(({ json }) => json)
}

/** `trace_transaction`. As in Besu, an unknown transaction has no traces. The index does not tell a removed one from it. @throws RpcError */
export const traceTransaction = async (call: Call, context: RpcContext): Promise<unknown> => {
  const traces = await tracesOfTransaction(call, context)
  if (traces !== null) return traces
  const start = context.chain.store.historyStart?.()
  if (start === undefined) return []
  throw new RpcError('PRUNED_HISTORY', {
    data: `the transaction is unknown, or in a block that was removed: this node keeps its history from block ${start} on (--prune-history)`,
  })
}

/** `["0x0", "0x2"]` is the third call in the first call of a transaction. @throws RpcError */
const readTraceAddress = (value: unknown): string => {
  if (!Array.isArray(value) || value.length > TRACE_ADDRESS_MAX) throw new RpcError('INVALID_TRACE_NUMBERS')
  return value.map(number => required(integerOf(number, 32), 'INVALID_TRACE_NUMBERS')).join()
}

/** `trace_get`. @throws RpcError */
export const traceGet = async (call: Call, context: RpcContext): Promise<unknown> => {
  requireCount(call.params, 2)
  const address = readTraceAddress(given(call.params, 1))
  const traces = (await tracesOfTransaction(call, context)) as readonly { traceAddress: number[] }[] | null
  return traces?.find(({ traceAddress }) => traceAddress.join() === address) ?? null
}

/** `trace_replayBlockTransactions`. @throws RpcError */
export const replayBlockTransactions = async (call: Call, context: RpcContext): Promise<unknown> => {
  const selector = requireNumberSelector(call.params, 0, 'INVALID_BLOCK')
  const types = readTraceTypes(given(call.params, 1))
  const record = await recordOf(context, selector)
  if (record === undefined) return null
  if (record.block.header.number === 0n) return []
  const traces = createJsonArray(context.keep)
  const take = (trace: unknown): void => traces.add(JSON.stringify(trace))
  await replayBlock(context, record, tracesOf(types), budgetOf(call, context), undefined, take)
  return traces.finish()
}

/** `trace_replayTransaction`. @throws RpcError */
export const replayTransaction = async (call: Call, context: RpcContext): Promise<unknown> => {
  const hash = required(hashOf(given(call.params, 0)), 'INVALID_TRANSACTION_HASH')
  const types = readTraceTypes(given(call.params, 1))
  const mined = await findMined(context, hash)
  if (mined === undefined) return null
  let traced: unknown
  const take = (trace: unknown): void => {
    traced = trace
  }
  await replayBlock(context, mined.record, tracesOf(types), budgetOf(call, context), mined.index, take)
  return traced
}

const sessionAt = async (context: RpcContext, selector: BlockSelector): Promise<Session> =>
  openSession(context, required(await simulationBlock(context, settled(selector)), 'BLOCK_NOT_FOUND'))

/** `trace_call`. @throws RpcError */
export const traceCall = async (call: Call, context: RpcContext): Promise<unknown> => {
  const message = readCall(given(call.params, 0))
  const types = readTraceTypes(given(call.params, 1))
  const session = await sessionAt(context, readSelector(call.params, 2) ?? LATEST)
  return await traceCallIn(context, session, message, tracesOf(types), budgetOf(call, context))
}

/** `trace_callMany`. @throws RpcError */
export const traceCallMany = async (call: Call, context: RpcContext): Promise<unknown> => {
  requireCount(call.params, 2)
  const pairs = given(call.params, 0)
  if (!Array.isArray(pairs) || pairs.length > TRACE_CALLS_MAX)
    throw new RpcError('INVALID_TRACE_CALL_MANY', {
      detail: `at most ${TRACE_CALLS_MAX} calls`,
    })
  const calls = pairs.map(pair => {
    if (!Array.isArray(pair))
      throw new RpcError('INVALID_TRACE_CALL_MANY', {
        detail: 'each element must be a pair of a call and its trace types',
      })
    return { message: readCall(given(pair, 0)), types: readTraceTypes(given(pair, 1)) }
  })
  const session = await sessionAt(context, readSelector(call.params, 1) ?? LATEST)
  const budget = budgetOf(call, context)
  const yieldTurn = context.scheduler.createYield()
  const traces = createJsonArray(context.keep)
  for (const { message, types } of calls) {
    await yieldTurn()
    budget.checkTime()
    traces.add(JSON.stringify(await traceCallIn(context, session, message, tracesOf(types), budget)))
  }
  return traces.finish()
}

/** The call of a signed transaction at the head, whatever its nonce. @throws RpcError */
const callOfRaw = async (context: RpcContext, value: unknown): Promise<CallParameters> => {
  const { transaction } = decodeSigned(value)
  const [from] = await context.recoverSenders([transaction])
  const { chainId, to, value: wei, data, gasLimit, accessList } = transaction
  const { maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas } = transaction
  return {
    chainId,
    from: required(from, 'INVALID_SIGNATURE'),
    to,
    gas: gasLimit,
    gasPrice: undefined,
    maxFeePerGas,
    maxPriorityFeePerGas,
    maxFeePerBlobGas,
    value: wei,
    data,
    accessList,
    blobVersionedHashes: transaction.type === 3 ? transaction.blobVersionedHashes : undefined,
    authorizationList: transaction.authorizationList,
    nonce: undefined,
    strict: undefined,
  }
}

/** `trace_rawTransaction`. @throws RpcError */
export const traceRawTransaction = async (call: Call, context: RpcContext): Promise<unknown> => {
  requireCount(call.params, 2)
  const types = readTraceTypes(given(call.params, 1))
  const message = await callOfRaw(context, given(call.params, 0))
  const session = await sessionAt(context, LATEST)
  return await traceCallIn(context, session, message, tracesOf(types), budgetOf(call, context))
}

/** `trace_filter`. @throws RpcError */
export const traceFilter = (call: Call, context: RpcContext): Promise<unknown> =>
  filterTraces(context, readTraceFilter(given(call.params, 0)), budgetOf(call, context))
