import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import { publicKeyOf } from '../../../core/crypto/crypto.ts'
import { formatEnode } from '../../../p2p/transport/enode.ts'
import { freePorts } from '../../../runtime/devnet/ports.ts'
import { genesisText, testKey } from '../../runtime/genesis.ts'
import { type NodeProcess, startNode } from '../../runtime/nodeProcess.ts'
import { benchGenesis } from '../genesis.ts'
import { median, type Row, timesText } from '../measure.ts'
import { makeTransferChain } from '../storage/transferChain.ts'
import { createSenders, HOLDERS } from '../workload.ts'
import type { BenchNode } from './nodes.ts'
import { usageOf } from './usage.ts'

export type Transport = 'libp2p' | 'devp2p'

const TRANSPORTS: readonly Transport[] = ['libp2p', 'devp2p']
/** Downloads over each transport, in turns. */
const RUNS = 3
/** The key of the node that serves the chain: no validator, so that nothing else happens meanwhile. */
const SERVER_KEY = 2
const TRANSFERS = 3
/** Blocks whose transactions are in memory at once. */
const BLOCKS_AT_ONCE = 500

export const headOf = async (node: Pick<NodeProcess | BenchNode, 'rpc'>): Promise<number> =>
  Number(await node.rpc<string>('eth_blockNumber'))

export const untilHead = async (
  node: Pick<NodeProcess | BenchNode, 'rpc'>,
  number: number,
): Promise<void> => {
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

/** Serves the chain of a data path over both transports, under a key of its own. */
const startServer = (dataPath: string, { options, ports }: Served): Promise<NodeProcess> => {
  writeKey(dataPath, SERVER_KEY)
  return startNode(dataPath, [
    ...options,
    '--p2p-interface=127.0.0.1',
    '--p2p-protocol=both',
    `--p2p-port=${ports.devp2p}`,
    `--p2p-libp2p-port=${ports.libp2p}`,
  ])
}

type Download = { readonly rate: number; readonly cpu: number }

/** Blocks a second, and CPU seconds for each, of a new node that downloads the chain. */
const measureDownload = async (
  { folder, blocks, options, ports }: Served,
  transport: Transport,
  key: number,
): Promise<Download> => {
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
    return { rate: (blocks - from) / seconds, cpu: cpu / (blocks - from) }
  } finally {
    await client.kill()
  }
}

/** What nodes need to serve and download a chain that `make` has left in the data path. */
const benchDownload = async (
  folder: string,
  {
    blocks,
    genesis,
    make,
    row,
  }: {
    readonly blocks: number
    readonly genesis: object
    readonly make: (dataPath: string, options: readonly string[]) => Promise<void>
    readonly row: (of: (transport: Transport) => Download) => Row
  },
): Promise<Row> => {
  const dataPath = mkdtempSync(join(folder, 'server-'))
  const genesisPath = join(dataPath, 'genesis.json')
  writeFileSync(genesisPath, JSON.stringify(genesis))
  const [libp2p = 0, devp2p = 0] = await freePorts(2)
  const options = [`--genesis-file=${genesisPath}`, '--rpc-http-enabled']
  const served: Served = { folder, blocks, options, ports: { libp2p, devp2p } }
  await make(dataPath, options)
  const server = await startServer(dataPath, served)
  const measured: Record<Transport, Download[]> = { libp2p: [], devp2p: [] }
  try {
    for (let run = 0; run < RUNS; run++)
      for (const [at, transport] of TRANSPORTS.entries())
        measured[transport].push(await measureDownload(served, transport, 10 + 2 * run + at))
  } finally {
    await server.kill()
  }
  return row(transport => ({
    rate: median(measured[transport].map(({ rate }) => rate)),
    cpu: median(measured[transport].map(({ cpu }) => cpu)),
  }))
}

/** Empty blocks, which one validator made. */
export const benchEmptyDownload = (folder: string, blocks: number): Promise<Row> =>
  benchDownload(folder, {
    blocks,
    genesis: JSON.parse(genesisText({ qbft: { xblockperiodmilliseconds: 5 } })) as object,
    make: async (dataPath, options) => {
      writeKey(dataPath, 1)
      const maker = await startNode(dataPath, [...options, '--p2p-enabled=false', '--min-gas-price=0'])
      await untilHead(maker, blocks)
      await maker.stop()
    },
    row: of => {
      const text = ({ rate, cpu }: Download): string => `${rate.toFixed(0)} (${(cpu * 1000).toFixed(2)})`
      return {
        name: `download of ${blocks} blocks, blocks/s (CPU s for 1,000)`,
        values: {
          libp2p: text(of('libp2p')),
          devp2p: text(of('devp2p')),
          'devp2p to libp2p': timesText(of('devp2p').rate, of('libp2p').rate),
        },
      }
    },
  })

/** Blocks of a few transfers, which is what a node that was away for some hours executes. */
export const benchFilledDownload = (folder: string, blocks: number): Promise<Row> => {
  const senders = createSenders().slice(0, TRANSFERS)
  const alloc = senders.map(({ address }) => [toHex(address), { balance: toQuantity(10n ** 24n) }])
  const genesis = benchGenesis(Object.fromEntries(alloc))
  return benchDownload(folder, {
    blocks,
    genesis,
    make: dataPath =>
      makeTransferChain(dataPath, genesis, {
        senders,
        blocks,
        blocksAtOnce: BLOCKS_AT_ONCE,
        recipients: HOLDERS,
      }),
    row: of => {
      const text = ({ rate, cpu }: Download): string =>
        `${(blocks / rate).toFixed(1)} (${(cpu * blocks).toFixed(1)})`
      return {
        name: `download of ${blocks} blocks with ${blocks * TRANSFERS} transfers, s (CPU s)`,
        values: {
          libp2p: text(of('libp2p')),
          devp2p: text(of('devp2p')),
          'devp2p to libp2p': timesText(of('devp2p').rate, of('libp2p').rate),
        },
      }
    },
  })
}
