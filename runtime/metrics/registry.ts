import type * as PromClient from 'prom-client'
import type { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { MetricCategory } from '../cli/metricCategories.ts'
import { METRICS, type MetricKind, type MetricRow } from './table.ts'

export type Labels = Readonly<Record<string, string>>

/** One value of a summary, as a registry writes it. */
export type SummaryValue = {
  readonly labels: Readonly<Record<string, string | number>>
  readonly metricName?: string
  readonly value: number
}

/** Sets metrics by their names in the table. Metrics of categories that are off are ignored. */
export type Meters = {
  /** Whether metrics of the category are kept: work that only feeds them may be left out. */
  has(category: MetricCategory): boolean
  inc(name: string, labels?: Labels, by?: number): void
  /** Sets a counter whose total is counted elsewhere. */
  total(name: string, value: number, labels?: Labels): void
  set(name: string, value: number, labels?: Labels): void
  observe(name: string, seconds: number, labels?: Labels): void
  /** Removes the label sets of a metric for which `keeps` is false. */
  prune(name: string, keeps: (labels: Labels) => boolean): Promise<void>
  /** The summary's values are computed when they are read. */
  summary(name: string, values: () => readonly SummaryValue[]): void
  /** Called before each scrape. */
  onCollect(collect: () => void | Promise<void>): void
}

export type MetricFormat = 'text' | 'openmetrics'

/** The values of one metric. */
export type MetricValues = {
  readonly name: string
  readonly kind: MetricKind
  readonly help: string
  /** Those of a histogram and a summary as in the exposition: `metricName` ends with _bucket, _sum or _count. */
  readonly values: readonly SummaryValue[]
}

export type MetricsRegistry = Meters & {
  /** The current values of all metrics. */
  read(): Promise<readonly MetricValues[]>
  /** The exposition of all metrics, or of those with one of these names. */
  render(
    format: MetricFormat,
    names?: readonly string[],
  ): Promise<{ readonly type: string; readonly text: string }>
}

type Metrics = { readonly counter: Counter; readonly gauge: Gauge; readonly histogram: Histogram }
type Kind = keyof Metrics
type Instrument = { readonly [K in Kind]: { readonly kind: K; readonly metric: Metrics[K] } }[Kind]

type Client = typeof PromClient

/** The name that a sample is part of: `a_count` of the summary `a`. */
const baseOf = (name: string): string => name.replace(/_(?:count|sum|bucket)$/, '')

/** An error in this program: code uses a metric that the table does not have, or as another kind. */
class UnknownMetric extends Error {
  override readonly name = 'UnknownMetric'
  readonly code = 'UNKNOWN_METRIC'
}

const createInstrument = (client: Client, registry: Registry, name: string, row: MetricRow): Instrument => {
  const configuration = { name, help: row.help, labelNames: [...row.labels], registers: [registry] }
  switch (row.kind) {
    case 'counter':
      return { kind: 'counter', metric: new client.Counter(configuration) }
    case 'gauge':
      return { kind: 'gauge', metric: new client.Gauge(configuration) }
    default:
      return {
        kind: 'histogram',
        metric: new client.Histogram({ ...configuration, buckets: [...(row.buckets ?? [])] }),
      }
  }
}

type Summaries = ReadonlyMap<string, () => readonly SummaryValue[]>

const valuesOf = async (
  instruments: ReadonlyMap<string, Instrument>,
  summaries: Summaries,
): Promise<readonly MetricValues[]> => {
  const all: MetricValues[] = []
  const add = (name: string, values: readonly SummaryValue[]): void => {
    const { kind, help } = METRICS[name] as MetricRow
    all.push({ name, kind, help, values })
  }
  for (const [name, { metric }] of instruments)
    add(name, (await metric.get()).values as readonly SummaryValue[])
  for (const [name, values] of summaries) add(name, values())
  return all
}

const summaryText = (name: string, values: readonly SummaryValue[]): string => {
  const lines = values.map(({ labels, metricName, value }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`)
    return `${metricName ?? name}{${pairs.join(',')}} ${value}`
  })
  return [`# HELP ${name} ${METRICS[name]?.help ?? ''}`, `# TYPE ${name} summary`, ...lines].join('\n')
}

/** OpenMetrics names a counter without the suffix of its samples. */
const asOpenMetrics = (text: string): string => text.replaceAll(/^(# (?:HELP|TYPE) \w+)_total /gm, '$1 ')

/**
 * A registry of prom-client, the library of the Prometheus project for JavaScript: half of OpenTelemetry's time to load and a
 * tenth of its size. It is loaded only where metrics are on. Its summaries take 3 to 6 µs for each value, so that the
 * values of summaries are kept by rpcMetrics.ts.
 */
export const createRegistry = async (categories: readonly MetricCategory[]): Promise<MetricsRegistry> => {
  const client = await loadClient()
  const registry = new client.Registry()
  const enabled = new Set(categories)
  const instruments = new Map<string, Instrument>()
  const summaries = new Map<string, () => readonly SummaryValue[]>()
  const collectors: (() => void | Promise<void>)[] = []
  /** Scrapes run one after the other, so that collectors need not expect each other. */
  let rendering: Promise<unknown> = Promise.resolve()

  for (const [name, row] of Object.entries(METRICS))
    if (enabled.has(row.category) && row.kind !== 'summary')
      instruments.set(name, createInstrument(client, registry, name, row))

  const find = <K extends Kind>(name: string, kind: K): Metrics[K] | undefined => {
    const row = METRICS[name]
    if (row?.kind !== kind) throw new UnknownMetric(`${name} is not a ${kind} of the table of metrics`)
    return instruments.get(name)?.metric as Metrics[K] | undefined
  }

  const collect = async (): Promise<void> => {
    for (const run of collectors) await run()
  }

  const renderOnce = async (format: MetricFormat, names: readonly string[] | undefined) => {
    await collect()
    const wanted = names === undefined ? undefined : new Set(names.flatMap(name => [name, baseOf(name)]))
    const isWanted = (name: string): boolean => wanted === undefined || wanted.has(name)
    const parts: string[] = []
    for (const name of instruments.keys())
      if (isWanted(name)) parts.push((await registry.getSingleMetricAsString(name)).trim())
    for (const [name, values] of summaries) if (isWanted(name)) parts.push(summaryText(name, values()))
    const text = parts.map(part => `${part}\n`).join('')
    return format === 'text'
      ? { type: client.Registry.PROMETHEUS_CONTENT_TYPE, text }
      : { type: client.Registry.OPENMETRICS_CONTENT_TYPE, text: `${asOpenMetrics(text)}# EOF\n` }
  }

  /** Runs after the reads under way. */
  const inTurn = <T>(read: () => Promise<T>): Promise<T> => {
    const next = rendering.then(read)
    rendering = next.catch(() => undefined)
    return next
  }

  return {
    has: category => enabled.has(category),
    inc: (name, labels = {}, by = 1) => find(name, 'counter')?.inc(labels, by),
    total: (name, value, labels = {}) => {
      const metric = find(name, 'counter')
      metric?.remove(labels)
      metric?.inc(labels, value)
    },
    set: (name, value, labels = {}) => find(name, 'gauge')?.set(labels, value),
    observe: (name, seconds, labels = {}) => find(name, 'histogram')?.observe(labels, seconds),
    prune: async (name, keeps) => {
      const metric = instruments.get(name)?.metric
      if (metric === undefined) return
      for (const { labels } of (await metric.get()).values)
        if (!keeps(labels as Labels)) metric.remove(labels as Labels)
    },
    summary: (name, values) => {
      const row = METRICS[name]
      if (row?.kind !== 'summary') throw new UnknownMetric(`${name} is not a summary of the table of metrics`)
      if (enabled.has(row.category)) summaries.set(name, values)
    },
    onCollect: run => void collectors.push(run),
    render: (format, names) => inTurn(() => renderOnce(format, names)),
    read: () => inTurn(() => collect().then(() => valuesOf(instruments, summaries))),
  }
}

const loadClient = async (): Promise<Client> => {
  const loaded = await import('prom-client')
  return loaded.default ?? loaded
}
