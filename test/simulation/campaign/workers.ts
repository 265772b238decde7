import { spawn } from 'node:child_process'
import { execPath } from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { decodeReport, type SeedReport } from './report.ts'
import type { Share } from './worker.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))

export const shareArguments = ({
  from,
  to,
  step,
  validators,
  forgetting,
  untilViolation,
}: Share): readonly string[] => [
  '--worker',
  `--from=${from}`,
  `--seeds=${to - from}`,
  `--step=${step}`,
  ...(validators === undefined ? [] : [`--validators=${validators}`]),
  ...(forgetting === undefined ? [] : [`--forgetting=${forgetting}`]),
  ...(untilViolation ? ['--until-violation'] : []),
]

/** Runs a share of the seeds in another process. `main` is the simulation's entry file, of another tree where it is given. */
export const runShare = async (
  share: Share,
  take: (report: SeedReport) => void,
  main: string = MAIN,
): Promise<void> => {
  const child = spawn(execPath, [main, ...shareArguments(share)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
  try {
    for await (const line of createInterface({ input: child.stdout })) take(decodeReport(line))
    const code = await ended
    if (code !== 0) throw new Error(`a worker ended with code ${code}`)
  } finally {
    child.kill()
  }
}
