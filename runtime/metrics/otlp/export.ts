import type { Log } from '../../logging/log.ts'
import type { MetricsRegistry } from '../registry.ts'
import { metricsJson, tracesJson } from './encode.ts'
import type { OtlpSettings } from './settings.ts'
import type { SpanQueue } from './spans.ts'
import { shownUrl } from '../../text/shownUrl.ts'

/** Interval between exports of spans: the default of the OpenTelemetry specification. */
const TRACES_INTERVAL_MS = 5_000

/** Spans in one export: their encoding holds the event loop for about a millisecond. */
const SPANS_OF_EXPORT_MAX = 512

export type OtlpOptions = {
  readonly settings: OtlpSettings
  readonly registry: Pick<MetricsRegistry, 'read'>
  readonly spans: SpanQueue
  readonly log: Pick<Log, 'info' | 'warn'>
}

type Signal = { readonly url: string; readonly body: () => Promise<object | undefined> }

/** Sends one signal; failures are logged once until one succeeds. */
const createSender = ({ settings, log }: OtlpOptions, { url, body }: Signal) => {
  let hasFailed = false
  return async (): Promise<boolean> => {
    try {
      const json = await body()
      if (json === undefined) return false
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...settings.headers, 'content-type': 'application/json' },
        body: JSON.stringify(json),
        redirect: 'manual',
        signal: AbortSignal.timeout(settings.timeoutMs),
      })
      await response.body?.cancel()
      if (!response.ok) throw new Error(`the receiver answered ${response.status}`)
      if (hasFailed) log.info('OpenTelemetry is exported to {url} again', { url: shownUrl(url) })
      hasFailed = false
      return true
    } catch (error) {
      // Once: the receiver may be away for days.
      if (!hasFailed)
        log.warn('OpenTelemetry cannot be exported to {url}: {error}. Later exports try again', {
          url: shownUrl(url),
          error,
        })
      hasFailed = true
      return false
    }
  }
}

/** Calls at each interval, one call at a time. Returns the function that calls once more and ends. */
const repeat = (intervalMs: number, run: () => Promise<void>): (() => Promise<void>) => {
  let running: Promise<void> | undefined
  const runUnlessRunning = (): Promise<void> => {
    running ??= run().finally(() => {
      running = undefined
    })
    return running
  }
  const timer = setInterval(() => void runUnlessRunning(), intervalMs)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await running
    await runUnlessRunning()
  }
}

/** Exports metrics and spans over OTLP/HTTP. Returns the function that exports the rest and ends. */
export const startOtlpExport = (options: OtlpOptions): (() => Promise<void>) => {
  const { settings, registry, spans, log } = options
  const { metricsUrl, tracesUrl, resource } = settings
  const startMs = Date.now()
  const stops: (() => Promise<void>)[] = []
  if (metricsUrl !== undefined) {
    const body = async () =>
      metricsJson(resource, await registry.read(), { startMs, nowMs: Date.now() }) as object
    const send = createSender(options, { url: metricsUrl, body })
    stops.push(repeat(settings.metricsIntervalMs, async () => void (await send())))
  }
  if (tracesUrl !== undefined) {
    const body = async () => {
      const taken = spans.take(SPANS_OF_EXPORT_MAX)
      return taken.length === 0 ? undefined : (tracesJson(resource, taken) as object)
    }
    const send = createSender(options, { url: tracesUrl, body })
    stops.push(
      repeat(TRACES_INTERVAL_MS, async () => {
        const dropped = spans.takeDropped()
        if (dropped > 0) log.info('{dropped} spans were dropped: more were made than exported', { dropped })
        while (spans.size() > 0 && (await send())) continue
      }),
    )
  }
  return async () => void (await Promise.all(stops.map(stop => stop())))
}
