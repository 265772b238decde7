import { describe, expect, test } from 'bun:test'
import type { KeyValueStore } from '../../../../core/store/keyvalue/keyvalue.ts'
import { keccak256 } from '../../../../core/crypto/crypto.ts'
import { createReadStore, type ReplicaSnapshot } from '../../../../core/store/replica/readStore.ts'
import { createReadViews } from '../../../../core/store/replica/replicaTrie.ts'
import { accountValue } from '../../../../core/trie/state/account.ts'
import { accountProof } from '../../../../core/trie/state/proof.ts'
import { verifyProof } from '../../../../core/trie/verify.ts'
import { decodeReplicaHead, heightOf } from '../../../../core/store/replica/replicaHead.ts'
import { ReplicaDiffers, ReplicaFenced } from '../../../../core/store/replica/replicaWriter.ts'
import { rejection } from '../../../support/rejection.ts'
import { openWriterOf, readReplica, segmentsOf, sharedMemory } from '../../../support/stores/replica.ts'
import { modelAccount, sampleChain } from '../../../support/chains/sampleChain.ts'
import { expectChain } from '../../../support/stores/storeCheck.ts'

const chain = sampleChain({ seed: 71, blocks: 140, accounts: 6, slots: 2, changesMax: 3, transactionsMax: 3 })

const fill = async (kv: KeyValueStore, to: number, batch: number, from = 0): Promise<void> => {
  const writer = await openWriterOf(kv, chain)
  for (let at = from; at <= to; at += batch)
    await writer.write(segmentsOf(chain, at, Math.min(to, at + batch - 1)))
}

describe('a replica', () => {
  test.each([1, 7, 64])('given batches of %i blocks, then a reader finds the whole chain', async batch => {
    const kv = sharedMemory()
    await fill(kv, 138, batch)
    const store = await readReplica(kv)
    expect(store).toBeDefined()
    if (store !== undefined) await expectChain(store, chain, 138)
  })

  test('given a reader of an earlier head, when blocks are added, then it still reads that head', async () => {
    const kv = sharedMemory()
    await fill(kv, 40, 8)
    const store = await readReplica(kv)
    const writer = await openWriterOf(kv, chain, 2)
    await writer.write(segmentsOf(chain, 41, 90))
    if (store === undefined) throw new Error('no reader')
    const state = chain.states[40] as (typeof chain.states)[number]
    for (const address of chain.addresses)
      expect(await store.run(() => store.stateAt(40n).account(address))).toEqual(modelAccount(state, address))
    const later = chain.commits[50] as (typeof chain.commits)[number]
    expect(await store.numberOfHash(later.hash)).toBeUndefined()
    expect(await store.header(50n)).toBeUndefined()
    expect(store.head()?.header.number).toBe(40n)
  })

  test('given a writer that ends at each of its writes, then readers find whole blocks and the next writer goes on', async () => {
    const items = new Map<string, Uint8Array>()
    let height = -1
    let failAt = 0
    for (let round = 0; height < 60; round++) {
      let writes = 0
      const kv = sharedMemory(items, () => {
        if (writes++ === failAt) throw new Error('killed')
      })
      failAt = round % 4
      try {
        const writer = await openWriterOf(kv, chain, round % 256)
        const before = heightOf(writer.replica())
        expect(before).toBeGreaterThanOrEqual(height)
        height = before
        for (;;) {
          await writer.write(segmentsOf(chain, height + 1, height + 3))
          height += 3
        }
      } catch (error) {
        expect(String(error)).toContain('killed')
      }
      const store = await readReplica(sharedMemory(items))
      if (store !== undefined) {
        const head = Number(store.head()?.header.number)
        expect(head).toBe(height)
        expect((await store.record(BigInt(head)))?.hash).toEqual(chain.commits[head]?.hash as Uint8Array)
      }
    }
    const store = await readReplica(sharedMemory(items))
    if (store !== undefined) await expectChain(store, chain, height)
  })

  test('given two writers, then the first is fenced at its next write and nothing of it is stored', async () => {
    const kv = sharedMemory()
    const first = await openWriterOf(kv, chain, 1)
    await first.write(segmentsOf(chain, 0, 5))
    const second = await openWriterOf(kv, chain, 2)
    const error = await rejection(first.write(segmentsOf(chain, 6, 8)))
    expect(error).toBeInstanceOf(ReplicaFenced)
    expect(String(error)).toContain(`0x${'02'.repeat(16)}`)
    expect(await kv.get('segment:6')).toBeUndefined()
    await second.write(segmentsOf(chain, 6, 10))
    const stored = (await kv.get('replica')) as Uint8Array
    expect(heightOf(decodeReplicaHead(stored))).toBe(10)
  })

  test('given a killed writer whose last write arrives while another one opens the replica, then that one opens it', async () => {
    const kv = sharedMemory()
    const killed = await openWriterOf(kv, chain, 1)
    await killed.write(segmentsOf(chain, 0, 5))
    let isLate = true
    const late: KeyValueStore = {
      ...kv,
      setIf: async (condition, entries) => {
        if (isLate) await killed.write(segmentsOf(chain, 6, 7))
        isLate = false
        return (await kv.setIf?.(condition, entries)) === true
      },
    }
    const writer = await openWriterOf(late, chain, 2)
    expect(heightOf(writer.replica())).toBe(7)
    await writer.write(segmentsOf(chain, 8, 9))
    expect(await rejection(killed.write(segmentsOf(chain, 8, 8)))).toBeInstanceOf(ReplicaFenced)
  })

  test('given a write that is sent again after it arrived, then it counts once', async () => {
    const kv = sharedMemory()
    const twice: KeyValueStore = {
      ...kv,
      setIf: async (condition, entries) => {
        await kv.setIf?.(condition, entries)
        return (await kv.setIf?.(condition, entries)) === true
      },
    }
    const writer = await openWriterOf(twice, chain)
    await writer.write(segmentsOf(chain, 0, 3))
    await writer.write(segmentsOf(chain, 4, 5))
    const stored = (await kv.get('replica')) as Uint8Array
    expect(decodeReplicaHead(stored).sequence).toBe(3)
    expect(heightOf(decodeReplicaHead(stored))).toBe(5)
  })

  test('given the replica of another chain, then it is refused', async () => {
    const kv = sharedMemory()
    await fill(kv, 5, 3)
    const other = sampleChain({
      seed: 72,
      blocks: 3,
      accounts: 2,
      slots: 1,
      changesMax: 2,
      transactionsMax: 1,
    })
    expect(await rejection(openWriterOf(kv, other))).toBeInstanceOf(ReplicaDiffers)
  })

  test('given a block that does not follow, then it is refused', async () => {
    const kv = sharedMemory()
    const writer = await openWriterOf(kv, chain)
    await writer.write(segmentsOf(chain, 0, 2))
    expect(await rejection(writer.write(segmentsOf(chain, 4, 4)))).toBeInstanceOf(ReplicaDiffers)
  })

  test('given a store that lost all data, then the writer fails, and a new one starts from the first block', async () => {
    const items = new Map<string, Uint8Array>()
    const kv = sharedMemory(items)
    const writer = await openWriterOf(kv, chain)
    await writer.write(segmentsOf(chain, 0, 9))
    items.clear()
    expect(String(await rejection(writer.write(segmentsOf(chain, 10, 12))))).toContain(
      'removed from the store',
    )
    await fill(kv, 12, 5)
    const store = await readReplica(kv)
    if (store !== undefined) await expectChain(store, chain, 12)
  })
})

