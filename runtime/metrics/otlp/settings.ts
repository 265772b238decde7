import { UsageError } from '../../cli/errors.ts'
import type { Environment } from '../../cli/sources/resolve.ts'
import { clientVersion } from '../../version.ts'

/** Interval between exports of metrics: the default of the OpenTelemetry specification. */
const METRICS_INTERVAL_MS = 60_000
/** Timeout of one export: the default of the specification. */
const TIMEOUT_MS = 10_000
/** Range of the interval and the timeout. */
const TIME_MS_MIN = 100
const TIME_MS_MAX = 3_600_000

/** Headers and resource attributes that are sent with each export. */
const PAIRS_MAX = 64

export type OtlpSettings = {
  /** Undefined where OTEL_METRICS_EXPORTER is none. */
  readonly metricsUrl: string | undefined
  /** Undefined where OTEL_TRACES_EXPORTER is none. */
  readonly tracesUrl: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly resource: Readonly<Record<string, string>>
  readonly metricsIntervalMs: number
  readonly timeoutMs: number
}

const refuse = (name: string, problem: string): UsageError =>
  new UsageError('INVALID_VALUE', `The environment variable ${name}: ${problem}`)

const urlOf = (name: string, text: string): string => {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw refuse(name, `'${text}' is not a URL of http or https, such as http://localhost:4318`)
  return url.href
}

/** The URL of a signal: its own variable as it is, or the path of the signal below the common one. */
const endpointOf = (environment: Environment, signal: 'metrics' | 'traces'): string | undefined => {
  const exporter = environment[`OTEL_${signal.toUpperCase()}_EXPORTER`] ?? 'otlp'
  if (exporter === 'none') return undefined
  if (exporter !== 'otlp')
    throw refuse(`OTEL_${signal.toUpperCase()}_EXPORTER`, `'${exporter}' is not supported, give otlp or none`)
  const own = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`
  if (environment[own]) return urlOf(own, environment[own])
  const common = environment['OTEL_EXPORTER_OTLP_ENDPOINT'] || 'http://localhost:4318'
  return `${urlOf('OTEL_EXPORTER_OTLP_ENDPOINT', common).replace(/\/$/, '')}/v1/${signal}`
}

/** `name=value,other=value`, percent-encoded. */
const pairsOf = (environment: Environment, name: string): Readonly<Record<string, string>> => {
  const text = environment[name]?.trim() ?? ''
  if (text === '') return {}
  const parts = text.split(',')
  if (parts.length > PAIRS_MAX) throw refuse(name, `more than ${PAIRS_MAX} entries`)
  return Object.fromEntries(
    parts.map(part => {
      const at = part.indexOf('=')
      if (at < 1) throw refuse(name, `'${part}' is not name=value`)
      try {
        return [part.slice(0, at).trim(), decodeURIComponent(part.slice(at + 1).trim())]
      } catch {
        throw refuse(name, `'${part}' is not percent-encoded`)
      }
    }),
  )
}

const millisecondsOf = (environment: Environment, name: string, fallback: number): number => {
  const text = environment[name]
  if (text === undefined || text === '') return fallback
  const value = Number(text)
  if (!Number.isInteger(value) || value < TIME_MS_MIN || value > TIME_MS_MAX)
    throw refuse(
      name,
      `'${text}' is not a whole number of milliseconds from ${TIME_MS_MIN} to ${TIME_MS_MAX}`,
    )
  return value
}

const requireHttp = (environment: Environment): void => {
  const name = 'OTEL_EXPORTER_OTLP_PROTOCOL'
  const protocol = environment[name] ?? ''
  if (protocol !== '' && !protocol.startsWith('http/'))
    throw refuse(
      name,
      `'${protocol}' is not supported: this node exports over HTTP, to port 4318 of a Collector`,
    )
}

/**
 * The endpoints, intervals and headers of the export, from the environment variables of the OpenTelemetry specification, which
 * Besu reads too.
 * @throws UsageError
 */
export const otlpSettingsOf = (environment: Environment, identity: string | undefined): OtlpSettings => {
  requireHttp(environment)
  return {
    metricsUrl: endpointOf(environment, 'metrics'),
    tracesUrl: endpointOf(environment, 'traces'),
    headers: pairsOf(environment, 'OTEL_EXPORTER_OTLP_HEADERS'),
    resource: {
      'service.name': 'quorate',
      'service.version': clientVersion(identity),
      ...pairsOf(environment, 'OTEL_RESOURCE_ATTRIBUTES'),
      ...(environment['OTEL_SERVICE_NAME'] ? { 'service.name': environment['OTEL_SERVICE_NAME'] } : {}),
    },
    metricsIntervalMs: millisecondsOf(environment, 'OTEL_METRIC_EXPORT_INTERVAL', METRICS_INTERVAL_MS),
    timeoutMs: millisecondsOf(environment, 'OTEL_EXPORTER_OTLP_TIMEOUT', TIMEOUT_MS),
  }
}
