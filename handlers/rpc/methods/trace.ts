import { type Method, method, onFirstCall } from '../method.ts'

const traces = () => import('../tracing/parity/methods.ts')

/** OpenEthereum's trace methods, as in Besu. */
export const TRACE_METHODS: readonly Method[] = [
  method({
    name: 'trace_block',
    summary: 'Returns the call traces of a block',
    params: { block: 'BlockNumberOrTag' },
    result: 'Objects',
    offload: 'always',
    handle: onFirstCall(async () => (await traces()).traceBlock),
  }),
  method({
    name: 'trace_transaction',
    summary: 'Returns the call traces of a transaction',
    params: { transactionHash: 'Hash' },
    result: 'Objects',
    offload: 'always',
    handle: onFirstCall(async () => (await traces()).traceTransaction),
  }),
  method({
    name: 'trace_get',
    summary: 'Returns one call trace of a transaction',
    params: { transactionHash: 'Hash', traceAddress: 'TraceAddress' },
    result: 'Object',
    offload: 'always',
    handle: onFirstCall(async () => (await traces()).traceGet),
  }),
  method({
    name: 'trace_filter',
    summary: 'Returns the call traces in a range of blocks that match a filter',
    params: { filter: 'TraceFilter' },
    result: 'Objects',
    offload: 'always',
    handle: onFirstCall(async () => (await traces()).traceFilter),
  }),
  method({
    name: 'trace_replayBlockTransactions',
    summary: 'Replays the transactions of a block and returns their traces',
    params: { block: 'BlockNumberOrTag', traceTypes: 'TraceTypes' },
    result: 'Objects',
    offload: 'always',
    handle: onFirstCall(async () => (await traces()).replayBlockTransactions),
  }),
  method({
    name: 'trace_replayTransaction',
    summary: 'Replays a transaction and returns its traces',
    params: { transactionHash: 'Hash', traceTypes: 'TraceTypes' },
    result: 'Object',
    offload: 'always',
    handle: onFirstCall(async () => (await traces()).replayTransaction),
  }),
  method({
    name: 'trace_call',
    summary: 'Traces a call',
    params: { call: 'Call', traceTypes: 'TraceTypes', 'block?': 'BlockNumberOrTagOrHash' },
    result: 'Object',
    offload: 'always',
    handle: onFirstCall(async () => (await traces()).traceCall),
  }),
  method({
    name: 'trace_callMany',
    summary: 'Traces calls that run one after the other',
    params: { calls: 'CallsWithTypes', block: 'BlockNumberOrTagOrHash' },
    result: 'Objects',
    offload: 'always',
    handle: onFirstCall(async () => (await traces()).traceCallMany),
  }),
  method({
    name: 'trace_rawTransaction',
    summary: 'Traces a signed transaction without sending it',
    params: { transaction: 'SignedTransaction', traceTypes: 'TraceTypes' },
    result: 'Object',
    offload: 'always',
    handle: onFirstCall(async () => (await traces()).traceRawTransaction),
  }),
]
