import { METRICS_PORT } from '../ports.ts'
import { EMPTY_CATEGORIES, METRIC_CATEGORIES } from '../metricCategories.ts'
import {
  booleanOption,
  customOption,
  integerOption,
  InvalidValue,
  listOption,
  type OptionTable,
  textOption,
} from '../option.ts'

const METRICS = 'Metrics'

const KNOWN: readonly string[] = [...METRIC_CATEGORIES, ...EMPTY_CATEGORIES]

const checkCategories = (entries: readonly string[]): readonly string[] => {
  const categories = entries.map(entry => entry.toUpperCase())
  const unknown = categories.filter(category => !KNOWN.includes(category))
  if (unknown.length > 0)
    throw new InvalidValue(
      `: invalid entries found [${unknown.join(', ')}], the categories are ${METRIC_CATEGORIES.join(', ')}`,
    )
  return [...new Set(categories)]
}

const PROTOCOLS = ['PROMETHEUS', 'OPENTELEMETRY', 'NONE'] as const

type MetricsProtocol = (typeof PROTOCOLS)[number]

const parseProtocol = (text: string): MetricsProtocol => {
  const protocol = PROTOCOLS.find(known => known === text.toUpperCase())
  if (protocol !== undefined) return protocol
  throw new InvalidValue(`: expected PROMETHEUS, OPENTELEMETRY or NONE but was '${text}'`)
}

/** Metrics, and the endpoint at which Prometheus reads them. */
export const METRICS_OPTIONS = {
  metricsEnabled: booleanOption({
    name: 'metrics-enabled',
    group: METRICS,
    fallback: false,
    description: 'Serve metrics at /metrics for Prometheus',
  }),
  metricsProtocol: customOption<MetricsProtocol>({
    name: 'metrics-protocol',
    group: METRICS,
    fallback: 'PROMETHEUS',
    placeholder: '<PROTOCOL>',
    parse: parseProtocol,
    description:
      'PROMETHEUS, text or OpenMetrics as the client asks; OPENTELEMETRY, metrics and traces over OTLP/HTTP to OTEL_EXPORTER_OTLP_ENDPOINT; NONE keeps no metrics',
  }),
  metricsHost: textOption({
    name: 'metrics-host',
    group: METRICS,
    fallback: '127.0.0.1',
    placeholder: '<HOST>',
    description: 'Address to listen on',
  }),
  metricsPort: integerOption({
    name: 'metrics-port',
    group: METRICS,
    fallback: METRICS_PORT,
    min: 0,
    max: 65_535,
    placeholder: '<PORT>',
    description: 'Port to listen on; 0 takes a free one, named in the ports file',
  }),
  metricsCategories: listOption({
    name: 'metrics-category',
    aliases: ['metrics-categories'],
    group: METRICS,
    fallback: METRIC_CATEGORIES,
    shownDefault: 'all',
    check: checkCategories,
    description: `Categories to keep: ${METRIC_CATEGORIES.join(', ')}; those of Besu alone are empty`,
  }),
  metricsPushEnabled: booleanOption({
    name: 'metrics-push-enabled',
    group: METRICS,
    fallback: false,
    description: 'Push metrics to a Prometheus Pushgateway instead',
  }),
  metricsPushHost: textOption({
    name: 'metrics-push-host',
    group: METRICS,
    fallback: '127.0.0.1',
    placeholder: '<HOST>',
    description: 'Host of the Pushgateway',
  }),
  metricsPushPort: integerOption({
    name: 'metrics-push-port',
    group: METRICS,
    fallback: 9001,
    min: 1,
    max: 65_535,
    placeholder: '<PORT>',
    description: 'Port of the Pushgateway',
  }),
  metricsPushInterval: integerOption({
    name: 'metrics-push-interval',
    group: METRICS,
    fallback: 15,
    min: 1,
    max: 86_400,
    placeholder: '<SECONDS>',
    description: 'Interval between pushes',
  }),
  metricsPushPrometheusJob: textOption({
    name: 'metrics-push-prometheus-job',
    group: METRICS,
    fallback: 'besu-client',
    placeholder: '<JOB>',
    description: 'Job name of the pushed metrics',
  }),
} satisfies OptionTable
