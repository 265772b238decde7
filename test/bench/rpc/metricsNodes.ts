import { readdirSync, readFileSync } from 'node:fs'
import type { NodeProcess } from '../../runtime/nodeProcess.ts'

/** CPU time of the threads of a process so far, in microseconds; Linux only. A thread that has ended does not count. */
export const cpuMicroseconds = (pid: number): number => {
  let nanoseconds = 0
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
    } catch {
      // It ended meanwhile.
    }
  }
  return nanoseconds / 1000
}

/** Reads the metrics of a node, where they are on. */
export const scrape = async ({ metricsUrl }: NodeProcess): Promise<void> => {
  if (metricsUrl !== undefined) await (await fetch(`${metricsUrl}/metrics`)).text()
}
