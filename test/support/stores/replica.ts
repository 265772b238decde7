import type { KeyValueStore } from '../../../core/store/keyvalue/keyvalue.ts'
import { encodeSegment } from '../../../core/store/segments/segment.ts'
import { type ReplicaSnapshot, createReadStore } from '../../../core/store/replica/readStore.ts'
import { decodeReplicaHead } from '../../../core/store/replica/replicaHead.ts'
import { withImmutableCache } from '../../../core/store/replica/immutableCache.ts'
import { openReplicaWriter } from '../../../core/store/replica/replicaWriter.ts'
import type { SampleChain } from '../chains/sampleChain.ts'

/** A store in memory with what a shared store has: batches, and writes under a condition. */
export const sharedMemory = (
  items = new Map<string, Uint8Array>(),
  onWrite: () => void = () => undefined,
): KeyValueStore => {
  const put = (entries: Parameters<KeyValueStore['set']>[0]): void => {
    onWrite()
    for (const { key, value } of entries)
      if (value === undefined) items.delete(key)
      else items.set(key, value.slice())
  }
  return {
    durability: 'none',
    getSync: undefined,
    get: async key => items.get(key),
    getMany: async keys => keys.map(key => items.get(key)),
    set: async entries => put(entries),
    setIf: async ({ key, value }, entries) => {
      const found = items.get(key)
      if ((found === undefined) !== (value === undefined)) return false
      if (found !== undefined && value !== undefined && !Bun.deepEquals(found, value)) return false
      put(entries)
      return true
    },
    setDurably: async entry => put([entry]),
    sync: async () => undefined,
    pause: async () => undefined,
    close: async () => undefined,
  }
}

/** The encoded records of blocks `from` to `to` of a chain. */
export const segmentsOf = (chain: SampleChain, from: number, to: number): Uint8Array[] =>
  chain.commits.slice(from, to + 1).map(encodeSegment)

export const writerId = (byte: number): Uint8Array => new Uint8Array(16).fill(byte)

/** Opens the replica of a sample chain for writing. */
export const openWriterOf = (kv: KeyValueStore, chain: SampleChain, writer = 1) =>
  openReplicaWriter(kv, {
    writer: writerId(writer),
    genesisHash: (chain.commits[0] as SampleChain['commits'][number]).hash,
    contents: 'chain',
  })

/** What a reader sees that comes now; undefined while the replica has no block. */
export const readReplica = async (kv: KeyValueStore) => {
  const stored = await kv.get('replica')
  const replica = stored === undefined ? undefined : decodeReplicaHead(stored)
  if (replica?.head === undefined) return undefined
  return createReadStore(withImmutableCache(kv, { bytesMax: 8_000_000 }), replica as ReplicaSnapshot)
}
