import type { Log } from '../logging/log.ts'
import type { MetricsRegistry } from './registry.ts'
import { shownUrl } from '../text/shownUrl.ts'

/** Timeout of one push; the next interval tries again. */
const TIMEOUT_MS_MAX = 10_000

export type PushOptions = {
  readonly host: string
  readonly port: number
  readonly intervalSeconds: number
  readonly job: string
  readonly registry: Pick<MetricsRegistry, 'render'>
  readonly log: Log
}

const hostOf = (host: string): string => (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host)

/** Sends the metrics to a Prometheus Pushgateway at each interval. Returns the function that sends them once more and ends. */
export const startMetricsPush = (options: PushOptions): (() => Promise<void>) => {
  const { host, port, registry, log } = options
  const intervalMs = options.intervalSeconds * 1000
  const url = `http://${hostOf(host)}:${port}/metrics/job/${encodeURIComponent(options.job)}`
  let hasFailed = false
  let running: Promise<void> | undefined

  const push = async (): Promise<void> => {
    try {
      const { type, text } = await registry.render('text')
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': type },
        body: text,
        redirect: 'manual',
        signal: AbortSignal.timeout(Math.min(intervalMs, TIMEOUT_MS_MAX)),
      })
      await response.body?.cancel()
      if (!response.ok) throw new Error(`the gateway answered ${response.status}`)
      if (hasFailed) log.info('Metrics are pushed to {url} again', { url: shownUrl(url) })
      hasFailed = false
    } catch (error) {
      // Once: the gateway may be away for days.
      if (!hasFailed)
        log.warn('Metrics cannot be pushed to {url}: {error}. The node tries again every {seconds} s', {
          url: shownUrl(url),
          error,
          seconds: options.intervalSeconds,
        })
      hasFailed = true
    }
  }
  /** No push starts while another one runs. */
  const pushUnlessRunning = (): Promise<void> => {
    running ??= push().finally(() => {
      running = undefined
    })
    return running
  }

  const timer = setInterval(() => void pushUnlessRunning(), intervalMs)
  timer.unref()
  void pushUnlessRunning()
  return async () => {
    clearInterval(timer)
    await running
    await pushUnlessRunning()
  }
}
