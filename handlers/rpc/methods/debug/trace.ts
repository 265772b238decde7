import { type Method, method, onFirstCall } from '../../method.ts'

const traces = () => import('../../tracing/debugTraces.ts')

/** Traces of transactions, made by executing them again, with geth's tracers. */
export const DEBUG_TRACE_METHODS: readonly Method[] = [
  method({
    name: 'debug_traceTransaction',
    summary: 'Traces a mined transaction',
    params: { transactionHash: 'Hash', 'options?': 'TraceOptions' },
    result: 'Trace',
    offload: 'always',
    handle: onFirstCall(async () => (await traces()).traceTransaction),
  }),
  method({
    name: 'debug_traceCall',
    summary: 'Traces a call',
    params: { call: 'Call', 'block?': 'BlockNumberOrTagOrHash', 'options?': 'TraceOptions' },
    result: 'Trace',
    offload: 'always',
    handle: onFirstCall(async () => (await traces()).traceCall),
  }),
  method({
    name: 'debug_traceBlock',
    summary: 'Traces the transactions of a block given as RLP',
    params: { block: 'BlockRlp', 'options?': 'TraceOptions' },
    result: 'Objects',
    offload: 'always',
    handle: onFirstCall(async () => (await traces()).traceRlp),
  }),
  method({
    name: 'debug_traceBlockByNumber',
    summary: 'Traces the transactions of a block',
    params: { block: 'BlockNumberOrTag', 'options?': 'TraceOptions' },
    result: 'Objects',
    offload: 'always',
    handle: onFirstCall(async () => (await traces()).traceBlockByNumber),
  }),
  method({
    name: 'debug_traceBlockByHash',
    summary: 'Traces the transactions of a block',
    params: { blockHash: 'Hash', 'options?': 'TraceOptions' },
    result: 'Objects',
    offload: 'always',
    handle: onFirstCall(async () => (await traces()).traceBlockByHash),
  }),
]
