import { expect, test } from 'bun:test'
import type { Chain } from '../../../core/chain/chain.ts'
import type { ChainHead } from '../../../core/store/store.ts'
import type { PoolHead, TransactionPool } from '../../../core/txpool/pool.ts'
import { logOf } from '../../../runtime/logging/log.ts'
import { startPoolFollower } from '../../../runtime/node/poolFollower.ts'

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
