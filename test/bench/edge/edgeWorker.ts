import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ask, type Request } from '../../support/readers/readerRequests.ts'
import { startNode } from '../../runtime/nodeProcess.ts'
import { makeTokenChain } from '../../support/readers/readerRequests.ts'
import { bundleWorker, startWorkerd, type WorkerdProcess } from '../../support/servers/workerd.ts'
import type { Row } from '../measure.ts'

const SECRET = 'a secret of this deployment'
/** Requests after which the code of the Worker is compiled. */
const WARM_UP_CALLS = 1_000
const CALLS = 1_000
/** Starts of which the median counts. */
const STARTS = 5
const TICK_MS = 10

/** CPU of a process, user and system, in milliseconds. */
export const cpuMsOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/** CPU of workerd for the requests, one after the other, each. */
const cpuOf = async (pid: number, url: string, request: Request): Promise<number> => {
  for (let warmUp = 0; warmUp < WARM_UP_CALLS; warmUp++) await ask(url, request)
  const before = cpuMsOf(pid)
  for (let call = 0; call < CALLS; call++) await ask(url, request)
  return (cpuMsOf(pid) - before) / CALLS
}

/** A Worker that reads its Durable Object and answers: what workerd itself takes. */
const IDLE = `import { DurableObject } from 'cloudflare:workers'
export class ChainObject extends DurableObject { read() { return [...this.ctx.storage.sql.exec('SELECT 1 AS result')] } }
export default { fetch: async (request, { CHAIN }) => {
  const { id } = await request.json()
  const [row] = await CHAIN.get(CHAIN.idFromName('chain')).read()
  return Response.json({ jsonrpc: '2.0', id, ...row })
} }
`

/** CPU of workerd from its start to its first answer. */
const startCpuOf = async (start: () => Promise<WorkerdProcess>): Promise<number> => {
  const cpus: number[] = []
  for (let times = 0; times < STARTS; times++) {
    const worker = await start()
    await ask(worker.url, ['eth_blockNumber'])
    cpus.push(cpuMsOf(worker.pid))
    await worker.stop()
  }
  return cpus.toSorted((a, b) => a - b)[STARTS >> 1] as number
}

/**
 * The Worker in workerd alone, its store a Durable Object: under `wrangler dev`, miniflare's own Workers share the process and
 * take three times as much. Beside it a Worker that does nothing.
 */
export const benchWorker = async (folder: string): Promise<readonly Row[]> => {
  const first = await startNode(folder, ['--min-gas-price=0'])
  await first.stop()
  const variables = {
    MIN_GAS_PRICE: '0',
    VERIFY: 'none',
    GENESIS: JSON.stringify(JSON.parse(readFileSync(join(folder, 'genesis.json'), 'utf8'))),
    STORE_SECRET: SECRET,
  }
  const [bundle, idleBundle, objects] = ['bundle', 'idle', 'objects'].map(name => join(folder, name)) as [
    string,
    string,
    string,
  ]
  bundleWorker(bundle)
  for (const path of [idleBundle, objects]) mkdirSync(path)
  writeFileSync(join(idleBundle, 'main.js'), IDLE)
  const start = () => startWorkerd(bundle, variables, objects)
  const worker = await start()
  const idle = await startWorkerd(idleBundle, {})
  const node = await startNode(folder, [
    '--min-gas-price=0',
    `--replicate-to=http?url=${worker.url}&secret=${encodeURIComponent(SECRET)}`,
  ])
  try {
    const { account, token } = await makeTokenChain(node.url, 5)
    const head = await ask(node.url, ['eth_blockNumber'])
    while ((await ask(worker.url, ['eth_blockNumber'])) !== head) await Bun.sleep(50)
    const call = { to: token, data: `0x70a08231${account.slice(2).padStart(64, '0')}` }
    const block = await cpuOf(worker.pid, worker.url, ['eth_blockNumber'])
    const eth = await cpuOf(worker.pid, worker.url, ['eth_call', call, 'latest'])
    const nothing = await cpuOf(idle.pid, idle.url, ['eth_blockNumber'])
    for (const process of [node, worker, idle]) await process.stop()
    return [
      {
        name: 'Worker, CPU of workerd, ms',
        values: {
          'start to first answer': (await startCpuOf(start)).toFixed(0),
          eth_blockNumber: block.toFixed(2),
          eth_call: eth.toFixed(2),
          'eth_call above eth_blockNumber': (eth - block).toFixed(2),
        },
      },
      {
        name: 'a Worker that does nothing',
        values: {
          'start to first answer': (await startCpuOf(() => startWorkerd(idleBundle, {}))).toFixed(0),
          eth_blockNumber: nothing.toFixed(2),
        },
      },
    ]
  } finally {
    for (const process of [node, worker, idle]) await process.stop()
  }
}
