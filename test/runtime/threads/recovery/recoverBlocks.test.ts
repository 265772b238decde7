import { expect, test } from 'bun:test'
import type { Block } from '../../../../core/block/block.ts'
import type { Address } from '../../../../core/bytes/bytes.ts'
import { toHex } from '../../../../core/bytes/hex.ts'
import { knownSealSigners } from '../../../../core/chain/rules/seals.ts'
import { createRecoverBlocks } from '../../../../runtime/threads/recovery/recoverBlocks.ts'
import {
  createRecoverSenders,
  type SendersOfLists,
} from '../../../../runtime/threads/recovery/recoverSenders.ts'
import {
  createRecoveryPool,
  type RecoveryPool,
  RecoveryPoolFullError,
} from '../../../../runtime/threads/recovery/recoveryPool.ts'
import { extend, openTestChain, transfer } from '../../../core/chain/support/chain.ts'
import { USERS, VALIDATORS } from '../../../core/chain/support/keys.ts'

const hexOf = (addresses: readonly (Address | undefined)[] | undefined): readonly unknown[] | undefined =>
  addresses?.map(address => (address === undefined ? undefined : toHex(address)))

/** A pool that counts, and the two that share the answers of lists. */
const parts = (pool: RecoveryPool, known: (hash: Uint8Array) => Address | undefined = () => undefined) => {
  const asked: number[] = []
  const lists: SendersOfLists = new WeakMap()
  const counting: RecoveryPool = {
    ...pool,
    recover: batch => {
      asked.push(batch.length)
      return pool.recover(batch)
    },
    recoverLater: batch => {
      asked.push(batch.length)
      return pool.recoverLater(batch)
    },
  }
  return {
    asked,
    recoverBlocks: createRecoverBlocks(counting, known, lists),
    recoverSenders: createRecoverSenders(counting, () => undefined, lists),
  }
}

const [first, second] = USERS

/** Two sealed blocks, of two transactions and of one. */
const twoBlocks = async (): Promise<readonly Block[]> => {
  const chain = await openTestChain()
  return [
    await extend(chain, [transfer(first, 0), transfer(second, 0)]),
    await extend(chain, [transfer(first, 1)]),
  ]
}

test('given downloaded blocks, when they are recovered, then one batch finds the signers of their seals and the senders, and neither is recovered again', async () => {
  const [one, two] = (await twoBlocks()) as [Block, Block]
  const pool = createRecoveryPool({ workers: 1 })
  const { asked, recoverBlocks, recoverSenders } = parts(pool)
  const { done, hurry } = recoverBlocks([one, two])
  hurry()
  await done
  for (const { header } of [one, two])
    expect(hexOf(knownSealSigners(header))).toEqual(VALIDATORS.map(({ address }) => toHex(address)))
  expect(hexOf(await recoverSenders(one.transactions))).toEqual(hexOf([first.address, second.address]))
  expect(hexOf(await recoverSenders(two.transactions))).toEqual(hexOf([first.address]))
  expect(asked).toEqual([2 * VALIDATORS.length + 3])
  await pool.close()
})

test('given a sender that is known and a header that cannot be decoded, then only the rest is recovered', async () => {
  const [one, two] = (await twoBlocks()) as [Block, Block]
  const broken: Block = { ...two, header: { ...two.header, extraData: new Uint8Array(3) } }
  const [known] = one.transactions
  const pool = createRecoveryPool({ workers: 0 })
  const { asked, recoverBlocks, recoverSenders } = parts(pool, hash =>
    hash === known?.hash ? first.address : undefined,
  )
  await recoverBlocks([one, broken]).done
  expect(knownSealSigners(broken.header)).toBeUndefined()
  expect(hexOf(await recoverSenders(one.transactions))).toEqual(hexOf([first.address, second.address]))
  expect(hexOf(await recoverSenders(broken.transactions))).toEqual(hexOf([first.address]))
  expect(asked).toEqual([VALIDATORS.length + 2])
})

test('given a pool without room, when blocks are recovered, then that fails, and the import recovers the senders itself', async () => {
  const [one] = (await twoBlocks()) as [Block]
  const pool = createRecoveryPool({ workers: 0 })
  const { recoverBlocks, recoverSenders } = parts({
    ...pool,
    recoverLater: () => ({
      signers: Promise.reject(new RecoveryPoolFullError()),
      hurry: () => undefined,
    }),
  })
  expect(await recoverBlocks([one]).done.catch((error: unknown) => error)).toBeInstanceOf(
    RecoveryPoolFullError,
  )
  expect(hexOf(await recoverSenders(one.transactions))).toEqual(hexOf([first.address, second.address]))
})
