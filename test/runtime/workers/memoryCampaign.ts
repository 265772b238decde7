import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { memoryOf } from '../../cluster/support/memory.ts'
import { faultsOf, hostileBodies } from '../../support/readers/hostileRequests.ts'
import { LOGINS, postAll, slowBodies } from '../../support/readers/hostileClients.ts'
import { ask, makeTokenChain } from '../../support/readers/readerRequests.ts'
import { bundleWorker, startWorkerd } from '../../support/servers/workerd.ts'
import { until } from '../../support/until.ts'
import { startNode } from '../nodeProcess.ts'

/*
 * Compares the memory of workerd over rounds of hostile requests (the corpus of the fuzzers, writes to its store with and
 * without the secret, logins, slow bodies) with that of a Worker which does nothing and gets the same
 * requests: workerd itself keeps some kilobytes of each request for a long time.
 */

const SECRET = 'a secret of this deployment'
const IDLE = `import { DurableObject } from 'cloudflare:workers'
export class ChainObject extends DurableObject {}
export default { fetch: async request => new Response('{"bytes":' + (await request.text()).length + '}') }
`
/** What the Worker's own caches may still take in the second half. */
const GROWTH_BYTES_MAX = 48 * 1024 * 1024

const STORE_BODY_BYTES_MAX = 64 * 1024 * 1024
const HOLD_MS = 3_000

/** Bodies for the route that fills the store, with and without the secret. Gives the statuses of the server's own fault. */
const faultsOfStore = async (url: string): Promise<readonly string[]> => {
  const random = (length: number): Uint8Array<ArrayBuffer> => crypto.getRandomValues(new Uint8Array(length))
  const bodies: readonly (readonly [what: string, body: Uint8Array<ArrayBuffer>])[] = [
    ['nothing', new Uint8Array(0)],
    ...Array.from({ length: 20 }, (_, index) => [`garbage ${index}`, random(1 + 1000 * index)] as const),
    ['counts that are too large', new Uint8Array(1000).fill(255)],
    ['zeros', new Uint8Array(5_000_000)],
    ['too much', new Uint8Array(STORE_BODY_BYTES_MAX + 1)],
  ]
  const faults: string[] = []
  for (const secret of ['another secret of theirs', SECRET])
    for (const what of ['read', 'write', 'nothing'])
      for (const [name, body] of bodies) {
        const response = await fetch(`${url}/store/${what}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${secret}` },
          body,
        })
        await response.arrayBuffer()
        const { status } = response
        if (status >= 500 || (secret !== SECRET && status !== 401)) faults.push(`${what}, ${name}: ${status}`)
      }
  return faults
}

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '8' } } })
const rounds = Number(values.rounds)
const folder = mkdtempSync(join(tmpdir(), 'quorate-memory-'))
const ends: (() => Promise<unknown>)[] = [async () => rmSync(folder, { recursive: true, force: true })]
try {
  const first = await startNode(folder, ['--min-gas-price=0'])
  await first.stop()
  const [bundle, idleBundle] = [join(folder, 'bundle'), join(folder, 'idle')]
  bundleWorker(bundle)
  mkdirSync(idleBundle)
  writeFileSync(join(idleBundle, 'main.js'), IDLE)
  const genesis = JSON.stringify(JSON.parse(readFileSync(join(folder, 'genesis.json'), 'utf8')))
  const worker = await startWorkerd(bundle, { MIN_GAS_PRICE: '0', GENESIS: genesis, STORE_SECRET: SECRET })
  ends.push(worker.stop)
  const idle = await startWorkerd(idleBundle, {})
  ends.push(idle.stop)
  const node = await startNode(folder, [
    '--min-gas-price=0',
    `--replicate-to=http?url=${worker.url}&secret=${encodeURIComponent(SECRET)}`,
  ])
  ends.push(() => node.stop())
  const chain = await makeTokenChain(node.url, 20)
  const head = await ask(node.url, ['eth_blockNumber'])
  await until(async () => (await ask(worker.url, ['eth_blockNumber'])) === head)
  const bodies = hostileBodies(chain)
  const above: number[] = []
  for (let round = 1; round <= rounds; round++) {
    const faults = [...(await faultsOf(worker.url, bodies)), ...(await faultsOfStore(worker.url))]
    await faultsOf(idle.url, bodies)
    await faultsOfStore(idle.url)
    for (const { url } of [worker, idle]) {
      await postAll(`${url}/login`, LOGINS)
      const statuses = await slowBodies({ url, ms: HOLD_MS })
      for (const status of statuses.keys()) if (status >= 500) faults.push(`slow bodies: ${status}`)
    }
    if (faults.length > 0) throw new Error(`faults of the Worker: ${faults.join('\n')}`)
    const [ours, theirs] = [memoryOf(worker.pid), memoryOf(idle.pid)]
    above.push(ours - theirs)
    console.log(`round ${round}: ${ours >> 20} MB, a Worker that does nothing ${theirs >> 20} MB`)
  }
  const half = rounds >> 1
  const growth = (above.at(-1) as number) - (above[half - 1] as number)
  console.log(`${growth >> 20} MB of growth above it in the second half`)
  if (growth > GROWTH_BYTES_MAX) process.exitCode = 1
} finally {
  for (const end of ends.toReversed()) await end()
}
