import { describe, expect, test } from 'bun:test'
import { openChainStore } from '../../../core/store/chainStore.ts'
import { keyValueOfDriver } from '../../../core/store/keyvalue/driverStore.ts'
import type { KeyValueEntry } from '../../../core/store/keyvalue/keyvalue.ts'
import type { BlockCommit, ChainStore } from '../../../core/store/store.ts'
import { openMemoryDriver } from '../../../runtime/drivers/memory.ts'
import { rejection } from '../../support/rejection.ts'
import { sampleChain } from '../../support/chains/sampleChain.ts'
import { turns } from '../../support/turns.ts'

const chain = sampleChain({ seed: 9, blocks: 4, accounts: 6, slots: 2, changesMax: 3, transactionsMax: 2 })
const blockAt = (number: number): BlockCommit => chain.commits[number] as BlockCommit

/** A store whose block writes end when the test says so. */
const heldStore = async () => {
  const memory = keyValueOfDriver(openMemoryDriver(), 'none')
  const writes: { readonly key: string; end(error?: Error): Promise<void> }[] = []
  const setDurably = (entry: KeyValueEntry): Promise<void> =>
    new Promise((resolve, reject) => {
      writes.push({
        key: entry.key,
        end: async error => {
          if (error === undefined) await memory.setDurably(entry).then(resolve)
          else reject(error)
          await turns(3)
        },
      })
    })
  const store = await openChainStore({ ...memory, setDurably, setAllDurably: undefined }, {})
  return { store, writes }
}

/** True when the promise has resolved. */
const isDone = async (promise: Promise<unknown>): Promise<boolean> => {
  let done = false
  void promise.then(() => {
    done = true
  })
  await turns(3)
  return done
}

const headOf = (store: ChainStore): bigint | undefined => store.head()?.header.number

describe('given a block that is being made durable', () => {
  test('when it is written, then it is already the head, and readable', async () => {
    const { store, writes } = await heldStore()
    expect(await isDone(store.commit(blockAt(0), 'next'))).toBe(true)
    expect(headOf(store)).toBe(0n)
    expect((await store.record(0n))?.block).toEqual(blockAt(0).block)
    expect(writes.length).toBe(1)
    expect(await isDone(store.settle())).toBe(false)
  })

  test('when another block comes, then this one is durable first', async () => {
    const { store, writes } = await heldStore()
    await store.commit(blockAt(0), 'next')
    const second = store.commit(blockAt(1), 'next')
    expect(await isDone(second)).toBe(false)
    expect(headOf(store)).toBe(0n)
    expect(writes.length).toBe(1)
    await writes[0]?.end()
    expect(await isDone(second)).toBe(true)
    expect(headOf(store)).toBe(1n)
    expect(writes.length).toBe(2)
    const settled = store.settle()
    await writes[1]?.end()
    await settled
  })

  test('when it cannot be written, then the store stops: no other block, no promise that all are durable', async () => {
    const { store, writes } = await heldStore()
    await store.commit(blockAt(0), 'next')
    await writes[0]?.end(new Error('the disk is gone'))
    expect(String(await rejection(store.settle()))).toContain('the disk is gone')
    for (const durable of ['now', 'next', 'soon'] as const)
      expect(String(await rejection(store.commit(blockAt(1), durable)))).toContain('the disk is gone')
    expect(headOf(store)).toBe(0n)
  })

  test('when it fails while the next one waits, then that one fails, too', async () => {
    const { store, writes } = await heldStore()
    await store.commit(blockAt(0), 'next')
    const second = rejection(store.commit(blockAt(1), 'next'))
    await writes[0]?.end(new Error('the disk is gone'))
    expect(String(await second)).toContain('the disk is gone')
    expect(headOf(store)).toBe(0n)
  })
})
