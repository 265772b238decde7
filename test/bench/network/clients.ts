import { accessSync, constants, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { toHex } from '../../../core/bytes/hex.ts'
import { freePorts } from '../../../runtime/devnet/ports.ts'
import { mixedGenesisText } from '../../devp2p/genesis.ts'
import {
  type Client,
  createMember,
  type Member,
  prepareMember,
  type RunningMember,
  startMember,
} from '../../devp2p/member.ts'
import { headOf } from '../../devp2p/rpc.ts'
import { withFolder } from '../../runtime/folder.ts'
import { until } from '../../support/until.ts'
import { type BenchOptions, median, type Row } from '../measure.ts'
import { createAlloc, createBlocks, createSenders, FREE_LEGACY, type WorkloadKind } from '../workload.ts'
import { type LoadNode, type LoadResult, runLoad } from './load.ts'
import { call } from './nodes.ts'
import { usageOf } from './usage.ts'

const VALIDATORS = 4
const PERIOD_SECONDS = 1
const NAMES: Readonly<Record<Client, string>> = { quorate: 'Quorate', besu: 'Besu', goquorum: 'GoQuorum' }
const KINDS: readonly WorkloadKind[] = ['transfers', 'ERC-20 transfers']

/** Full load that is not measured: each of the runtimes compiles or warms up meanwhile. */
const WARM_SECONDS = 15
/** Blocks without transactions before memory and processor are looked at. */
const REST_MS = 20_000
/** More per second than a network can include. */
const FULL = 3_000
/** Four Java machines on two cores start within a minute. */
const START_MS_MAX = 300_000

/** True if the environment names an executable. @throws Error if that cannot be run */
const isNamed = (variable: 'GETH_QUORUM' | 'BESU'): boolean => {
  const path = process.env[variable]
  if (path === undefined) return false
  try {
    accessSync(path, constants.X_OK)
  } catch (error) {
    throw new Error(`${variable} must name an executable: ${(error as Error).message}`, { cause: error })
  }
  return true
}

/** This software, and those whose executables the environment names. */
const clientsHere = (): readonly Client[] => [
  'quorate',
  ...(isNamed('GETH_QUORUM') ? (['goquorum'] as const) : []),
  ...(isNamed('BESU') ? (['besu'] as const) : []),
]

type Network = { readonly running: readonly RunningMember[]; readonly answerMs: number }

/** Four validators of one client, started together. */
const startNetwork = async (folder: string, client: Client, alloc: object): Promise<Network> => {
  const network = client === 'quorate' ? 'besu' : client
  const ports = await freePorts(2 * VALIDATORS)
  const members: readonly Member[] = Array.from({ length: VALIDATORS }, (_, index) =>
    createMember(folder, `validator${index + 1}`, client, [
      ports[2 * index] as number,
      ports[2 * index + 1] as number,
    ]),
  )
  const genesisPath = join(folder, 'genesis.json')
  const addresses = members.map(({ key }) => key.address).toSorted((a, b) => (toHex(a) < toHex(b) ? -1 : 1))
  writeFileSync(genesisPath, mixedGenesisText(network, addresses, PERIOD_SECONDS, alloc))
  for (const member of members)
    prepareMember(
      member,
      members.filter(other => other !== member),
      genesisPath,
    )
  const beganMs = performance.now()
  const running = members.map(member => startMember(member, genesisPath, network, 'INFO'))
  try {
    const reach = (number: number): Promise<boolean> =>
      until(
        async () => (await Promise.all(running.map(({ url }) => headOf(url)))).every(head => head >= number),
        {
          what: `block ${number} of ${NAMES[client]}`,
          timeoutMs: START_MS_MAX,
        },
      )
    await reach(0)
    const answerMs = performance.now() - beganMs
    await reach(2)
    return { running, answerMs }
  } catch (error) {
    await stopNetwork(running)
    throw error
  }
}

const stopNetwork = async (running: readonly RunningMember[]): Promise<void> => {
  await Promise.all(running.map(member => member.stop('SIGTERM')))
}

const cpuSecondsOf = (running: readonly RunningMember[]): number =>
  running.reduce((sum, { pid }) => sum + usageOf(pid).cpuSeconds, 0)

const largestMb = (running: readonly RunningMember[]): number =>
  Math.max(...running.map(({ pid }) => usageOf(pid).residentMb))

const rateOf = ({ included, seconds }: LoadResult): string =>
  seconds === 0 ? '' : (included / seconds).toFixed(0)

const gapText = ({ gapsMs }: LoadResult): string =>
  gapsMs.length === 0
    ? ''
    : `${(median(gapsMs) / 1000).toFixed(1)} / ${((gapsMs.at(-1) ?? 0) / 1000).toFixed(1)}`

/** Bytes that the files below a folder take on the disk. */
const diskBytesOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + 512 * statSync(join(parentPath, name)).blocks, 0)

