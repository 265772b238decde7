import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { seededRandom } from '../support/random.ts'
import { type Cluster, createCluster } from './support/cluster.ts'

/**
 * Kills and starts real validators at random for a while, and after each quorum of them is back looks how long the next block
 * takes; at the end all chains are compared. Run by hand: `bun test/cluster/campaign.ts --minutes=10 --seed=1`.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    validators: { type: 'string', default: '4' },
  },
})

const VALIDATORS = Number(values.validators)
const QUORUM = Math.ceil((2 * VALIDATORS) / 3)
const TIMEOUT_SECONDS = 1
/** What the product promises after an outage of any length. */
const BOUND_MS = 4 * TIMEOUT_SECONDS * 1000 + 10_000
/** Looked for so much longer, to tell slow from never. */
const GIVE_UP_MS = 4 * BOUND_MS

const { below } = seededRandom(Number(values.seed))

const headOf = async (cluster: Cluster): Promise<number> =>
  Math.max(...(await Promise.all(cluster.running().map(cluster.head))))

/** Milliseconds until the chain has grown by two blocks: the first may have been agreed on before. */
const timeToBlocks = async (cluster: Cluster): Promise<number> => {
  const from = await headOf(cluster)
  const startMs = Date.now()
  while ((await headOf(cluster)) < from + 2) {
    if (Date.now() - startMs > GIVE_UP_MS) return Infinity
    await Bun.sleep(50)
  }
  return Date.now() - startMs
}

/** Every block that two nodes have is the same; gives how many were compared. */
const compare = async (cluster: Cluster): Promise<number> => {
  const indexes = cluster.running()
  const heads = await Promise.all(indexes.map(cluster.head))
  const last = Math.min(...heads)
  for (let number = 1; number <= last; number++) {
    const hashes = new Set(
      (await Promise.all(indexes.map(index => cluster.block(index, number)))).map(block => block?.hash),
    )
    if (hashes.size !== 1) throw new Error(`block ${number} differs: ${[...hashes].join(', ')}`)
  }
  return last
}

const folder = mkdtempSync(join(tmpdir(), 'quorate-campaign-'))
const all = Array.from({ length: VALIDATORS }, (_, index) => index + 1)
const cluster = await createCluster({ folder, validators: VALIDATORS, nodes: VALIDATORS })
const times: number[] = []
let kills = 0
try {
  console.log(`seed ${values.seed}, ${VALIDATORS} validators, quorum ${QUORUM}`)
  await cluster.start(...all)
  const endMs = Date.now() + Number(values.minutes) * 60_000
  while (Date.now() < endMs) {
    const victims = cluster.running().filter(() => below(2) === 0)
    await cluster.kill(...victims)
    kills += victims.length
    await Bun.sleep(below(6_000))
    const down = all.filter(index => !cluster.running().includes(index))
    const missing = Math.max(QUORUM - cluster.running().length, 0)
    const back = down.toSorted(() => below(3) - 1).slice(0, missing + below(down.length - missing + 1))
    await cluster.start(...back)
    const ms = await timeToBlocks(cluster)
    times.push(ms)
    const text = `killed ${victims.join(' ') || 'none'}, back ${back.join(' ') || 'none'}: two blocks in ${ms} ms`
    console.log(ms > BOUND_MS ? `LATE ${text}` : text)
    if (ms === Infinity) {
      for (const index of cluster.running()) {
        const peers = await cluster.node(index).rpc<readonly { readonly enode: string }[]>('admin_peers')
        console.log(`node ${index}: head ${await cluster.head(index)}`, ...peers.map(({ enode }) => enode))
      }
      break
    }
  }
  if (times.at(-1) !== Infinity) {
    await cluster.start(...all)
    await timeToBlocks(cluster)
    console.log(`${await compare(cluster)} blocks are the same on all nodes`)
  }
  const sorted = times.toSorted((a, b) => a - b)
  console.log(
    `${times.length} recoveries after ${kills} kills: median ${sorted[sorted.length >> 1]} ms, longest ${sorted.at(-1)} ms, ${sorted.filter(ms => ms > BOUND_MS).length} beyond ${BOUND_MS} ms`,
  )
} finally {
  await cluster.end()
  rmSync(folder, { recursive: true, force: true })
}
