import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ask, type Request } from '../../support/readers/readerRequests.ts'
import { startNode } from '../../runtime/nodeProcess.ts'
import { makeTokenChain } from '../../support/readers/readerRequests.ts'
import { bundleWorker, startWorkerd } from '../../support/servers/workerd.ts'
import type { Row } from '../measure.ts'

const SECRET = 'a secret of this deployment'
const CALLS = 400
const TICK_MS = 10

/** CPU of a process, user and system, in milliseconds. */
export const cpuMsOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/** CPU of workerd for the requests, one after the other, each. */
const cpuOf = async (pid: number, url: string, request: Request): Promise<number> => {
  for (let warmUp = 0; warmUp < 100; warmUp++) await ask(url, request)
  const before = cpuMsOf(pid)
  for (let call = 0; call < CALLS; call++) await ask(url, request)
  return (cpuMsOf(pid) - before) / CALLS
}

/**
 * The Worker in workerd alone, its store a Durable Object: under `wrangler dev`, miniflare's own Workers share the process and
 * take three times as much.
 */
export const benchWorker = async (folder: string): Promise<readonly Row[]> => {
  const first = await startNode(folder, ['--min-gas-price=0'])
  await first.stop()
  const genesis = JSON.stringify(JSON.parse(readFileSync(join(folder, 'genesis.json'), 'utf8')))
  const bundle = join(folder, 'bundle')
  bundleWorker(bundle)
  const worker = await startWorkerd(bundle, {
    MIN_GAS_PRICE: '0',
    VERIFY: 'none',
    GENESIS: genesis,
    STORE_SECRET: SECRET,
  })
  const node = await startNode(folder, [
    '--min-gas-price=0',
    `--replicate-to=http?url=${worker.url}&secret=${encodeURIComponent(SECRET)}`,
  ])
  try {
    const startMs = cpuMsOf(worker.pid)
    const { account, token } = await makeTokenChain(node.url, 5)
    const head = await ask(node.url, ['eth_blockNumber'])
    while ((await ask(worker.url, ['eth_blockNumber'])) !== head) await Bun.sleep(50)
    const call = { to: token, data: `0x70a08231${account.slice(2).padStart(64, '0')}` }
    const [block, eth] = [
      await cpuOf(worker.pid, worker.url, ['eth_blockNumber']),
      await cpuOf(worker.pid, worker.url, ['eth_call', call, 'latest']),
    ]
    return [
      {
        name: 'Worker, CPU of workerd, ms',
        values: {
          'start to first answer': startMs.toFixed(0),
          eth_blockNumber: block.toFixed(2),
          eth_call: eth.toFixed(2),
          'eth_call above eth_blockNumber': (eth - block).toFixed(2),
        },
      },
    ]
  } finally {
    await node.stop()
    await worker.stop()
  }
}
