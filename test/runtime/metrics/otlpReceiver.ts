type Attribute = { key: string; value: { stringValue?: string; doubleValue?: number } }

export type ReceivedSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Attribute[]
  status?: { code: number; message: string }
}

type Point = {
  attributes: Attribute[]
  timeUnixNano: string
  asDouble?: number
  count?: string
  sum?: number
  bucketCounts?: string[]
  explicitBounds?: number[]
  quantileValues?: { quantile: number; value: number }[]
}

export type ReceivedMetric = {
  name: string
  gauge?: { dataPoints: Point[] }
  sum?: { dataPoints: Point[]; isMonotonic: boolean; aggregationTemporality: number }
  histogram?: { dataPoints: Point[]; aggregationTemporality: number }
  summary?: { dataPoints: Point[] }
}

type Scoped<Name extends string, T> = { scope: { name: string } } & Readonly<Record<Name, T[]>>
type Body = {
  resourceSpans?: { resource: { attributes: Attribute[] }; scopeSpans: Scoped<'spans', ReceivedSpan>[] }[]
  resourceMetrics?: {
    resource: { attributes: Attribute[] }
    scopeMetrics: Scoped<'metrics', ReceivedMetric>[]
  }[]
}

export type OtlpReceiver = {
  readonly url: string
  readonly spans: ReceivedSpan[]
  /** The last value of each metric. */
  readonly metrics: Map<string, ReceivedMetric>
  readonly resources: Attribute[][]
  readonly headers: Headers[]
  /** Status of the answers. */
  status: number
  stop(): Promise<void>
}

/** Receives OTLP/HTTP in its JSON form, as a Collector does. */
export const startOtlpReceiver = (): OtlpReceiver => {
  const spans: ReceivedSpan[] = []
  const metrics = new Map<string, ReceivedMetric>()
  const resources: Attribute[][] = []
  const headers: Headers[] = []
  const receive = (body: Body): void => {
    for (const { resource, scopeSpans } of body.resourceSpans ?? []) {
      resources.push(resource.attributes)
      for (const scoped of scopeSpans) spans.push(...scoped.spans)
    }
    for (const { resource, scopeMetrics } of body.resourceMetrics ?? []) {
      resources.push(resource.attributes)
      for (const scoped of scopeMetrics) for (const metric of scoped.metrics) metrics.set(metric.name, metric)
    }
  }
  const receiver: Omit<OtlpReceiver, 'url' | 'stop'> = { spans, metrics, resources, headers, status: 200 }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async request => {
      headers.push(request.headers)
      const { pathname } = new URL(request.url)
      if (!['/v1/traces', '/v1/metrics'].includes(pathname)) return new Response(null, { status: 404 })
      if (running.status === 200) receive((await request.json()) as Body)
      return Response.json({}, { status: running.status })
    },
  })
  const running: OtlpReceiver = Object.assign(receiver, {
    url: `http://127.0.0.1:${server.port}`,
    stop: () => server.stop(true),
  })
  return running
}
