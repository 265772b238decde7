import type { MetricValues, SummaryValue } from '../registry.ts'
import type { Span } from './spans.ts'

/**
 * OTLP in its JSON form: 64-bit integers are decimal strings, ids are hex, enums are numbers.
 * Source: OpenTelemetry Protocol 1.x, "JSON Protobuf Encoding", and opentelemetry-proto.
 */
type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

export type Resource = Readonly<Record<string, string>>

/** Values of the enums. */
const CUMULATIVE = 2
const KINDS = { internal: 1, server: 2 } as const
const STATUS_ERROR = 2

const SCOPE = { name: 'quorate' }

const nano = (ms: number): string => `${BigInt(Math.round(ms * 1000)) * 1000n}`

const attributesOf = (attributes: Readonly<Record<string, string | number>>): Json =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { doubleValue: value } : { stringValue: value },
  }))

const resourceOf = (resource: Resource): Json => ({ attributes: attributesOf(resource) })

/** The span in OTLP. */
const spanJson = (span: Span): Json => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId }),
  name: span.name,
  kind: KINDS[span.kind],
  startTimeUnixNano: nano(span.startMs),
  endTimeUnixNano: nano(Math.max(span.startMs, span.endMs)),
  attributes: attributesOf(span.attributes),
  ...(span.error === undefined ? {} : { status: { code: STATUS_ERROR, message: span.error } }),
})

export const tracesJson = (resource: Resource, spans: readonly Span[]): Json => ({
  resourceSpans: [
    { resource: resourceOf(resource), scopeSpans: [{ scope: SCOPE, spans: spans.map(spanJson) }] },
  ],
})

type Times = { readonly startTimeUnixNano: string; readonly timeUnixNano: string }

const labelsOf = ({ labels }: SummaryValue, without: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(labels).flatMap(([name, value]) => (name === without ? [] : [[name, String(value)]])),
  )

/** The values of each label set of a histogram or a summary. */
const grouped = (values: readonly SummaryValue[], part: 'le' | 'quantile') => {
  const groups = new Map<string, { labels: Readonly<Record<string, string>>; values: SummaryValue[] }>()
  for (const value of values) {
    const labels = labelsOf(value, part)
    const key = JSON.stringify(labels)
    const group = groups.get(key) ?? { labels, values: [] }
    groups.set(key, group)
    group.values.push(value)
  }
  return [...groups.values()]
}

const partOf = (values: readonly SummaryValue[], suffix: '_sum' | '_count'): number =>
  values.find(({ metricName }) => metricName?.endsWith(suffix))?.value ?? 0

const numberPoints = (values: readonly SummaryValue[], times: Partial<Times>): Json =>
  values.map(value => ({
    attributes: attributesOf(labelsOf(value, '')),
    ...times,
    asDouble: value.value,
  }))

/** Prometheus counts a value in all buckets above it, OTLP in one. */
const histogramPoints = (all: readonly SummaryValue[], times: Times): Json =>
  grouped(all, 'le').map(({ labels, values }) => {
    const buckets = values.filter(value => value.labels['le'] !== undefined)
    const bounds = buckets.map(value => Number(value.labels['le'])).filter(Number.isFinite)
    const count = partOf(values, '_count')
    const upTo = [...buckets.slice(0, bounds.length).map(({ value }) => value), count]
    return {
      attributes: attributesOf(labels),
      ...times,
      count: String(count),
      sum: partOf(values, '_sum'),
      bucketCounts: upTo.map((value, index) => String(value - (upTo[index - 1] ?? 0))),
      explicitBounds: bounds,
    }
  })

const summaryPoints = (all: readonly SummaryValue[], times: Times): Json =>
  grouped(all, 'quantile').map(({ labels, values }) => ({
    attributes: attributesOf(labels),
    ...times,
    count: String(partOf(values, '_count')),
    sum: partOf(values, '_sum'),
    quantileValues: values.flatMap(({ labels: { quantile }, value }) =>
      quantile === undefined ? [] : [{ quantile: Number(quantile), value }],
    ),
  }))

const dataOf = ({ kind, values }: MetricValues, times: Times): { readonly [key: string]: Json } => {
  switch (kind) {
    case 'gauge':
      return { gauge: { dataPoints: numberPoints(values, { timeUnixNano: times.timeUnixNano }) } }
    case 'counter':
      return {
        sum: {
          aggregationTemporality: CUMULATIVE,
          isMonotonic: true,
          dataPoints: numberPoints(values, times),
        },
      }
    case 'histogram':
      return {
        histogram: { aggregationTemporality: CUMULATIVE, dataPoints: histogramPoints(values, times) },
      }
    case 'summary':
      return { summary: { dataPoints: summaryPoints(values, times) } }
  }
}

/** @param startMs when counting began, milliseconds since 1970 */
export const metricsJson = (
  resource: Resource,
  metrics: readonly MetricValues[],
  { startMs, nowMs }: { readonly startMs: number; readonly nowMs: number },
): Json => {
  const times = { startTimeUnixNano: nano(startMs), timeUnixNano: nano(nowMs) }
  const filled = metrics.filter(({ values }) => values.length > 0)
  return {
    resourceMetrics: [
      {
        resource: resourceOf(resource),
        scopeMetrics: [
          {
            scope: SCOPE,
            metrics: filled.map(metric => ({
              name: metric.name,
              description: metric.help,
              ...dataOf(metric, times),
            })),
          },
        ],
      },
    ],
  }
}
