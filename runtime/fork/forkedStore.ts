import type { Hash } from '../../core/bytes/bytes.ts'
import { withChecksum } from '../../core/store/checksum.ts'
import { openChainStore } from '../../core/store/chainStore.ts'
import { encodeChainHead } from '../../core/store/codec/chainHead.ts'
import { readFlushedHeight, writeFlushedHeight } from '../../core/store/flushing/flushedHeight.ts'
import { headerKey, segmentKey } from '../../core/store/keys.ts'
import type { KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'
import { bloomMayMatch } from '../../core/store/logs/pattern.ts'
import type { ChainStore, RewindableStore } from '../../core/store/store.ts'
import { createForkedStorage } from './forkedStorage.ts'
import type { ForkPoint } from './forkPoint.ts'
import { readForeignRecord, segmentOf } from './readForeign.ts'

/** Headers of the network that one step of a log search reads: a request. */
const SEARCH_BLOCKS = 64n

/** Writes the head of the fork into a new storage: the height of the views last, as it makes the others count. */
const begin = async (
  storage: KeyValueStore,
  { upstream, number, hash }: ForkPoint,
  genesisHash: Hash,
): Promise<void> => {
  if ((await readFlushedHeight(storage)).flushedHeight !== undefined) return
  const record = await readForeignRecord(upstream, number)
  const { header } = record.block
  const entries = [
    { key: headerKey(number), value: encodeChainHead({ ...record, header }) },
    { key: segmentKey(number), value: segmentOf(record) },
  ]
  await storage.set(entries.map(({ key, value }) => ({ key, value: withChecksum(key, value) })))
  await storage.sync()
  await writeFlushedHeight(storage, { number, hash, genesisHash, sequence: 1, isPruned: false })
  await storage.sync()
}

/** Searches the blocks of the network by the blooms of their headers. */
const searchForeign = async (
  store: ChainStore,
  [pattern, from, to]: Parameters<ChainStore['searchLogs']>,
): ReturnType<ChainStore['searchLogs']> => {
  const through = to < from + SEARCH_BLOCKS ? to : from + SEARCH_BLOCKS - 1n
  const numbers = Array.from({ length: Number(through - from) + 1 }, (_, index) => from + BigInt(index))
  const headers = await Promise.all(numbers.map(number => store.header(number)))
  const found = numbers.filter((_, index) => {
    const bloom = headers[index]?.logsBloom
    return bloom !== undefined && bloomMayMatch(bloom, pattern)
  })
  return { numbers: found, through }
}

/**
 * Opens the store of a chain that forks another network.
 * @param storage holds what the chain wrote and read from the network before; may be new
 * @param genesisHash identifies the chain
 * @throws RpcError `FORK_UNAVAILABLE` when the network does not have the block, and those of openChainStore
 */
export const openForkedStore = async (
  storage: KeyValueStore,
  point: ForkPoint,
  genesisHash: Hash,
): Promise<RewindableStore> => {
  await begin(storage, point, genesisHash)
  const { upstream, number } = point
  const store = await openChainStore(createForkedStorage(storage, upstream, number), {
    rewinds: true,
    forkBlock: number,
  })
  const last = BigInt(number)
  return {
    ...store,
    searchLogs: (pattern, from, to) =>
      from > last
        ? store.searchLogs(pattern, from, to)
        : searchForeign(store, [pattern, from, to < last ? to : last]),
  }
}
