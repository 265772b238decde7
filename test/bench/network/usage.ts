import { readFileSync } from 'node:fs'

/** Clock ticks of a second on Linux (`getconf CLK_TCK`). */
const TICKS = 100

/** Interval between looks at the memory of processes. */
const SAMPLE_MS = 500

export type Usage = {
  readonly cpuSeconds: number
  readonly residentMb: number
  /** The part of it that is no page of a file: processes share those of the runtime's program. */
  readonly ownMb: number
}

/** What a process has used so far, by the proc file system of Linux. */
export const usageOf = (pid: number): Usage => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const ticks = Number(fields[11]) + Number(fields[12])
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const mbOf = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024
  return { cpuSeconds: ticks / TICKS, residentMb: mbOf('VmRSS'), ownMb: mbOf('RssAnon') }
}

/** Calls `run`, and returns the most that one of the processes had in memory meanwhile. */
export const peakMbOf = async (pids: readonly number[], run: () => Promise<unknown>): Promise<number> => {
  let peak = 0
  const look = (): void => {
    peak = Math.max(peak, ...pids.map(pid => usageOf(pid).residentMb))
  }
  const timer = setInterval(look, SAMPLE_MS)
  try {
    await run()
    look()
    return peak
  } finally {
    clearInterval(timer)
  }
}
