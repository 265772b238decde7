import { readdirSync, readFileSync } from 'node:fs'

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

/** What the threads of a node do: the main thread runs the chain, workers the network and the recovery of signatures. */
const THREAD_KINDS = ['main', 'workers', 'compiler', 'memory', 'other'] as const
export type ThreadKind = (typeof THREAD_KINDS)[number]

/** The kind of a thread by the name that Bun gives it. */
const kindOf = (name: string): ThreadKind => {
  if (name.startsWith('Worker')) return 'workers'
  if (name.startsWith('JIT') || name.startsWith('JSCWarm')) return 'compiler'
  return /Heap|scavenger|Helper/.test(name) ? 'memory' : 'other'
}

export type ThreadUsage = Readonly<Record<ThreadKind, number>>

const NO_USAGE: ThreadUsage = { main: 0, workers: 0, compiler: 0, memory: 0, other: 0 }

/** CPU milliseconds of a thread, finer than the ticks of `stat`; 0 if it has ended. */
const threadMs = (folder: string): number => {
  try {
    return Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    // The thread has ended since its folder was listed.
    return 0
  }
}

const threadName = (folder: string): string => {
  try {
    return readFileSync(`${folder}/comm`, 'utf8').trim()
  } catch {
    // As above.
    return ''
  }
}

/** CPU milliseconds of the running threads of a process so far, by what they do; Linux only. */
export const threadUsageOf = (pid: number): ThreadUsage => {
  const usage = { ...NO_USAGE }
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`
    usage[thread === String(pid) ? 'main' : kindOf(threadName(folder))] += threadMs(folder)
  }
  return usage
}

/** `scale` times the difference of two usages. */
export const usageBetween = (before: ThreadUsage, after: ThreadUsage, scale: number): ThreadUsage => {
  const usage = { ...NO_USAGE }
  for (const kind of THREAD_KINDS) usage[kind] = (after[kind] - before[kind]) * scale
  return usage
}

export const sumOf = (usages: readonly ThreadUsage[]): ThreadUsage => {
  const sum = { ...NO_USAGE }
  for (const usage of usages) for (const kind of THREAD_KINDS) sum[kind] += usage[kind]
  return sum
}

/** The whole, and the parts in the order of `THREAD_KINDS` but the last. */
export const usageText = (usage: ThreadUsage): { readonly all: string; readonly parts: string } => {
  const all = THREAD_KINDS.reduce((sum, kind) => sum + usage[kind], 0)
  const parts = THREAD_KINDS.slice(0, -1).map(kind => usage[kind].toFixed(3))
  return { all: all.toFixed(3), parts: parts.join(' / ') }
}
