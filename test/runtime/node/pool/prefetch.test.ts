import { describe, expect, test } from 'bun:test'
import { setImmediate } from 'node:timers/promises'
import type { Address } from '../../../../core/bytes/bytes.ts'
import type { PooledTransaction } from '../../../../core/txpool/pool.ts'
import { logOf } from '../../../../runtime/logging/log.ts'
import { startPrefetch } from '../../../../runtime/node/pool/prefetch.ts'

const address = (index: number): Address => {
  const bytes = new Uint8Array(20)
  new DataView(bytes.buffer).setUint32(0, index)
  return bytes
}

/** What the follower was given to read, one list a call, and what adds a transaction to its pool. */
const started = (prefetch: (accounts: readonly Address[]) => Promise<void>) => {
  const listeners = new Set<(transaction: PooledTransaction) => void>()
  const reads: (readonly Address[])[] = []
  const stop = startPrefetch({
    pool: {
      onAdded: listener => {
        listeners.add(listener)
        return () => {
          listeners.delete(listener)
        }
      },
    },
    store: {
      prefetch: accounts => {
        reads.push(accounts)
        return prefetch(accounts)
      },
    },
    log: logOf('test'),
  })
  const add = (sender: Address, to: Address | undefined): void => {
    for (const listener of listeners) listener({ transaction: { to }, sender } as PooledTransaction)
  }
  return { reads, add, stop, listeners }
}

const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await setImmediate()
}

describe('given the pool’s prefetch', () => {
  test('when transactions come, then it reads senders and recipients, a few at once', async () => {
    const { reads, add, stop } = started(() => Promise.resolve())
    for (let index = 0; index < 100; index++)
      add(address(2 * index), index === 0 ? undefined : address(2 * index + 1))
    expect(reads).toEqual([])
    await turns(20)
    expect(reads.map(({ length }) => length)).toEqual([64, 64, 64, 7])
    expect(reads[0]?.slice(0, 3)).toEqual([address(0), address(2), address(3)])
    await stop()
  })

  test('when it fails or is full, then it goes on, and takes no more than it has room for', async () => {
    let failures = 0
    const { reads, add, stop } = started(() => {
      failures++
      return failures === 1 ? Promise.reject(new Error('the disk is gone')) : Promise.resolve()
    })
    for (let index = 0; index < 10_000; index++) add(address(index), address(index))
    await turns(400)
    expect(reads.flat().length).toBe(8192)
    add(address(20_001), address(20_002))
    await turns(3)
    expect(reads.at(-1)).toEqual([address(20_001), address(20_002)])
    await stop()
  })

  test('when accounts come again, then it reads them again only after many others', async () => {
    const { reads, add, stop } = started(() => Promise.resolve())
    add(address(1), address(2))
    add(address(2), address(1))
    add(address(1), address(3))
    await turns(3)
    expect(reads).toEqual([[address(1), address(2), address(3)]])
    for (let index = 0; index < 8_192; index += 2) {
      add(address(100 + index), address(101 + index))
      if (index % 64 === 0) await turns(1)
    }
    add(address(1), address(2))
    await turns(200)
    expect(reads.at(-1)?.slice(-2)).toEqual([address(1), address(2)])
    await stop()
  })

  test('when it is stopped, then it ends after its last read, so that the store may be closed', async () => {
    let isRead = false
    const { add, stop } = started(async () => {
      await turns(5)
      isRead = true
    })
    add(address(1), address(2))
    await turns(2)
    await stop()
    expect(isRead).toBe(true)
  })

  test('when it ends, then what waits is dropped', async () => {
    const { reads, add, stop, listeners } = started(() => Promise.resolve())
    add(address(1), address(2))
    await stop()
    expect(listeners.size).toBe(0)
    await turns(3)
    expect(reads).toEqual([])
  })
})