const dataPathOf = ({ running }: Network): string => (running[0] as RunningMember).member.dataPath

type MeasuredLoad = {
  readonly values: Row['values']
  /** Of all loads. */
  readonly transactions: number
}

const measure = async (
  { running, answerMs }: Network,
  kind: WorkloadKind,
  seconds: number,
): Promise<MeasuredLoad> => {
  await new Promise(resolve => setTimeout(resolve, REST_MS))
  const [restMs, atRest] = [performance.now(), cpuSecondsOf(running)]
  await new Promise(resolve => setTimeout(resolve, REST_MS))
  const idleShare = (cpuSecondsOf(running) - atRest) / running.length / ((performance.now() - restMs) / 1000)
  const idleMb = largestMb(running)
  const senders = createSenders()
  const count = Math.ceil((FULL * (WARM_SECONDS + seconds)) / senders.length)
  const transactions = createBlocks(kind, senders, count, { form: FREE_LEGACY }).flat()
  const nodes: readonly LoadNode[] = running.map(({ url }) => ({
    url,
    rpc: (method, ...params) => call(url, method, params),
  }))
  const { sent } = await runLoad({ nodes, transactions, perSecond: undefined, seconds: WARM_SECONDS })
  const before = cpuSecondsOf(running)
  const load = await runLoad({ nodes, transactions: transactions.slice(sent), perSecond: undefined, seconds })
  const cpuMs = ((cpuSecondsOf(running) - before) / running.length / Math.max(1, load.sent)) * 1000
  const values = {
    'tx/s': rateOf(load),
    'gap, s': gapText(load),
    'CPU ms/tx': cpuMs.toFixed(2),
    'first answer, s': (answerMs / 1000).toFixed(2),
    'CPU idle': `${(idleShare * 100).toFixed(1)}%`,
    'MB idle': idleMb.toFixed(0),
    'MB full': largestMb(running).toFixed(0),
  }
  return { values, transactions: sent + load.sent }
}

type ClientRun = {
  readonly client: Client
  readonly kind: WorkloadKind
  readonly alloc: object
  readonly seconds: number
}

const measureClient = async (
  folder: string,
  { client, kind, alloc, seconds }: ClientRun,
): Promise<Row['values']> => {
  const network = await startNetwork(folder, client, alloc)
  const bytesBefore = diskBytesOf(dataPathOf(network))
  let measured: MeasuredLoad
  try {
    measured = await measure(network, kind, seconds)
  } finally {
    await stopNetwork(network.running)
  }
  // After an orderly stop: until then a node may keep its newest state in memory.
  const bytes = diskBytesOf(dataPathOf(network)) - bytesBefore
  return { ...measured.values, 'disk, B/tx': (bytes / measured.transactions).toFixed(0) }
}

/** Networks of this software and of others, one after the other, with the same client and transactions. */
export const benchClients = async ({ quick, row }: BenchOptions): Promise<void> => {
  const clients = clientsHere()
  const alloc = await createAlloc(createSenders())
  for (const kind of quick ? KINDS.slice(0, 1) : KINDS)
    for (const client of clients) {
      const name = `${NAMES[client]}, ${kind}`
      const measured = (folder: string): Promise<Row['values']> =>
        measureClient(folder, { client, kind, alloc, seconds: quick ? 10 : 30 })
      await row(name, async () => ({ name, values: await withFolder(measured) }))
    }
}
