import { freePorts } from '../../../runtime/devnet/ports.ts'
import { withFolder } from '../../runtime/folder.ts'
import { until } from '../../support/until.ts'
import { type BenchOptions, median, msText, type Row } from '../measure.ts'
import { type BenchNetwork, type BenchNode, startBenchNetwork } from './nodes.ts'
import { usageOf } from './usage.ts'

const VALIDATORS = 4
const PERIOD_MS = 1_000
/** The others make blocks without the validator for this long, so that its record is older than the chain. */
const AWAY_MS = 5_000
/** Blocks without transactions until memory is read: collectors and compilers of the runtime come to rest. */
const IDLE_MS = 300_000
const QUICK_IDLE_MS = 60_000
/** Memory is read this often in the last third of that time; it rises and falls with the collector. */
const SAMPLES = 20

/** A signature that counts towards a block. */
const VOTE =
  /qbft_messages_total\{(?=[^}]*type="(?:proposal|prepare|commit)")(?=[^}]*direction="out")[^}]*\} [1-9]/

const hasVoted = async (port: number): Promise<boolean> => {
  try {
    return VOTE.test(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text())
  } catch {
    // Nobody listens yet.
    return false
  }
}

type Start = { readonly answerMs: number; readonly voteMs: number }

/** Times from the start of the last validator's process, after it was away. */
const measureStart = async (network: BenchNetwork): Promise<Start> => {
  const index = VALIDATORS - 1
  await network.end(index)
  await Bun.sleep(AWAY_MS)
  const [port] = (await freePorts(1)) as [number]
  const begunMs = performance.now()
  await network.restart(index, ['--metrics-enabled', `--metrics-port=${port}`])
  const answerMs = performance.now() - begunMs
  await until(() => hasVoted(port), { pollMs: 10 })
  return { answerMs, voteMs: performance.now() - begunMs }
}

const average = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

const measureIdle = async (nodes: readonly BenchNode[], idleMs: number): Promise<Row> => {
  await Bun.sleep((idleMs * 2) / 3)
  const [beganMs, before] = [performance.now(), nodes.map(({ pid }) => usageOf(pid).cpuSeconds)]
  const resident: number[] = []
  const own: number[] = []
  for (let sample = 0; sample < SAMPLES; sample++) {
    await Bun.sleep(idleMs / 3 / SAMPLES)
    const usages = nodes.map(({ pid }) => usageOf(pid))
    resident.push(average(usages.map(({ residentMb }) => residentMb)))
    own.push(average(usages.map(({ ownMb }) => ownMb)))
  }
  const seconds = (performance.now() - beganMs) / 1000
  const cpu = average(nodes.map(({ pid }, at) => usageOf(pid).cpuSeconds - (before[at] ?? 0)))
  return {
    name: `idle for ${idleMs / 1000} s`,
    values: {
      MB: average(resident).toFixed(0),
      'MB own': average(own).toFixed(0),
      CPU: `${((cpu / seconds) * 100).toFixed(1)}%`,
    },
  }
}

/** The runtime without a program. */
const measureRuntime = async (): Promise<Row> => {
  const child = Bun.spawn([process.execPath, '-e', 'setInterval(() => undefined, 1e9)'])
  try {
    await Bun.sleep(1_000)
    const { residentMb, ownMb } = usageOf(child.pid)
    return { name: 'the runtime alone', values: { MB: residentMb.toFixed(0), 'MB own': ownMb.toFixed(0) } }
  } finally {
    child.kill()
    await child.exited
  }
}

const measureStarts = async (
  network: BenchNetwork,
  count: number,
  progress: (text: string) => void,
): Promise<Row> => {
  const starts: Start[] = []
  for (let start = 0; start < count; start++) {
    progress(`start ${start + 1} of a validator`)
    starts.push(await measureStart(network))
  }
  return {
    name: 'a validator starts again',
    values: {
      'first answer, ms': msText(median(starts.map(({ answerMs }) => answerMs))),
      'first vote, ms': msText(median(starts.map(({ voteMs }) => voteMs))),
      longest: msText(Math.max(...starts.map(({ voteMs }) => voteMs))),
    },
  }
}

/** What a validator takes of its machine when nothing happens, and how soon it takes part after a start. */
export const benchLight = ({ quick, progress, row }: BenchOptions): Promise<void> =>
  withFolder(async folder => {
    const network = await startBenchNetwork({
      folder,
      validators: VALIDATORS,
      periodMs: PERIOD_MS,
      alloc: {},
    })
    try {
      await row('the runtime alone', measureRuntime)
      await row('idle validators', () => measureIdle(network.nodes, quick ? QUICK_IDLE_MS : IDLE_MS))
      await row('a validator starts again', () => measureStarts(network, quick ? 3 : 7, progress))
    } finally {
      await network.stop()
    }
  })
