import type { RpcObserver } from '../../../handlers/rpc/observer.ts'
import { newSpanId, newTraceId, type SpanQueue } from './spans.ts'

/** A trace of each JSON-RPC call. */
export const createRpcSpans = (queue: SpanQueue): RpcObserver => ({
  called: (method, milliseconds, errorType) => {
    const endMs = Date.now()
    queue.push({
      traceId: newTraceId(),
      spanId: newSpanId(),
      parentSpanId: undefined,
      name: method,
      kind: 'server',
      startMs: endMs - milliseconds,
      endMs,
      attributes: { 'rpc.system': 'jsonrpc', 'rpc.method': method },
      error: errorType,
    })
  },
  subscribed: () => undefined,
  unsubscribed: () => undefined,
})
