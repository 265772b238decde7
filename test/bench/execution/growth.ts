import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Block } from '../../../core/block/block.ts'
import { qbftBlockHash } from '../../../core/block/codec/blockHash.ts'
import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import type { ChainHead, ChainStore } from '../../../core/store/store.ts'
import { createTrieCache } from '../../../core/trie/nodes/cache.ts'
import { updateStateRoot } from '../../../core/trie/state/stateRoot.ts'
import { withFolder } from '../../runtime/folder.ts'
import { type OwnBlocks, ownBlocks } from '../engines/ownBlocks.ts'
import { benchGenesis } from '../genesis.ts'
import { type BenchOptions, median, msText, type Row, timesText } from '../measure.ts'
import { holderBatches } from './trie.ts'
import { createBlocks, createSenders, type Sender } from '../workload.ts'
import { toHex, toQuantity } from '../../../core/bytes/hex.ts'

/** Commits blocks that create the holders, as many as the state is to have, and waits until they are in SQLite. */
const growState = async (store: ChainStore, holders: number): Promise<void> => {
  const cache = createTrieCache()
  for (const changes of holderBatches(0, holders)) {
    const parent = store.head() as ChainHead
    const update = updateStateRoot(store.nodes(), parent.header.stateRoot, changes, cache)
    const header = {
      ...parent.header,
      parentHash: parent.hash,
      number: parent.header.number + 1n,
      timestamp: parent.header.timestamp + 1n,
      stateRoot: update.root,
    }
    const block: Block = { header, transactions: [], ommers: [], withdrawals: [] }
    await store.commit({
      block,
      hash: qbftBlockHash(header),
      totalDifficulty: parent.totalDifficulty + header.difficulty,
      senders: [],
      receipts: [],
      changes: update.changes,
      nodes: update.nodes,
    })
  }
  await store.flush()
}

type Times = {
  readonly median: number
  readonly mean: number
  /** Of all threads of the process. */
  readonly meanCpu: number
}

type Grown = {
  /** `ahead` is no part of the other two. */
  readonly readAhead: Times & { readonly ahead: number }
  readonly notReadAhead: Times
  readonly bytesPerAccount: number
  readonly bytesPerTransfer: number
}

const mean = (values: readonly number[]): number => values.reduce((sum, ms) => sum + ms, 0) / values.length

type Counts = { readonly warmups: number; readonly windows: number }

type BlockTime = { readonly ms: number; readonly cpuMs: number }

/** Blocks with and without reading ahead in turns, so that both have the same state, caches and flushes. */
const blockTimes = async (
  { prefetch, run }: OwnBlocks,
  blocks: readonly (readonly RecoveredTransaction[])[],
  warmups: number,
): Promise<Pick<Grown, 'readAhead' | 'notReadAhead'>> => {
  const aheads: number[] = []
  const times: [BlockTime[], BlockTime[]] = [[], []]
  for (const [index, sent] of blocks.entries()) {
    const isReadAhead = index % 2 === 0
    const ahead = isReadAhead ? await prefetch(sent) : 0
    const before = process.cpuUsage()
    const { ms } = await run(sent)
    const { user, system } = process.cpuUsage(before)
    if (index < warmups) continue
    if (isReadAhead) aheads.push(ahead)
    times[isReadAhead ? 0 : 1].push({ ms, cpuMs: (user + system) / 1000 })
  }
  const of = (blocks: readonly BlockTime[]): Times => {
    const walls = blocks.map(({ ms }) => ms)
    return { median: median(walls), mean: mean(walls), meanCpu: mean(blocks.map(({ cpuMs }) => cpuMs)) }
  }
  return { readAhead: { ...of(times[0]), ahead: median(aheads) }, notReadAhead: of(times[1]) }
}

/** Bytes of the files of a folder. */
const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)

const measure = (
  senders: readonly Sender[],
  holders: number,
  { warmups, windows }: Counts,
  progress: (text: string) => void,
): Promise<Grown> =>
  withFolder(async folder => {
    const alloc = senders.map(({ address }) => [toHex(address), { balance: toQuantity(10n ** 21n) }])
    const name = holders.toLocaleString('en')
    progress(`state of ${name} accounts: building`)
    const own = await ownBlocks(folder, benchGenesis(Object.fromEntries(alloc)))
    try {
      const bytes = [sizeOf(folder)]
      await growState(own.store, holders)
      bytes.push(sizeOf(folder))
      progress(`state of ${name} accounts: blocks`)
      const count = warmups + windows
      const times = await blockTimes(
        own,
        createBlocks('transfers', senders, count, { recipients: holders }),
        warmups,
      )
      await own.store.flush()
      bytes.push(sizeOf(folder))
      const [empty, grown, sent] = bytes as [number, number, number]
      return {
        ...times,
        bytesPerAccount: (grown - empty) / holders,
        bytesPerTransfer: (sent - grown) / (count * senders.length),
      }
    } finally {
      await own.close()
    }
  })

/** A state that is measured for the sake of the compilers alone. */
const WARM_UP_SIZE = 1_000
const SIZES = [10_000, 100_000, 1_000_000]
const QUICK_SIZES = [10_000, 100_000]
const FULL_SIZES = [10_000, 10_000_000]

/**
 * A block of 1,000 transfers to accounts all over states of several sizes: executed, all roots, committed to SQLite. Once
 * with the accounts read ahead, as a node does that has the transactions in its pool, and once for a node that has not.
 */
export const benchGrowth = async ({ quick, full, progress, row: add }: BenchOptions): Promise<void> => {
  const senders = createSenders()
  const counts = quick ? { warmups: 10, windows: 20 } : { warmups: 30, windows: 120 }
  progress('warming up')
  await measure(senders, WARM_UP_SIZE, { warmups: 0, windows: counts.warmups }, () => undefined)
  let smallest: Grown | undefined
  const row = (holders: number, of: Times, first: Times): Row => ({
    name: `${holders.toLocaleString('en')} accounts`,
    values: {
      'median ms': msText(of.median),
      'against 10,000': timesText(of.median, first.median),
      'mean ms': msText(of.mean),
      ' against 10,000': timesText(of.mean, first.mean),
      'mean CPU ms': msText(of.meanCpu),
      '  against 10,000': timesText(of.meanCpu, first.meanCpu),
    },
  })
  for (const holders of quick ? QUICK_SIZES : full ? FULL_SIZES : SIZES)
    await add(`${holders.toLocaleString('en')} accounts`, async () => {
      const grown = await measure(senders, holders, counts, progress)
      smallest ??= grown
      const { name, values } = row(holders, grown.readAhead, smallest.readAhead)
      const more = {
        'read ahead ms': msText(grown.readAhead.ahead),
        'bytes an account': grown.bytesPerAccount.toFixed(0),
        'bytes a transfer': grown.bytesPerTransfer.toFixed(0),
      }
      const notReadAhead = row(holders, grown.notReadAhead, smallest.notReadAhead)
      return [
        { name, values: { ...values, ...more } },
        { ...notReadAhead, name: `${name}, not read ahead` },
      ]
    })
}
