import { expect, test } from 'bun:test'
import { toBareHex } from '../../../../core/bytes/hex.ts'
import type { Chain } from '../../../../core/chain/chain.ts'
import type { ChainHead } from '../../../../core/store/store.ts'
import type { PoolHead, TransactionPool } from '../../../../core/txpool/pool.ts'
import { logOf } from '../../../../runtime/logging/log.ts'
import { startPoolFollower } from '../../../../runtime/node/pool/poolFollower.ts'
import { testAddress } from '../../genesis.ts'
import { turns } from '../../../support/turns.ts'

test('given a follower of the chain, when it is stopped, then it ends after its last block, so that the store may be closed', async () => {
  const heads = new Set<(head: ChainHead) => void>()
  let isRead = false
  const chain = {
    onHead: (listener: (head: ChainHead) => void) => {
      heads.add(listener)
      return () => heads.delete(listener)
    },
    store: {
      record: async () => {
        await turns(2)
        isRead = true
        return undefined
      },
    },
  } as unknown as Chain
  const follower = startPoolFollower({
    chain,
    pool: { size: 1 } as TransactionPool,
    poolHead: () => ({}) as PoolHead,
    log: logOf('test'),
  })
  for (const tell of heads) tell({ header: { number: 1n } } as ChainHead)
  await follower.stop()
  expect(isRead).toBe(true)
  expect(heads.size).toBe(0)
})

test('given a large block, when its transactions leave the pool, then some at a time, those of one sender together', async () => {
  const heads = new Set<(head: ChainHead) => void>()
  const senders = Array.from({ length: 2_500 }, (_, index) => testAddress(1 + ((index * 7) % 40)))
  const removed: string[][] = []
  const chain = {
    onHead: (listener: (head: ChainHead) => void) => {
      heads.add(listener)
      return () => heads.delete(listener)
    },
    store: {
      record: async () => ({ block: { transactions: senders.map(() => ({ type: 2 })) }, senders }),
      run: async (work: () => void) => work(),
    },
  } as unknown as Chain
  const pool = {
    size: 1,
    senderCount: 0,
    removeMined: (slice: readonly { readonly sender: Uint8Array }[]) =>
      void removed.push(slice.map(({ sender }) => toBareHex(sender))),
  } as unknown as TransactionPool
  const follower = startPoolFollower({ chain, pool, poolHead: () => ({}) as PoolHead, log: logOf('test') })
  for (const tell of heads) tell({ header: { number: 1n } } as ChainHead)
  await follower.stop()
  expect(removed.flat().sort()).toEqual(senders.map(sender => toBareHex(sender)).sort())
  expect(removed.every(({ length }) => length < 400)).toBe(true)
  const sendersOf = removed.map(slice => new Set(slice))
  expect(sendersOf.reduce((sum, { size }) => sum + size, 0)).toBe(40)
})

test('given pooled senders, when a block comes, then some are checked again, all after a set-code transaction', async () => {
  const heads = new Set<(head: ChainHead) => void>()
  let type = 2
  const chain = {
    onHead: (listener: (head: ChainHead) => void) => {
      heads.add(listener)
      return () => heads.delete(listener)
    },
    store: {
      record: async () => ({ block: { transactions: [{ type }] }, senders: [testAddress(1)] }),
      run: async (work: () => void) => work(),
    },
  } as unknown as Chain
  let looked = 0
  const pool = {
    size: 5_000,
    senderCount: 1_000,
    removeMined: () => undefined,
    nextSenders: (count: number) => Array.from({ length: count }, () => testAddress(1)),
    updateSenders: (senders: readonly Uint8Array[]) => {
      looked += senders.length
    },
  } as unknown as TransactionPool
  const follower = startPoolFollower({ chain, pool, poolHead: () => ({}) as PoolHead, log: logOf('test') })
  const tell = async (): Promise<number> => {
    looked = 0
    for (const listener of heads) listener({ header: { number: 1n } } as ChainHead)
    await follower.settled()
    return looked
  }
  expect(await tell()).toBe(256)
  type = 4
  expect(await tell()).toBe(1_000)
  await follower.stop()
})
