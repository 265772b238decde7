import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { decodeExtraData } from '../../../core/block/codec/extraData.ts'
import { fromHex } from '../../../core/bytes/hex.ts'
import type { Cluster } from '../../cluster/support/cluster.ts'
import { untilBlocks } from '../../cluster/support/waiting.ts'
import { HAS_POSTGRESQL } from '../../support/servers/postgresql.ts'
import { HAS_REDIS } from '../../support/servers/redis.ts'
import { connectWs } from '../wsClient.ts'
import { type ReplicatedNetwork, startReplicatedNetwork } from './replicatedNetwork.ts'
import { DISTURBANCES, type Disturbance } from './sharedStores.ts'

/**
 * Four validators with a block period of one second, of which one fills Redis, and a node that follows them and fills
 * PostgreSQL, while both stores are killed, silent, slow, full and restarted empty. Compares the intervals between blocks, and
 * the rounds above 0, with those of the same network before and after; tells what the nodes say of the lag, and holds the
 * stores against the network in the end.
 * Run by hand: `bun test/runtime/replicate/storeCampaign.ts --blocks=45`.
 */
const { values } = parseArgs({ options: { blocks: { type: 'string', default: '45' } } })
const BLOCKS = Number(values.blocks)
const PERIOD_MS = 1_000
const WARM_UP_BLOCKS = 15
/** Blocks of one wait, which has a limit. */
const BLOCKS_AT_ONCE = 10

/** The nodes that fill the stores, and a validator that fills none. */
const WATCHED = [1, 5, 3]

/** What a busy machine may add to the longest interval, and to the rounds above 0. */
const LONGER_MS_MAX = PERIOD_MS
const MORE_ROUNDS_MAX = 1

if (!HAS_REDIS || !HAS_POSTGRESQL) throw new Error('the campaign needs redis-server and postgresql')

const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

/** When each new head came, by node. */
type Arrivals = ReadonlyMap<number, number[]>

const watchHeads = async (cluster: Cluster): Promise<Arrivals> => {
  const arrivals = new Map(WATCHED.map(index => [index, [] as number[]]))
  for (const index of WATCHED) {
    const client = await connectWs(cluster.node(index).wsUrl as string)
    const subscription = await client.call<string>('eth_subscribe', 'newHeads')
    let seen = 0
    const timer = setInterval(() => {
      const heads = client.notifications.filter(one => one.subscription === subscription).length
      for (; seen < heads; seen++) arrivals.get(index)?.push(performance.now())
    }, 5)
    timer.unref()
  }
  return arrivals
}

type Pace = {
  readonly blocks: number
  readonly medianMs: number
  readonly longestMs: number
  readonly roundsAbove0: number
}

const paceSince = async (
  cluster: Cluster,
  arrivals: Arrivals,
  first: number,
  startMs: number,
): Promise<Pace> => {
  const last = await cluster.head(WATCHED.at(-1) as number)
  const intervals: number[] = []
  for (const times of arrivals.values()) {
    const within = times.filter(ms => ms >= startMs)
    intervals.push(...within.slice(1).map((ms, index) => ms - (within[index] as number)))
  }
  intervals.sort((a, b) => a - b)
  let roundsAbove0 = 0
  for (let number = first + 1; number <= last; number++) {
    const block = await cluster.block(WATCHED.at(-1) as number, number)
    if (block !== null && decodeExtraData(fromHex(block.extraData)).round > 0) roundsAbove0++
  }
  return {
    blocks: last - first,
    medianMs: Math.round(intervals[intervals.length >> 1] as number),
    longestMs: Math.round(intervals.at(-1) as number),
    roundsAbove0,
  }
}

const QUIET: Disturbance = {
  what: 'as they should be',
  begin: () => undefined,
  end: () => undefined,
  isOut: false,
}

/** The lines of a node about its replica that came since. */
const linesOf = (output: string): readonly string[] =>
  output.split('\n').filter(line => /replica/i.test(line) && !/Filling/.test(line))

