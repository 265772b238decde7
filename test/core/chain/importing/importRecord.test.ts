import { describe, expect, test } from 'bun:test'
import type { Receipt } from '../../../../core/block/receipt.ts'
import { fromHex, toHex } from '../../../../core/bytes/hex.ts'
import { keccak256 } from '../../../../core/crypto/crypto.ts'
import { create2Address } from '../../../../core/evm/frames/address.ts'
import { commitOfSegment } from '../../../../core/store/recovery/recover.ts'
import { extend, openTestChain, type TestChain, transfer } from '../support/chain.ts'
import { USERS } from '../support/keys.ts'

const [ALICE] = USERS
const FACTORY = new Uint8Array(20).fill(0xfa)
/** CREATE2 of the call data with the salt 0. */
const FACTORY_CODE = '0x36600060003760003660006000f500'
/** Sets a slot, and deploys a contract that destroys itself when it is called. */
const INIT_CODE = fromHex('0x60016000556133ff6000526002601ef3')
const CHILD = create2Address(FACTORY, new Uint8Array(32), keccak256(INIT_CODE))

const GENESIS = {
  fork: 'london',
  alloc: { [toHex(FACTORY)]: { balance: '0x0', code: FACTORY_CODE } },
} as const

const call = (nonce: number, to: Uint8Array, data: Uint8Array = new Uint8Array(0)) =>
  transfer(ALICE, nonce, { to, data, value: 0n, gasLimit: 200_000n })

const importAll = async (from: TestChain, to: TestChain): Promise<void> => {
  for (let number = 1n; number <= from.head().header.number; number++) {
    const bytes = await from.store.recordBytes(number)
    await to.importRecord(commitOfSegment(bytes as Uint8Array), { nowMs: Date.now() })
  }
}

test('given a contract that ends, and is created again in the same block, when its records are imported, then the chain is the same', async () => {
  const source = await openTestChain(GENESIS)
  await extend(source, [call(0, FACTORY, INIT_CODE)])
  await extend(source, [call(1, CHILD), call(2, FACTORY, INIT_CODE)])
  await extend(source, [call(3, CHILD)])
  const stateOf = (number: bigint) => source.store.stateAt(number).account(CHILD)?.incarnation
  expect([1n, 2n, 3n].map(stateOf)).toEqual([1n, 2n, undefined])
  const imported = await openTestChain(GENESIS)
  await importAll(source, imported)
  expect(imported.head().hash).toEqual(source.head().hash)
  for (const number of [1n, 2n, 3n])
    expect(await imported.store.recordBytes(number)).toEqual(await source.store.recordBytes(number))
})

describe('given a record of a peer with a forged revert reason, which no root covers', () => {
  const BAD = new Uint8Array(20).fill(0xfb)
  /** Reverts with as many bytes as the call data has. */
  const REVERTING = {
    fork: 'london',
    alloc: { [toHex(BAD)]: { balance: '0x0', code: '0x366000600037366000fd' } },
  } as const
  const keptReason = async (bytes: number, forge: (reason: Uint8Array) => Uint8Array) => {
    const source = await openTestChain(REVERTING)
    await extend(source, [
      transfer(ALICE, 0, { to: BAD, data: new Uint8Array(bytes).fill(7), value: 0n, gasLimit: 20_000_000n }),
    ])
    const record = commitOfSegment((await source.store.recordBytes(1n)) as Uint8Array)
    const [receipt] = record.receipts as [Receipt]
    expect(receipt).toMatchObject({ status: false, revertReason: new Uint8Array(bytes).fill(7) })
    const revertReason = forge(receipt.revertReason as Uint8Array)
    const victim = await openTestChain(REVERTING)
    const receipts = [{ ...receipt, revertReason }]
    await victim.importRecord({ ...record, receipts }, { nowMs: Date.now() })
    return (await victim.store.record(1n))?.receipts[0]?.revertReason
  }

  test.each([0, 4, 100, 100_000])('when it is the true one of %i bytes, then it is kept', async bytes => {
    expect(await keptReason(bytes, reason => reason)).toEqual(new Uint8Array(bytes).fill(7))
  })

  test.each([
    [0, 1024 * 1024],
    [0, 200],
    [100_000, 600_000],
  ])(
    'when the transaction returned %i bytes, and its gas does not pay for the memory of %i, then it is left out',
    async (bytes, forged) => {
      expect(await keptReason(bytes, () => new Uint8Array(forged))).toBeUndefined()
    },
  )
})
