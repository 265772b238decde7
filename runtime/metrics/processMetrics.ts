import { readdirSync } from 'node:fs'
import process from 'node:process'
import type { Meters } from './registry.ts'

/** Where Linux lists the open files of the process. */
const OPEN_FILES = '/proc/self/fd'

/** Undefined where the system does not provide it. */
const openFiles = (): number | undefined => {
  try {
    return readdirSync(OPEN_FILES).length
  } catch {
    // Not Linux.
    return undefined
  }
}

/** Metrics of the process, by the names that every Prometheus client uses. */
export const addProcessMetrics = (meters: Meters): void => {
  const startedAtSeconds = Math.round(performance.timeOrigin / 1000)
  meters.onCollect(() => {
    const { user, system } = process.cpuUsage()
    const { rss, heapUsed } = process.memoryUsage()
    meters.total('process_cpu_seconds_total', (user + system) / 1e6)
    meters.set('process_resident_memory_bytes', rss)
    meters.set('process_heap_bytes', heapUsed)
    meters.set('process_start_time_seconds', startedAtSeconds)
    const files = openFiles()
    if (files !== undefined) meters.set('process_open_fds', files)
  })
}