type Phase = Pace & { readonly what: string; readonly troubles: readonly string[] }

const runPhase = async (
  network: ReplicatedNetwork,
  arrivals: Arrivals,
  { what, begin, end, isOut }: Disturbance,
): Promise<Phase> => {
  const { cluster, stores, fillerOf, lagOf, untilCaughtUp } = network
  const outputsBefore = stores.map((_, index) => fillerOf(index).output().length)
  const first = await cluster.head(WATCHED.at(-1) as number)
  const startMs = performance.now()
  for (const store of stores) await begin(store)
  for (let left = BLOCKS; left > 0; left -= BLOCKS_AT_ONCE)
    await untilBlocks(cluster, Math.min(left, BLOCKS_AT_ONCE))
  const pace = await paceSince(cluster, arrivals, first, startMs)
  const lags = await Promise.all(stores.map((_, index) => lagOf(index)))
  for (const store of stores) await end(store)
  const endMs = performance.now()
  await untilCaughtUp()
  const caughtUpMs = Math.round(performance.now() - endMs)
  const { blocks, medianMs, longestMs, roundsAbove0 } = pace
  print(
    `stores ${what}: ${blocks} blocks, median ${medianMs} ms, longest ${longestMs} ms, ${roundsAbove0} rounds above 0; caught up ${caughtUpMs} ms afterwards`,
  )
  const troubles: string[] = []
  for (const [index, { name }] of stores.entries()) {
    const { blocks: lag, seconds, reason } = lags[index] as (typeof lags)[number]
    if (isOut || lag > 1)
      print(`  /readiness of ${name}: ${lag} blocks, ${seconds} s, ${reason ?? 'no reason'}`)
    if (isOut && (lag < BLOCKS >> 1 || typeof reason !== 'string')) troubles.push(`no lag told of ${name}`)
    const lines = linesOf(fillerOf(index).output().slice(outputsBefore[index]))
    for (const line of lines) print(`  ${line}`)
    if (isOut && !lines.some(line => line.includes('s behind'))) troubles.push(`no lag logged of ${name}`)
  }
  return { ...pace, what, troubles }
}

const troublesOf = (phases: readonly Phase[]): readonly string[] => {
  const quiet = phases.filter(({ what }) => what === QUIET.what)
  const longestMs = Math.max(...quiet.map(phase => phase.longestMs))
  const rounds = Math.max(...quiet.map(phase => phase.roundsAbove0))
  return phases.flatMap(phase => [
    ...phase.troubles.map(trouble => `${phase.what}: ${trouble}`),
    ...(phase.longestMs > longestMs + LONGER_MS_MAX
      ? [`${phase.what}: an interval of ${phase.longestMs} ms, ${longestMs} ms without`]
      : []),
    ...(phase.roundsAbove0 > rounds + MORE_ROUNDS_MAX
      ? [`${phase.what}: ${phase.roundsAbove0} rounds above 0, ${rounds} without`]
      : []),
  ])
}

const folder = mkdtempSync(join(tmpdir(), 'quorate-stores-'))
const network = await startReplicatedNetwork({ folder, blockPeriodMs: PERIOD_MS })
try {
  const arrivals = await watchHeads(network.cluster)
  await untilBlocks(network.cluster, WARM_UP_BLOCKS)
  const phases: Phase[] = []
  for (const disturbance of [QUIET, ...DISTURBANCES, QUIET])
    phases.push(await runPhase(network, arrivals, disturbance))
  const sent = await network.stopSending()
  const troubles = [...troublesOf(phases), ...(await network.differences())]
  print(`${sent} transfers sent; both stores held against the network, block by block and by proofs`)
  for (const trouble of troubles) print(trouble)
  print(troubles.length === 0 ? 'held' : 'bit')
  process.exitCode = troubles.length === 0 ? 0 : 1
} finally {
  await network.end()
  rmSync(folder, { recursive: true, force: true })
}
