import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ask, type Request } from '../support/readerRequests.ts'
import { startNode } from '../runtime/nodeProcess.ts'
import { makeTokenChain } from '../support/readerRequests.ts'
import { startWorker } from '../support/servers/worker.ts'
import type { Row } from './measure.ts'

const SECRET = 'a secret of this deployment'
const CALLS = 400
const TICKS_MS = 10

/** CPU of the processes of workerd below wrangler, user and system, in milliseconds. */
const workerdCpuMs = (pid: number): number => {
  const { stdout } = spawnSync('ps', ['-e', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' })
  const rows = stdout
    .trim()
    .split('\n')
    .map(line => line.trim().split(/\s+/))
  const found = new Set([`${pid}`])
  for (const _ of rows) for (const [child = '', parent = ''] of rows) if (found.has(parent)) found.add(child)
  let ticks = 0
  for (const [child = '', , command] of rows) {
    if (!found.has(child) || command !== 'workerd') continue
    const fields = readFileSync(`/proc/${child}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    ticks += Number(fields[11]) + Number(fields[12])
  }
  return ticks * TICKS_MS
}

/** CPU of workerd for the requests, one after the other, each. */
const cpuOf = async (pid: number, url: string, request: Request): Promise<number> => {
  for (let warmUp = 0; warmUp < 100; warmUp++) await ask(url, request)
  const before = workerdCpuMs(pid)
  for (let call = 0; call < CALLS; call++) await ask(url, request)
  return (workerdCpuMs(pid) - before) / CALLS
}

/** The Worker by `wrangler dev`: what workerd takes includes its own stores and proxies. */
export const benchWorker = async (folder: string): Promise<readonly Row[]> => {
  const first = await startNode(folder, ['--min-gas-price=0'])
  await first.stop()
  const genesis = JSON.stringify(JSON.parse(readFileSync(join(folder, 'genesis.json'), 'utf8')))
  const worker = await startWorker({
    variables: { MIN_GAS_PRICE: '0', VERIFY: 'none', GENESIS: genesis, STORE_SECRET: SECRET },
  })
  const node = await startNode(folder, [
    '--min-gas-price=0',
    `--replicate-to=http?url=${worker.url}&secret=${encodeURIComponent(SECRET)}`,
  ])
  try {
    const startMs = workerdCpuMs(worker.pid)
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
        name: 'Worker, CPU of workerd with its simulated stores, ms',
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
