import { spawnSync } from 'node:child_process'

/** Resident memory of a process in bytes. */
export const memoryOf = (pid: number): number => {
  const kibibytes = Number(spawnSync('ps', ['-o', 'rss=', '-p', String(pid)]).stdout.toString())
  if (!(kibibytes > 0)) throw new Error(`ps says nothing of process ${pid}`)
  return kibibytes * 1024
}

/** The least of some seconds: garbage is collected by then. */
export const settledMemoryOf = async (pid: number, seconds = 3): Promise<number> => {
  let least = Infinity
  for (let sample = 0; sample < 4 * seconds; sample++) {
    least = Math.min(least, memoryOf(pid))
    await Bun.sleep(250)
  }
  return least
}

export type MemoryWatch = {
  /** The most since it began, in bytes. */
  readonly peak: () => number
  readonly stop: () => void
}

/** Looks at resident memory four times a second. */
export const watchMemory = (pid: number): MemoryWatch => {
  let peak = memoryOf(pid)
  const look = (): void => {
    peak = Math.max(peak, memoryOf(pid))
  }
  const timer = setInterval(look, 250)
  return { peak: () => peak, stop: () => clearInterval(timer) }
}
