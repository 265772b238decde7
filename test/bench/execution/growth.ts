import type { Block } from '../../../core/block/block.ts'
import { qbftBlockHash } from '../../../core/block/codec/blockHash.ts'
import type { ChainHead, ChainStore } from '../../../core/store/store.ts'
import { createTrieCache } from '../../../core/trie/nodes/cache.ts'
import { updateStateRoot } from '../../../core/trie/state/stateRoot.ts'
import { withFolder } from '../../runtime/folder.ts'
import { ownBlocks } from '../engines/ownBlocks.ts'
import { benchGenesis } from '../genesis.ts'
import { type BenchOptions, median, msText, type Row } from '../measure.ts'
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
  /** Of reading ahead, which is no part of the two above. */
  readonly ahead: number
}

const mean = (values: readonly number[]): number => values.reduce((sum, ms) => sum + ms, 0) / values.length

const blockMs = (
  senders: readonly Sender[],
  holders: number,
  readsAhead: boolean,
  { quick, progress }: BenchOptions,
): Promise<Times> =>
  withFolder(async folder => {
    const counts = quick ? { warmups: 4, windows: 8 } : { warmups: 12, windows: 60 }
    const alloc = Object.fromEntries(
      senders.map(({ address }) => [toHex(address), { balance: toQuantity(10n ** 21n) }]),
    )
    const name = holders.toLocaleString('en')
    progress(`state of ${name} accounts: building`)
    const own = await ownBlocks(folder, benchGenesis(alloc))
    try {
      await growState(own.store, holders)
      progress(`state of ${name} accounts: blocks`)
      const times: number[] = []
      const aheads: number[] = []
      for (const sent of createBlocks('transfers', senders, counts.warmups + counts.windows, {
        recipients: holders,
      })) {
        if (readsAhead) aheads.push(await own.prefetch(sent))
        times.push((await own.run(sent)).ms)
      }
      const measured = times.slice(counts.warmups)
      return { median: median(measured), mean: mean(measured), ahead: median(aheads.slice(counts.warmups)) }
    } finally {
      await own.close()
    }
  })

const SIZES = [10_000, 100_000, 1_000_000]
const QUICK_SIZES = [10_000, 100_000]

/**
 * A block of 1,000 transfers to accounts all over states of three sizes: executed, all roots, committed to SQLite. Once with
 * the accounts read ahead, as a node does that has the transactions in its pool, and once for a node that has not.
 */
export const benchGrowth = async (options: BenchOptions): Promise<Row[]> => {
  const senders = createSenders()
  const rows: Row[] = []
  for (const readsAhead of [true, false]) {
    let smallest: Times | undefined
    for (const holders of options.quick ? QUICK_SIZES : SIZES) {
      const block = await blockMs(senders, holders, readsAhead, options)
      smallest ??= block
      rows.push({
        name: `${holders.toLocaleString('en')} accounts${readsAhead ? '' : ', not read ahead'}`,
        values: {
          'median ms': msText(block.median),
          'against 10,000': `${(block.median / smallest.median).toFixed(2)}x`,
          'mean ms': msText(block.mean),
          ' against 10,000': `${(block.mean / smallest.mean).toFixed(2)}x`,
          'read ahead ms': readsAhead ? msText(block.ahead) : '',
        },
      })
    }
  }
  return rows
}
