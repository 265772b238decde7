import { readFileSync } from 'node:fs'

/** Clock ticks of a second on Linux (`getconf CLK_TCK`). */
const TICKS = 100

export type Usage = { readonly cpuSeconds: number; readonly residentMb: number }

/** What a process has used so far, by the proc file system of Linux. */
export const usageOf = (pid: number): Usage => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const ticks = Number(fields[11]) + Number(fields[12])
  const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return { cpuSeconds: ticks / TICKS, residentMb: Number(resident) / 1024 }
}
