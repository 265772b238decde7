import { recordOf } from '../blocks/blockWithReceipts.ts'
import type { RpcContext } from '../context.ts'
import { RpcError } from '../errors.ts'
import { createJsonArray } from '../json/jsonPieces.ts'
import { type Call, type Method, method } from '../method.ts'
import {
  type BlockSelector,
  LATEST,
  readSelector,
  requireNumberSelector,
  settled,
} from '../parameters/block.ts'
import { given, hashOf, integerOf, required, requireCount } from '../parameters/values.ts'
import { decodeSigned } from '../pool/sendRawTransaction.ts'
import { simulationBlock } from '../simulation/block.ts'
import { type CallParameters, readCall } from '../simulation/callParameters.ts'
import { budgetOf } from '../tracing/budget.ts'
import { blockTraces, transactionTraces } from '../tracing/parity/blockTraces.ts'
import { filterTraces, readTraceFilter } from '../tracing/parity/filter.ts'
import { readTraceTypes, tracesOf } from '../tracing/parity/traceTypes.ts'
import { replayBlock } from '../tracing/replay.ts'
import { openSession, type Session } from '../tracing/session.ts'
import { traceCallIn } from '../tracing/tracedCall.ts'
import { findMined } from '../blocks/mined.ts'

/** Maximum number of calls of one trace_callMany: each may use the gas of a block. */
const TRACE_CALLS_MAX = 100

/** Maximum length of a trace address: the maximum call depth. */
const TRACE_ADDRESS_MAX = 1025

const traceBlock = async (call: Call, context: RpcContext): Promise<unknown> => {
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

/** As in Besu, an unknown transaction has no traces. The index does not tell a removed one from it. @throws RpcError */
const traceTransaction = async (call: Call, context: RpcContext): Promise<unknown> => {
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

const traceGet = async (call: Call, context: RpcContext): Promise<unknown> => {
  requireCount(call.params, 2)
  const address = readTraceAddress(given(call.params, 1))
  const traces = (await tracesOfTransaction(call, context)) as readonly { traceAddress: number[] }[] | null
  return traces?.find(({ traceAddress }) => traceAddress.join() === address) ?? null
}

const replayBlockTransactions = async (call: Call, context: RpcContext): Promise<unknown> => {
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

const replayTransaction = async (call: Call, context: RpcContext): Promise<unknown> => {
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

const traceCall = async (call: Call, context: RpcContext): Promise<unknown> => {
  const message = readCall(given(call.params, 0))
  const types = readTraceTypes(given(call.params, 1))
  const session = await sessionAt(context, readSelector(call.params, 2) ?? LATEST)
  return await traceCallIn(context, session, message, tracesOf(types), budgetOf(call, context))
}

const traceCallMany = async (call: Call, context: RpcContext): Promise<unknown> => {
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

const traceRawTransaction = async (call: Call, context: RpcContext): Promise<unknown> => {
  requireCount(call.params, 2)
  const types = readTraceTypes(given(call.params, 1))
  const message = await callOfRaw(context, given(call.params, 0))
  const session = await sessionAt(context, LATEST)
  return await traceCallIn(context, session, message, tracesOf(types), budgetOf(call, context))
}

/** OpenEthereum's trace methods, as in Besu. */
export const TRACE_METHODS: readonly Method[] = [
  method({
    name: 'trace_block',
    summary: 'Returns the call traces of a block',
    params: { block: 'BlockNumberOrTag' },
    result: 'Objects',
    offload: 'always',
    handle: traceBlock,
  }),
  method({
    name: 'trace_transaction',
    summary: 'Returns the call traces of a transaction',
    params: { transactionHash: 'Hash' },
    result: 'Objects',
    offload: 'always',
    handle: traceTransaction,
  }),
  method({
    name: 'trace_get',
    summary: 'Returns one call trace of a transaction',
    params: { transactionHash: 'Hash', traceAddress: 'TraceAddress' },
    result: 'Object',
    offload: 'always',
    handle: traceGet,
  }),
  method({
    name: 'trace_filter',
    summary: 'Returns the call traces in a range of blocks that match a filter',
    params: { filter: 'TraceFilter' },
    result: 'Objects',
    offload: 'always',
    handle: (call, context) =>
      filterTraces(context, readTraceFilter(given(call.params, 0)), budgetOf(call, context)),
  }),
  method({
    name: 'trace_replayBlockTransactions',
    summary: 'Replays the transactions of a block and returns their traces',
    params: { block: 'BlockNumberOrTag', traceTypes: 'TraceTypes' },
    result: 'Objects',
    offload: 'always',
    handle: replayBlockTransactions,
  }),
  method({
    name: 'trace_replayTransaction',
    summary: 'Replays a transaction and returns its traces',
    params: { transactionHash: 'Hash', traceTypes: 'TraceTypes' },
    result: 'Object',
    offload: 'always',
    handle: replayTransaction,
  }),
  method({
    name: 'trace_call',
    summary: 'Traces a call',
    params: { call: 'Call', traceTypes: 'TraceTypes', 'block?': 'BlockNumberOrTagOrHash' },
    result: 'Object',
    offload: 'always',
    handle: traceCall,
  }),
  method({
    name: 'trace_callMany',
    summary: 'Traces calls that run one after the other',
    params: { calls: 'CallsWithTypes', block: 'BlockNumberOrTagOrHash' },
    result: 'Objects',
    offload: 'always',
    handle: traceCallMany,
  }),
  method({
    name: 'trace_rawTransaction',
    summary: 'Traces a signed transaction without sending it',
    params: { transaction: 'SignedTransaction', traceTypes: 'TraceTypes' },
    result: 'Object',
    offload: 'always',
    handle: traceRawTransaction,
  }),
]
