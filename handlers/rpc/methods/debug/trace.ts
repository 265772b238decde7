import { type Method, method } from '../../method.ts'
import {
  traceBlockByHash,
  traceBlockByNumber,
  traceCall,
  traceRlp,
  traceTransaction,
} from '../../tracing/debugTraces.ts'

/** Traces of transactions, made by executing them again, with geth's tracers. */
export const DEBUG_TRACE_METHODS: readonly Method[] = [
  method({
    name: 'debug_traceTransaction',
    summary: 'Traces a mined transaction',
    params: { transactionHash: 'Hash', 'options?': 'TraceOptions' },
    result: 'Trace',
    offload: 'always',
    handle: traceTransaction,
  }),
  method({
    name: 'debug_traceCall',
    summary: 'Traces a call',
    params: { call: 'Call', 'block?': 'BlockNumberOrTagOrHash', 'options?': 'TraceOptions' },
    result: 'Trace',
    offload: 'always',
    handle: traceCall,
  }),
  method({
    name: 'debug_traceBlock',
    summary: 'Traces the transactions of a block given as RLP',
    params: { block: 'BlockRlp', 'options?': 'TraceOptions' },
    result: 'Objects',
    offload: 'always',
    handle: traceRlp,
  }),
  method({
    name: 'debug_traceBlockByNumber',
    summary: 'Traces the transactions of a block',
    params: { block: 'BlockNumberOrTag', 'options?': 'TraceOptions' },
    result: 'Objects',
    offload: 'always',
    handle: traceBlockByNumber,
  }),
  method({
    name: 'debug_traceBlockByHash',
    summary: 'Traces the transactions of a block',
    params: { blockHash: 'Hash', 'options?': 'TraceOptions' },
    result: 'Objects',
    offload: 'always',
    handle: traceBlockByHash,
  }),
]
