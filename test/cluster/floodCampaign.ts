import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Attacker, startAttacker } from './support/attacker.ts'
import { createCluster } from './support/cluster.ts'
import { futureMessages, hostileKey, repeated } from './support/hostileMessages.ts'
import { memoryOf, settledMemoryOf } from './support/memory.ts'

/**
 * Floods one of three validators with messages of later heights until so many have left: first with the key of the fourth,
 * then, that being banned, as strangers, one after the other. Prints memory, and how the blocks came meanwhile. Run by hand:
 * `bun test/cluster/floodCampaign.ts --messages=1000000`.
 */
const { values } = parseArgs({
  options: { messages: { type: 'string', default: '1000000' }, validators: { type: 'string', default: '4' } },
})
const MESSAGES = Number(values.messages)
const VALIDATORS = Number(values.validators)
const DISTINCT = 3_000

const folder = mkdtempSync(join(tmpdir(), 'quorate-flood-'))
const honest = Array.from({ length: VALIDATORS - 1 }, (_, index) => index + 1)
const stolen = hostileKey(VALIDATORS)
const cluster = await createCluster({ folder, validators: VALIDATORS, nodes: VALIDATORS })
const attackers: Attacker[] = []

const blocksPerSecond = async (from: number, fromMs: number): Promise<string> =>
  (((await cluster.head(2)) - from) / ((Date.now() - fromMs) / 1000)).toFixed(2)
const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)

try {
  await cluster.start(...honest)
  while ((await cluster.head(1)) < 5) await Bun.sleep(100)
  const { pid } = cluster.node(1)
  const quietMs = Date.now()
  const quiet = await cluster.head(2)
  const before = await settledMemoryOf(pid, 10)
  process.stdout.write(
    `before: ${megabytes(before)} MB, ${await blocksPerSecond(quiet, quietMs)} blocks a second\n`,
  )
  const messages = futureMessages(stolen, await cluster.head(1), DISTINCT)
  let sent = 0
  let most = 0
  let drops = 0
  const startMs = Date.now()
  const start = await cluster.head(2)
  const sampling = setInterval(() => {
    most = Math.max(most, memoryOf(pid))
  }, 250)
  while (sent < MESSAGES) {
    // With the stolen key first; it is banned then, and what follows are strangers.
    const attacker = await startAttacker(cluster, 1, drops === 0 ? stolen.privateKey : undefined)
    attackers.push(attacker)
    sent += await attacker.flood(repeated(messages, MESSAGES - sent))
    if (!attacker.isConnected) drops++
    await attacker.stop()
    process.stdout.write(
      `${sent} messages sent, dropped ${drops} times, ${megabytes(memoryOf(pid))} MB, ${await blocksPerSecond(start, startMs)} blocks a second\n`,
    )
  }
  clearInterval(sampling)
  const seconds = (Date.now() - startMs) / 1000
  const pace = await blocksPerSecond(start, startMs)
  const after = await settledMemoryOf(pid, 10)
  process.stdout.write(
    `${sent} messages in ${seconds.toFixed(1)} s, the peer dropped ${drops} times; memory ${megabytes(before)} MB before, ${megabytes(most)} at most, ${megabytes(after)} settled: ${megabytes(after - before)} MB more; ${pace} blocks a second meanwhile\n`,
  )
  for (const line of cluster.node(1).output().split('\n'))
    if (/were not used|kept away/.test(line)) process.stdout.write(`${line}\n`)
} finally {
  await Promise.all(attackers.map(attacker => attacker.stop()))
  await cluster.end()
  rmSync(folder, { recursive: true, force: true })
}
