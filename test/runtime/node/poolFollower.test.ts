import { expect, test } from 'bun:test'
import { toBareHex } from '../../../core/bytes/hex.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import type { ChainHead } from '../../../core/store/store.ts'
import type { PoolHead, TransactionPool } from '../../../core/txpool/pool.ts'
import { logOf } from '../../../runtime/logging/log.ts'
import { startPoolFollower } from '../../../runtime/node/poolFollower.ts'
import { testAddress } from '../genesis.ts'

test('what follows the chain for the pool ends when the last block is dealt with: the store may be closed then', async () => {
  const heads = new Set<(head: ChainHead) => void>()
  let isRead = false
  const chain = {
    onHead: (listener: (head: ChainHead) => void) => {
      heads.add(listener)
      return () => heads.delete(listener)
    },
    store: {
      record: async () => {
        await Bun.sleep(5)
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

test('transactions of a large block leave the pool some at a time, those of one sender together', async () => {
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
