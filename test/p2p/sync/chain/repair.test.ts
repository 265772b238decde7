import { beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { fromHex } from '../../../../core/bytes/hex.ts'
import { segmentKey } from '../../../../core/store/keys.ts'
import { openChainStore } from '../../../../core/store/chainStore.ts'
import { keyValueOfDriver } from '../../../../core/store/keyvalue/driverStore.ts'
import { openChain } from '../../../../core/chain/opening/openChain.ts'
import { parseGenesis } from '../../../../core/genesis/parse/parse.ts'
import type { KeyValueStore } from '../../../../core/store/keyvalue/keyvalue.ts'
import { openMemoryDriver } from '../../../../runtime/drivers/memory.ts'
import { extend, genesisFile, openTestChain, transfer } from '../../../core/chain/support/chain.ts'
import { USERS, VALIDATORS } from '../../../core/chain/support/keys.ts'
import { rejection } from '../../../support/rejection.ts'
import { captureLog, logLines } from '../support/node.ts'
import { wireEachTest } from '../support/wireEachTest.ts'
import { until } from '../../../support/until.ts'

setDefaultTimeout(120_000)

const [A, B] = VALIDATORS
const [ALICE, BOB] = USERS
const BLOCKS = 12

/** A creation that writes 1 into slot 0, and the hash of the third last block into slot 1. */
const STORES = { to: undefined, data: fromHex('0x6001600055600343034060015500'), gasLimit: 200_000n }

const { wire, node } = wireEachTest()
beforeEach(captureLog)

/** The same chain twice: on an intact node, and in a store to be damaged. */
const chains = async () => {
  const kv = keyValueOfDriver(openMemoryDriver(), 'none')
  const whole = await openTestChain()
  const damaged = await openTestChain({}, kv)
  for (let number = 0; number < BLOCKS; number++) {
    const block = await extend(whole, [transfer(ALICE, number, STORES), transfer(BOB, number)])
    await damaged.importBlock(block, { nowMs: Date.now() })
  }
  return { kv, whole, damaged }
}

/** The chain of that store as a start finds it. */
const reopen = async (kv: KeyValueStore) =>
  openChain({
    genesis: parseGenesis(genesisFile({})),
    store: await openChainStore(kv, { repairs: true }),
    onError: error => {
      throw error
    },
  })

const remove = (kv: KeyValueStore, ...numbers: readonly number[]): Promise<void> =>
  kv.set(numbers.map(number => ({ key: segmentKey(number), value: undefined })))

const lines = (): string => logLines.join('')

describe('given a node with a damaged record below its head', () => {
  test('when the record is read, then it is fetched from a peer and restored, and the log says so', async () => {
    const { kv, whole, damaged } = await chains()
    await damaged.store.flush()
    const before = await kv.get(segmentKey(5))
    const bytes = before?.slice() as Uint8Array
    bytes[40] = (bytes[40] as number) ^ 1
    await kv.set([{ key: segmentKey(5), value: bytes }])
    const chain = await reopen(kv)
    const [full, broken] = [await node(A, { chain: whole }), await node(B, { chain })]
    wire.connect(full.network, broken.network)
    await until(() => broken.network.peers().length === 1)
    expect(String(await rejection(chain.store.recordBytes(5n)))).toContain(
      'segment:5 of block 5 is damaged: its checksum does not match; it is fetched from the peers: ask for the block again',
    )
    await until(() => lines().includes('and restored'))
    expect(await kv.get(segmentKey(5))).toEqual(before as Uint8Array)
    expect(lines()).toContain('The record of block 5 was damaged: it was fetched from enode://')
  })

  test('when half of the segments are lost, then it starts with the views and fetches them', async () => {
    const { kv, whole, damaged } = await chains()
    await damaged.store.flush()
    const before = await Promise.all(Array.from({ length: BLOCKS + 1 }, (_, n) => kv.get(segmentKey(n))))
    await remove(kv, 0, 6, 7, 8, 9, 10, 11, 12)
    const chain = await reopen(kv)
    expect(chain.head().header.number).toBe(BigInt(BLOCKS))
    const [full, broken] = [await node(A, { chain: whole }), await node(B, { chain })]
    wire.connect(full.network, broken.network)
    await until(() => lines().includes('and restored'))
    expect(lines()).toContain('The records of blocks 6 to 12 were damaged: they were fetched from enode://')
    for (const [number, bytes] of before.entries())
      expect(await kv.get(segmentKey(number))).toEqual(bytes as Uint8Array)
    // After a restart nothing is damaged.
    expect((await reopen(kv)).store.damagedFrom()).toBeUndefined()
  })

  test('when the store cannot be read for a while, then that is logged once an attempt, and repaired afterwards', async () => {
    const { kv, whole, damaged } = await chains()
    await damaged.store.flush()
    await remove(kv, 0, 6, 7, 8, 9, 10, 11, 12)
    let isFailing = false
    const failing: KeyValueStore = {
      ...kv,
      get: key =>
        isFailing && key === segmentKey(4) ? Promise.reject(new Error('disk error')) : kv.get(key),
    }
    const chain = await reopen(failing)
    isFailing = true
    const [full, broken] = [await node(A, { chain: whole }), await node(B, { chain })]
    wire.connect(full.network, broken.network)
    await until(() => lines().includes('could not be repaired; another attempt follows'))
    // The claim of a peer meanwhile starts no attempt.
    await extend(whole)
    await until(() => chain.head().header.number === BigInt(BLOCKS + 1))
    isFailing = false
    await until(() => lines().includes('and restored'))
    expect(lines().split('could not be repaired')).toHaveLength(2)
  })

  test('when it is above the views, then the blocks from there on are downloaded again', async () => {
    const { kv, whole } = await chains()
    // Nothing was flushed: the views end before the genesis block.
    await remove(kv, 7)
    const chain = await reopen(kv)
    expect(chain.head().header.number).toBe(6n)
    const [full, broken] = [await node(A, { chain: whole }), await node(B, { chain })]
    wire.connect(full.network, broken.network)
    expect(lines()).toContain('The record of block 7 is damaged: this node starts at the block before it')
    await until(() => chain.head().header.number === BigInt(BLOCKS))
    expect((await reopen(kv)).head().hash).toEqual(whole.head().hash)
  })

  test('when no peer delivers the block, then that is logged once, and it is fetched when a peer does', async () => {
    const { kv, whole, damaged } = await chains()
    await damaged.store.flush()
    await remove(kv, 3)
    const chain = await reopen(kv)
    const broken = await node(B, { chain })
    const empty = await node(A)
    wire.connect(empty.network, broken.network)
    await until(() => broken.network.peers().length === 1)
    await rejection(chain.store.recordBytes(3n))
    await until(() => lines().includes('They are fetched as soon as a peer delivers them'))
    const full = await node(VALIDATORS[2], { chain: whole })
    wire.connect(full.network, broken.network)
    await until(() => lines().includes('and restored'))
    expect((await chain.store.record(3n))?.block.transactions).toHaveLength(2)
  })

  test('when a peer delivers another block, then it is rejected', async () => {
    const { kv, whole, damaged } = await chains()
    await damaged.store.flush()
    await remove(kv, 3)
    const chain = await reopen(kv)
    const other = await openTestChain()
    for (let number = 0; number < BLOCKS; number++) await extend(other, [transfer(BOB, number)])
    const liar = await node(A, {
      chain: whole,
      handlers: {
        async *blocks(from) {
          yield (await other.store.blockBytes(from)) as Uint8Array
        },
      },
    })
    const broken = await node(B, { chain })
    wire.connect(liar.network, broken.network)
    await until(() => broken.network.peers().length === 1)
    await rejection(chain.store.recordBytes(3n))
    await until(() => lines().includes('did not deliver it'))
    expect(await chain.store.hasRecord(3n)).toBe(false)
  })
})

describe('given views and segments of different chains', () => {
  test('when the node starts, then the refusal says that the views may be deleted', async () => {
    const { kv, damaged } = await chains()
    await damaged.store.flush()
    const otherKv = keyValueOfDriver(openMemoryDriver(), 'none')
    const other = await openTestChain({}, otherKv)
    for (let number = 0; number < BLOCKS; number++) await extend(other, [transfer(BOB, number)])
    for (let number = 1; number <= BLOCKS; number++)
      await kv.set([{ key: segmentKey(number), value: await otherKv.get(segmentKey(number)) }])
    expect(String(await rejection(openChainStore(kv, { repairs: true })))).toContain(
      'the views belong to another chain of blocks than the segments. Stop the node, delete the views (views.sqlite',
    )
  })
})

describe('given a node without a network', () => {
  test('when the views are newer than the segments, then the refusal says what to do', async () => {
    const { kv, damaged } = await chains()
    await damaged.store.flush()
    await remove(kv, 10, 11, 12)
    expect(String(await rejection(openChainStore(kv)))).toContain(
      'the views are newer than the segments. Put back the segments (segments.sqlite) that belong to them; or delete the views (views.sqlite)',
    )
  })
})
