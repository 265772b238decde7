import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { RuntimeName } from '../runtime/nodeProcess.ts'
import { createCluster } from './support/cluster.ts'
import { FLOODERS, type Flood, type Flooder, flood } from './support/flood.ts'
import { hostileKey } from './support/hostileMessages.ts'
import { memoryOf, settledMemoryOf, watchMemory } from './support/memory.ts'
import { until } from '../support/until.ts'

/**
 * Floods the first of three running validators of four with messages of later heights and rounds, and exits with 1 when its
 * memory grows by 64 MB or more, at any time or in the end. Whoever is dropped comes back at once, until so many messages were
 * sent or refused. The node beside it, which nobody floods, shows what blocks alone do to memory. Run by hand:
 * `bun test/cluster/floodCampaign.ts --messages=1000000 --flooder=validator --runtime=bun`.
 */
const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '1000000' },
    flooder: { type: 'string', default: 'validator' },
    runtime: { type: 'string', default: 'bun' },
  },
})
const MESSAGES = Number(values.messages)
const GROWTH_MAX_MB = 64
const SETTLE_SECONDS = 15
/** Before that everything is loaded, and memory grows without a flood. */
const WARM_UP_BLOCKS = 15

const flooder = FLOODERS.find(name => name === values.flooder)
if (flooder === undefined) throw new Error(`--flooder is one of ${FLOODERS.join(', ')}`)

const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}
const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)
const saidOf = ({ sent, refused, connections, refusals }: Flood): string =>
  `${sent} messages sent, ${refused} refused (${connections} connections, ${refusals} of them refused)`

const folder = mkdtempSync(join(tmpdir(), 'quorate-flood-'))
const cluster = await createCluster({
  folder,
  validators: 4,
  nodes: 4,
  runtimeOf: index => (index === 1 ? (values.runtime as RuntimeName) : 'bun'),
})

/** How fast blocks come, as another validator sees it. */
const pace = async (from: number, fromMs: number): Promise<string> =>
  (((await cluster.head(2)) - from) / ((Date.now() - fromMs) / 1000)).toFixed(2)

const run = async (as: Flooder): Promise<boolean> => {
  await cluster.start(1, 2, 3)
  await until(async () => (await cluster.head(1)) >= WARM_UP_BLOCKS)
  const { pid } = cluster.node(1)
  const beside = cluster.node(2).pid
  const quietMs = Date.now()
  const quiet = await cluster.head(2)
  const before = await settledMemoryOf(pid, SETTLE_SECONDS)
  const besideBefore = memoryOf(beside)
  print(`before: ${megabytes(before)} MB, ${await pace(quiet, quietMs)} blocks a second`)
  const startMs = Date.now()
  const start = await cluster.head(2)
  const watch = watchMemory(pid)
  const total = await flood(cluster, as, hostileKey(4), MESSAGES, so =>
    print(`${saidOf(so)}; ${megabytes(memoryOf(pid))} MB`),
  )
  const seconds = (Date.now() - startMs) / 1000
  const meanwhile = await pace(start, startMs)
  const after = await settledMemoryOf(pid, SETTLE_SECONDS)
  watch.stop()
  const peakGrowth = (watch.peak() - before) / 1e6
  const growth = (after - before) / 1e6
  print(`${as} on ${values.runtime}: ${saidOf(total)} in ${seconds.toFixed(1)} s`)
  print(`${meanwhile} blocks a second meanwhile`)
  print(`memory grew by ${growth.toFixed(1)} MB, by ${peakGrowth.toFixed(1)} MB at most`)
  print(`memory of the node beside it grew by ${megabytes(memoryOf(beside) - besideBefore)} MB`)
  for (const line of cluster.node(1).output().split('\n'))
    if (/consensus messages\. By peer|is banned for/.test(line)) print(line)
  return Math.max(growth, peakGrowth) < GROWTH_MAX_MB
}

let isBounded = false
try {
  isBounded = await run(flooder)
} finally {
  await cluster.end()
  rmSync(folder, { recursive: true, force: true })
}
// Timers of connections that were refused would keep the process for minutes.
process.exit(isBounded ? 0 : 1)
