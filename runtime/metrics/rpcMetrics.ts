import type { RpcObserver } from '../../handlers/rpc/observer.ts'
import type { Meters, SummaryValue } from './registry.ts'

/** Besu's quantiles. */
const QUANTILES = [0.2, 0.5, 0.8, 0.95, 0.99, 1] as const

/** The most recent calls of a method, of which the quantiles are: 2 KB for each method that is called. */
const RECENT_MAX = 256

/** Types of eth_subscribe. */
const SUBSCRIPTIONS = ['newHeads', 'logs', 'newPendingTransactions', 'droppedPendingTransactions', 'syncing']

type MethodTimes = { count: number; sum: number; readonly recent: Float64Array }

const quantilesOf = (methodName: string, { count, sum, recent }: MethodTimes): readonly SummaryValue[] => {
  const sorted = recent.slice(0, Math.min(count, RECENT_MAX)).sort()
  const at = (quantile: number): number => sorted[Math.ceil(quantile * sorted.length) - 1] ?? 0
  const labels = { methodName }
  return [
    ...QUANTILES.map(quantile => ({ labels: { ...labels, quantile: `${quantile}` }, value: at(quantile) })),
    { metricName: 'besu_rpc_request_time_sum', labels, value: sum },
    { metricName: 'besu_rpc_request_time_count', labels, value: count },
  ]
}

export type RpcConnections = {
  /** Requests or connections over HTTP, of JSON-RPC. */
  readonly http: () => number
  readonly ws: () => number
}

/**
 * Counts and times JSON-RPC calls. A call costs two additions and one write: a registry's summary would take
 * longer than many calls do.
 */
export const createRpcMetrics = (meters: Meters, connections: RpcConnections): RpcObserver => {
  const times = new Map<string, MethodTimes>()
  meters.summary('besu_rpc_request_time', () =>
    [...times].flatMap(([method, ofMethod]) => quantilesOf(method, ofMethod)),
  )
  meters.onCollect(() => {
    meters.set('besu_rpc_active_http_connection_count', connections.http())
    meters.set('besu_rpc_active_ws_connection_count', connections.ws())
  })
  for (const type of SUBSCRIPTIONS) {
    meters.inc('besu_rpc_subscription_subscribe_total', { type }, 0)
    meters.inc('besu_rpc_subscription_unsubscribe_total', { type }, 0)
  }
  return {
    called: (method, milliseconds, errorType) => {
      let ofMethod = times.get(method)
      if (ofMethod === undefined) {
        ofMethod = { count: 0, sum: 0, recent: new Float64Array(RECENT_MAX) }
        times.set(method, ofMethod)
      }
      const seconds = milliseconds / 1000
      ofMethod.recent[ofMethod.count % RECENT_MAX] = seconds
      ofMethod.count++
      ofMethod.sum += seconds
      if (errorType !== undefined) meters.inc('besu_rpc_errors_count_total', { rpcMethod: method, errorType })
    },
    subscribed: type => meters.inc('besu_rpc_subscription_subscribe_total', { type }),
    unsubscribed: type => meters.inc('besu_rpc_subscription_unsubscribe_total', { type }),
  }
}
