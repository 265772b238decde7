import { expect, test } from 'bun:test'
import { toHex } from '../../../core/bytes/hex.ts'
import { publicKeyOf } from '../../../core/crypto/crypto.ts'
import type { KeyValueEntry } from '../../../core/store/keyvalue/keyvalue.ts'
import { formatEnode } from '../../../p2p/transport/enode.ts'
import { openLearnedNodes } from '../../../runtime/node/learnedNodes.ts'
import { logOf } from '../../../runtime/logging/log.ts'
import { testAddress, testKey } from '../genesis.ts'

const log = logOf('p2p')
const enodeOf = (key: number, port = 30_303): string =>
  formatEnode({ publicKey: publicKeyOf(testKey(key)), host: '127.0.0.1', port })

const createStorage = (fails = false) => {
  const entries = new Map<string, Uint8Array | undefined>()
  let writes = 0
  return {
    entries,
    writes: () => writes,
    get: async (key: string) => entries.get(key),
    setDurably: async ({ key, value }: KeyValueEntry) => {
      writes++
      if (fails) throw new Error('the disk is full')
      entries.set(key, value)
    },
  }
}

const open = (storage: ReturnType<typeof createStorage>, validators: readonly number[] = []) => {
  const addresses = validators.map(key => toHex(testAddress(key)))
  return openLearnedNodes(storage, log, address => addresses.includes(toHex(address)))
}

test('given nodes that were connected, when opened again, then they are there, each with where it was last', async () => {
  const storage = createStorage()
  const learned = await open(storage)
  for (const enode of [enodeOf(1), enodeOf(2), enodeOf(1, 30_400), enodeOf(2)]) learned.add(enode)
  await learned.settled()
  expect((await open(storage)).list()).toEqual([enodeOf(2), enodeOf(1, 30_400)])
})

test('given many that come at once, then they are written together, and not again when they come back', async () => {
  const storage = createStorage()
  const learned = await open(storage)
  for (let key = 1; key <= 20; key++) learned.add(enodeOf(key))
  await learned.settled()
  for (let key = 1; key <= 20; key++) learned.add(enodeOf(key))
  await learned.settled()
  expect(storage.writes()).toBe(1)
})

test('given more than are kept, then the ones learned last are, and validators whenever they came', async () => {
  const storage = createStorage()
  const learned = await open(storage, [1, 3])
  for (let key = 1; key <= 70; key++) learned.add(enodeOf(key))
  await learned.settled()
  const kept = (await open(storage)).list()
  const expected = [1, 3, ...Array.from({ length: 62 }, (_, index) => index + 9)]
  expect(kept).toEqual(expected.map(key => enodeOf(key)))
})

test('given what cannot be read, then there are none, or those that can', async () => {
  const storage = createStorage()
  const keep = (text: string) => storage.entries.set('p2p:learned', new TextEncoder().encode(text))
  for (const text of ['[', '{}', 'null', '7']) {
    keep(text)
    expect((await open(storage)).list()).toEqual([])
  }
  keep(JSON.stringify([7, 'enode://1', enodeOf(3), null]))
  expect((await open(storage)).list()).toEqual([enodeOf(3)])
})

test('given a storage that cannot be written, then the node goes on', async () => {
  const learned = await open(createStorage(true))
  learned.add(enodeOf(1))
  learned.add(enodeOf(2, 0))
  await learned.settled()
  expect(learned.list()).toEqual([enodeOf(1)])
})
