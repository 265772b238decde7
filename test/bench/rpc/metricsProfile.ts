import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isInstalled } from '../../runtime/nodeProcess.ts'
import type { BenchOptions, Row } from '../measure.ts'
import { mineRound, startValidator, transferBodies } from './metricsTransactions.ts'

/** Rounds for the compilers. */
const WARM_UP_ROUNDS = 5

/** Microseconds between two samples of a thread that runs. */
const INTERVAL = 250

/** Code that runs for metrics alone, with all that it calls. */
const METRICS = /\/runtime\/metrics\/|\/prom-client\/|\/blockParticipation\.ts/
/** Code around others’ work, which counts without what it calls. */
const AROUND = /\/dispatch\/observed\.ts|\/reports\/observer\.ts/
const NOT_BUSY: ReadonlySet<string> = new Set(['(idle)', '(program)', '(root)'])

/** A profile of V8. Times in microseconds. */
type Profile = {
  readonly startTime: number
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string }
    readonly children?: readonly number[]
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** The clock of profiles; Linux only. Bun's own begins with its process. */
const monotonicMicroseconds = (): number => Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1e6

/** Samples. */
type Busy = { all: number; metrics: number }

/** The nodes of the profile whose time is that of metrics. */
const nodesOfMetrics = ({ nodes }: Profile): ReadonlySet<number> => {
  const byId = new Map(nodes.map(node => [node.id, node]))
  const found = new Set<number>()
  const visit = (id: number, isBelow: boolean): void => {
    const node = byId.get(id)
    if (node === undefined) return
    const { url } = node.callFrame
    const isOfMetrics = isBelow || METRICS.test(url)
    if (isOfMetrics || AROUND.test(url)) found.add(id)
    for (const child of node.children ?? []) visit(child, isOfMetrics)
  }
  const [root] = nodes
  if (root !== undefined) visit(root.id, false)
  return found
}

/** Adds what a thread did after a time of the monotonic clock. */
const addBusy = (busy: Busy, profile: Profile, sinceMicroseconds: number): void => {
  const ofMetrics = nodesOfMetrics(profile)
  const idle = new Set(
    profile.nodes.filter(({ callFrame }) => NOT_BUSY.has(callFrame.functionName)).map(({ id }) => id),
  )
  let now = profile.startTime
  for (const [index, id] of profile.samples.entries()) {
    now += profile.timeDeltas[index] ?? 0
    if (now < sinceMicroseconds || idle.has(id)) continue
    // Samples, not their times: a thread that waits for a processor gives none.
    busy.all++
    if (ofMetrics.has(id)) busy.metrics++
  }
}

/**
 * The part of a loaded validator’s time that is spent in the code of metrics, by the profiler of Node: other programs on
 * the machine change it little. It leaves out what metrics add to the collection of garbage.
 */
export const benchProfile = async (folder: string, { quick }: BenchOptions): Promise<readonly Row[]> => {
  if (!isInstalled('node')) return []
  const profiles = join(folder, 'profiles')
  mkdirSync(profiles)
  const node = await startValidator(
    join(folder, 'profiled'),
    ['--metrics-enabled', '--metrics-port=0'],
    'node',
    { NODE_OPTIONS: `--cpu-prof --cpu-prof-interval=${INTERVAL} --cpu-prof-dir=${profiles}` },
  )
  let since = 0
  const rounds = WARM_UP_ROUNDS + (quick ? 5 : 20)
  for (let round = 0; round < rounds; round++) {
    if (round === WARM_UP_ROUNDS) since = monotonicMicroseconds()
    await mineRound(node, transferBodies(round), round)
  }
  await node.stop()
  const busy: Busy = { all: 0, metrics: 0 }
  for (const name of readdirSync(profiles))
    addBusy(busy, JSON.parse(readFileSync(join(profiles, name), 'utf8')) as Profile, since)
  return [
    {
      name: 'the part of metrics, on Node',
      values: {
        'samples while busy': String(busy.all),
        'in metrics': String(busy.metrics),
        'in metrics, %': ((100 * busy.metrics) / busy.all).toFixed(2),
      },
    },
  ]
}
