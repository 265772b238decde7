import { describe, expect, test } from 'bun:test'
import type { RecoveredTransaction } from '../../../../core/block/transaction.ts'
import { signTransaction } from '../../../../core/block/codec/signature.ts'
import { MEMORY_BYTES_MAX, MemoryUnavailable } from '../../../../core/evm/interpreter/memory.ts'
import { watchMemoryExceeded } from '../../../../runtime/node/opening/memoryExceeded.ts'
import { code } from '../../../core/evm/harness.ts'
import {
  build,
  CHAIN_ID,
  failureOf,
  importNow,
  nextBlock,
  openTestChain,
  resealed,
} from '../../../core/chain/support/chain.ts'
import { USERS } from '../../../core/chain/support/keys.ts'
import { BARE_FIELDS } from '../../../support/chains/bareFields.ts'

const [ALICE] = USERS
const GENESIS = { fork: 'berlin', top: { gasLimit: '0x1fffffffffffff' } } as const

/** Writes one word so far up in memory that its gas, some 10^14, is there. */
const writing = (at: number): RecoveredTransaction => ({
  sender: ALICE.address,
  transaction: signTransaction(
    {
      type: 0,
      chainId: BigInt(CHAIN_ID),
      nonce: 0n,
      maxPriorityFeePerGas: 0n,
      maxFeePerGas: 0n,
      gasLimit: 9_000_000_000_000_000n,
      to: undefined,
      value: 0n,
      data: code(1, at, 'MSTORE'),
      ...BARE_FIELDS,
    },
    ALICE.privateKey,
  ),
})

describe('given a transaction that asks for more memory than a client can hold', () => {
  const sent = [writing(MEMORY_BYTES_MAX)]

  test('when a block is built, then it runs out of gas, and other nodes agree', async () => {
    const built = await build(await openTestChain(GENESIS), sent)
    expect(built.receipts.map(({ status, gasUsed }) => [status, gasUsed])).toEqual([
      [false, 9_000_000_000_000_000n],
    ])
    const block = await nextBlock(await openTestChain(GENESIS), sent)
    expect(await importNow(await openTestChain(GENESIS), block)).toBe('imported')
  })

  test('when a sealed block says something else of it, then the block is not marked invalid, and the node stops', async () => {
    const block = await nextBlock(await openTestChain(GENESIS), sent)
    const other = resealed(block, { gasUsed: 10_000_000_000_000n })
    const { chain, memoryExceeded } = watchMemoryExceeded(await openTestChain(GENESIS))
    const failure = await failureOf(importNow(chain, other))
    expect(failure).toBeInstanceOf(MemoryUnavailable)
    expect(await memoryExceeded).toMatchObject({
      message: expect.stringContaining('block 1 needs more than 4294967264 bytes of memory'),
    })
  })

  test('when a sealed block is wrong without such a transaction, then it is invalid', async () => {
    const block = resealed(await nextBlock(await openTestChain(GENESIS), []), { gasUsed: 7n })
    expect(await failureOf(importNow(await openTestChain(GENESIS), block))).toMatchObject({
      rule: 'gas-used',
    })
  })
})
