import type { RpcContext } from '../rpc/context.ts'
import { liveness, NO_TROUBLES, readiness } from './health.ts'

/** The part of the node that probes report. */
export type ProbedNode = Pick<
  RpcContext,
  'network' | 'syncing' | 'differences' | 'healthProblems' | 'replicas'
>

/** Answers `GET /liveness` and `/readiness`; undefined for other requests. */
export type Probes = (request: Pick<Request, 'method' | 'url'>) => Response | undefined

/**
 * Probes are answered for every Host header: an orchestrator uses the address of the container. A malicious page that reaches
 * the node this way learns only whether the node is healthy.
 */
export const createProbes =
  (node: ProbedNode): Probes =>
  ({ method, url }) => {
    if (method !== 'GET' && method !== 'HEAD') return undefined
    const parsed = URL.parse(url)
    if (parsed === null) return undefined
    const { pathname, searchParams } = parsed
    const healthProblems = node.healthProblems?.() ?? NO_TROUBLES
    switch (pathname) {
      case '/liveness':
        return liveness(healthProblems)
      case '/readiness':
        return readiness(name => searchParams.get(name) ?? undefined, {
          peerCount: node.network?.peerCount(),
          syncing: node.syncing(),
          differences: node.differences(),
          healthProblems,
          replicas: node.replicas?.() ?? [],
        })
      default:
        return undefined
    }
  }