describe('the reads of a reader', () => {
  /** Reads of a store, each a round trip. */
  const counted = (kv: KeyValueStore) => {
    let reads = 0
    const store: KeyValueStore = {
      ...kv,
      get: key => (reads++, kv.get(key)),
      getMany: async keys => (reads++, (await kv.getMany?.(keys)) ?? []),
    }
    return {
      store,
      take: () => {
        const taken = reads
        reads = 0
        return taken
      },
    }
  }
  const snapshotOf = async (kv: KeyValueStore): Promise<ReplicaSnapshot> => {
    const { head, ...rest } = decodeReplicaHead((await kv.get('replica')) as Uint8Array)
    if (head === undefined) throw new Error('the replica has no block')
    return { ...rest, head }
  }
  type Commit = (typeof chain.commits)[number]

  test('given a run that reads the same as one at an earlier head, then it loads the entries in few round trips', async () => {
    const { store: kv, take } = counted(sharedMemory())
    await fill(kv, 100, 20)
    const prefetchTable = new Map()
    const read = async (): Promise<void> => {
      const replica = await snapshotOf(kv)
      const store = createReadStore(kv, replica, createReadViews(kv, prefetchTable))
      take()
      await store.run(() => {
        const state = store.stateAt(replica.head.header.number)
        for (const address of chain.addresses) {
          const account = state.account(address)
          if (account !== undefined) for (const slot of chain.slots) state.storage(address, account, slot)
        }
      })
    }
    await read()
    expect(take()).toBeGreaterThan(5)
    await fill(kv, 110, 10, 101)
    await read()
    // What it read before in one, and what the new blocks added.
    expect(take()).toBeLessThanOrEqual(3)
  })

  test('given a head that later blocks replace, then its proofs are still of that head', async () => {
    const kv = sharedMemory()
    await fill(kv, 60, 20)
    const store = createReadStore(kv, await snapshotOf(kv))
    await fill(kv, 90, 10, 61)
    const { stateRoot } = (chain.commits[60] as Commit).block.header
    for (const address of chain.addresses) {
      const { proof } = await store.run(() => accountProof(store.nodes(), stateRoot, address))
      const value = verifyProof(stateRoot, keccak256(address), proof)
      const account = modelAccount(chain.states[60] as (typeof chain.states)[number], address)
      expect(value).toEqual(account === undefined ? undefined : accountValue(account))
    }
  })
})
