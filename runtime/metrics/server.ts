import { createHostCheck } from '../../handlers/http/hosts.ts'
import type { Probes } from '../../handlers/http/probes.ts'
import type { Fetch } from '../serving/serve.ts'
import type { MetricFormat, MetricsRegistry } from './registry.ts'

/** Maximum concurrent scrapes; further ones are answered with 503. */
const SCRAPES_MAX = 8

/** Names that `name[]` may filter by. */
const NAMES_MAX = 256

const formatOf = (accept: string | null): MetricFormat =>
  accept?.includes('application/openmetrics-text') === true ? 'openmetrics' : 'text'

/**
 * One answer a connection: further requests of a client that sends many and reads nothing are dropped with the connection.
 * A scraper comes every few seconds, so a new connection costs it nothing.
 */
const ONE_ANSWER = { connection: 'close' } as const

const refuse = (status: number, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(null, { status, headers: { ...headers, ...ONE_ANSWER } })

/**
 * Answers `GET /metrics` in the format of Prometheus or of OpenMetrics, as the Accept header asks; `name[]` filters by name.
 * The host allowlist counts.
 * @param warn logs each refused host once
 * @param probes answers /liveness and /readiness, whatever host is asked for; undefined for other paths
 */
export const createMetricsApp = (
  registry: Pick<MetricsRegistry, 'render'>,
  hostAllowlist: readonly string[],
  probes: Probes,
  warn: (text: string) => void,
): Fetch => {
  const refusedHost = createHostCheck(hostAllowlist, warn)
  let scrapes = 0

  const scrape = async (request: Request, { searchParams }: URL): Promise<Response> => {
    if (scrapes >= SCRAPES_MAX) return refuse(503, { 'retry-after': '1' })
    const names = searchParams.getAll('name[]')
    if (names.length > NAMES_MAX) return refuse(400)
    scrapes++
    try {
      const format = formatOf(request.headers.get('accept'))
      const { type, text } = await registry.render(format, names.length === 0 ? undefined : names)
      return new Response(request.method === 'HEAD' ? null : text, {
        headers: { 'content-type': type, ...ONE_ANSWER },
      })
    } finally {
      scrapes--
    }
  }

  return async request => {
    const url = URL.parse(request.url)
    if (url === null) return refuse(400)
    const probed = probes(request)
    if (probed !== undefined) return probed
    const refused = refusedHost(request)
    if (refused !== undefined) return refused
    if (url.pathname !== '/metrics') return refuse(404)
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405, { allow: 'GET, HEAD' })
    return scrape(request, url)
  }
}
