import type { RpcObserver } from '../../../handlers/rpc/observer.ts'
import { combineObservers } from '../../consensus/reports/observer.ts'
import type { NodeMetrics } from '../nodeMetrics.ts'
import { createBlockSpans } from './blockSpans.ts'
import { createRpcSpans } from './rpcSpans.ts'
import { createSpanQueue, type SpanQueue } from './spans.ts'

const combineRpc = (first: RpcObserver, second: RpcObserver): RpcObserver => ({
  called: (method, milliseconds, errorType) => {
    first.called(method, milliseconds, errorType)
    second.called(method, milliseconds, errorType)
  },
  subscribed: type => first.subscribed(type),
  unsubscribed: type => first.unsubscribed(type),
})

/** The metrics, whose observers also make a trace of each request and each block. */
export const withTraces = (metrics: NodeMetrics): { metrics: NodeMetrics; spans: SpanQueue } => {
  const spans = createSpanQueue()
  const blocks = createBlockSpans(spans)
  return {
    spans,
    metrics: {
      ...metrics,
      rpc: combineRpc(metrics.rpc, createRpcSpans(spans)),
      consensus: combineObservers([metrics.consensus, blocks.observer]),
      traceChain: chain => blocks.traceChain(chain),
    },
  }
}
