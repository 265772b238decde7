import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toHex } from '../../../core/bytes/hex.ts'
import { publicKeyOf } from '../../../core/crypto/crypto.ts'
import { formatEnode } from '../../../p2p/transport/enode.ts'
import { freePorts } from '../../../runtime/devnet/ports.ts'
import { genesisText, testKey } from '../../runtime/genesis.ts'
import { type NodeProcess, startNode } from '../../runtime/nodeProcess.ts'
import type { BenchOptions, Row } from '../measure.ts'
import { median, timesText } from '../measure.ts'
import { type BenchNode, startBenchNetwork } from './nodes.ts'
import { usageOf } from './usage.ts'

type Transport = 'libp2p' | 'devp2p'

const TRANSPORTS: readonly Transport[] = ['libp2p', 'devp2p']
/** Downloads over each transport, in turns. */
const RUNS = 3
/** The key of the node that serves the chain: no validator, so that nothing else happens meanwhile. */
const SERVER_KEY = 2
const MEASURED_MS = 20_000
/** What starting leaves to do is done after this. */
const REST_MS = 5_000

const headOf = async (node: Pick<NodeProcess | BenchNode, 'rpc'>): Promise<number> =>
  Number(await node.rpc<string>('eth_blockNumber'))

const untilHead = async (node: Pick<NodeProcess | BenchNode, 'rpc'>, number: number): Promise<void> => {
  while ((await headOf(node)) < number) await Bun.sleep(20)
}

const writeKey = (folder: string, index: number): void =>
  writeFileSync(join(folder, 'key'), toHex(testKey(index)), { mode: 0o600 })

type Served = {
  readonly folder: string
  readonly blocks: number
  readonly options: readonly string[]
  readonly ports: Readonly<Record<Transport, number>>
}

/** One validator makes the chain, and then serves it over both transports under another key. */
const startServer = async ({ folder, blocks, options, ports }: Served): Promise<NodeProcess> => {
  const dataPath = mkdtempSync(join(folder, 'server-'))
  writeKey(dataPath, 1)
  const maker = await startNode(dataPath, [...options, '--p2p-enabled=false', '--min-gas-price=0'])
  await untilHead(maker, blocks)
  await maker.stop()
  writeKey(dataPath, SERVER_KEY)
  return startNode(dataPath, [
    ...options,
    '--p2p-interface=127.0.0.1',
    '--p2p-protocol=both',
    `--p2p-port=${ports.devp2p}`,
    `--p2p-libp2p-port=${ports.libp2p}`,
  ])
}

/** Blocks a second, and CPU seconds for 1,000 of them, of a new node that downloads the chain. */
const measureDownload = async (
  { folder, blocks, options, ports }: Served,
  transport: Transport,
  key: number,
) => {
  const dataPath = mkdtempSync(join(folder, 'client-'))
  writeKey(dataPath, key)
  const publicKey = publicKeyOf(testKey(SERVER_KEY))
  const enode = formatEnode({ publicKey, host: '127.0.0.1', port: ports[transport] })
  writeFileSync(join(dataPath, 'static-nodes.json'), JSON.stringify([enode]))
  const client = await startNode(dataPath, [
    ...options,
    '--p2p-interface=127.0.0.1',
    '--p2p-port=0',
    `--p2p-protocol=${transport}`,
  ])
  try {
    await untilHead(client, 1)
    const [startMs, from, before] = [performance.now(), await headOf(client), usageOf(client.pid)]
    await untilHead(client, blocks)
    const seconds = (performance.now() - startMs) / 1000
    const cpu = usageOf(client.pid).cpuSeconds - before.cpuSeconds
    return { rate: (blocks - from) / seconds, cpu: (cpu / (blocks - from)) * 1000 }
  } finally {
    await client.kill()
  }
}

const benchSync = async (folder: string, blocks: number): Promise<Row> => {
  const genesisPath = join(folder, 'genesis.json')
  writeFileSync(genesisPath, genesisText({ qbft: { xblockperiodmilliseconds: 5 } }))
  const [libp2p = 0, devp2p = 0] = await freePorts(2)
  const options = [`--genesis-file=${genesisPath}`, '--rpc-http-enabled']
  const served: Served = { folder, blocks, options, ports: { libp2p, devp2p } }
  const server = await startServer(served)
  const measured: Record<Transport, { rate: number; cpu: number }[]> = { libp2p: [], devp2p: [] }
  try {
    for (let run = 0; run < RUNS; run++)
      for (const [at, transport] of TRANSPORTS.entries())
        measured[transport].push(await measureDownload(served, transport, 10 + 2 * run + at))
  } finally {
    await server.kill()
  }
  const rateOf = (transport: Transport): number => median(measured[transport].map(({ rate }) => rate))
  const cpuOf = (transport: Transport): number => median(measured[transport].map(({ cpu }) => cpu))
  return {
    name: `download of ${blocks} blocks, blocks/s (CPU s for 1,000)`,
    values: {
      libp2p: `${rateOf('libp2p').toFixed(0)} (${cpuOf('libp2p').toFixed(2)})`,
      devp2p: `${rateOf('devp2p').toFixed(0)} (${cpuOf('devp2p').toFixed(2)})`,
      'devp2p to libp2p': timesText(rateOf('devp2p'), rateOf('libp2p')),
    },
  }
}

/** CPU milliseconds of one validator for an empty block. */
const cpuOfBlock = async (transport: Transport, validators: number): Promise<number> => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-bench-'))
  const args = [`--p2p-protocol=${transport}`, '--discovery-enabled=false']
  const network = await startBenchNetwork({ folder, validators, periodMs: 1000, alloc: {}, args })
  try {
    const { nodes } = network
    const cpu = (): number => nodes.reduce((sum, { pid }) => sum + usageOf(pid).cpuSeconds, 0)
    await untilHead(nodes[0] as BenchNode, 3)
    await Bun.sleep(REST_MS)
    const [from, before] = [await headOf(nodes[0] as BenchNode), cpu()]
    await Bun.sleep(MEASURED_MS)
    const blocks = (await headOf(nodes[0] as BenchNode)) - from
    return ((cpu() - before) / blocks / validators) * 1000
  } finally {
    await network.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const benchConsensus = async (validators: number): Promise<Row> => {
  const libp2p = await cpuOfBlock('libp2p', validators)
  const devp2p = await cpuOfBlock('devp2p', validators)
  return {
    name: `empty block of ${validators} validators, CPU ms of each`,
    values: {
      libp2p: libp2p.toFixed(0),
      devp2p: devp2p.toFixed(0),
      'devp2p to libp2p': timesText(devp2p, libp2p),
    },
  }
}

/** The same node over devp2p beside libp2p. */
export const benchTransports = async ({ quick, progress }: BenchOptions): Promise<readonly Row[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-bench-'))
  try {
    progress('transports: block download')
    const sync = await benchSync(folder, quick ? 1_000 : 10_000)
    progress('transports: blocks of many validators')
    return [sync, await benchConsensus(quick ? 4 : 20)]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
