import { describe, expect, test } from 'bun:test'
import { toHex } from '../../../../core/bytes/hex.ts'
import { ExecutionStopped, type SelectionBounds } from '../../../../core/chain/execution/bounds.ts'
import type { RecoveredTransaction } from '../../../../core/block/transaction.ts'
import { MemoryUnavailable } from '../../../../core/evm/interpreter/memory.ts'
import type { Part } from '../../evm/harness.ts'
import {
  build,
  failureOf,
  importNow,
  nextBlock,
  openTestChain,
  sealedHeader,
  transfer,
} from '../support/chain.ts'
import { signedCreation } from '../support/creation.ts'
import { type Key, USERS } from '../support/keys.ts'
import { turns } from '../../../support/turns.ts'

const [ALICE, BOB, CAROL] = USERS
const hex = ({ transaction }: RecoveredTransaction): string => toHex(transaction.hash)

/** A creation that runs this code. */
const creation = (from: Key, ...parts: readonly Part[]): RecoveredTransaction =>
  signedCreation(from, 10_000_000n, parts)

/** Writes, logs, creates and destroys in a loop until the gas is used up. */
const busy = (from: Key): RecoveredTransaction =>
  creation(
    from,
    'JUMPDEST',
    'GAS GAS SSTORE',
    [0x33ffn << 240n, 0, 'MSTORE', 2, 0, 0, 'CREATE POP'],
    [1, 32, 0, 'LOG1'],
    [0, 'JUMP'],
  )

const counting = (count: number): RecoveredTransaction =>
  creation(ALICE, count, 'JUMPDEST', 1, 'SWAP1 SUB DUP1', 4, 'JUMPI', 'STOP')

/** Stops these transactions after this number of checks. */
const stopping = (slow: readonly RecoveredTransaction[], atCheck: number): SelectionBounds => {
  let isSlow = false
  let checks = 0
  return {
    begin: sent => {
      isSlow = slow.includes(sent)
      checks = 0
    },
    exceeded: () => (isSlow && ++checks >= atCheck ? 'it is slow' : undefined),
  }
}

describe('given a transaction that exceeds its bounds while a block is built', () => {
  test.each([1, 2, 60])(
    'when it is stopped at check %i, then the block is the one without it',
    async atCheck => {
      const slow = [busy(CAROL)]
      const others = [transfer(ALICE, 0), transfer(BOB, 0), transfer(ALICE, 1)]
      const order = [others[0], slow[0], others[1], others[2]] as RecoveredTransaction[]
      const without = await build(await openTestChain(), others)
      const built = await build(await openTestChain(), order, { bounds: stopping(slow, atCheck) })
      expect(built.block).toEqual(without.block)
      expect(built.receipts).toEqual(without.receipts)
      expect(built.rejected).toEqual([])
      expect(built.stopped.map(({ transaction, reason }) => [hex(transaction), reason])).toEqual([
        [hex(slow[0] as RecoveredTransaction), 'it is slow'],
      ])
    },
  )

  test('when it is stopped, then its sender’s other transactions are left out, and other nodes accept the block', async () => {
    const slow = [busy(CAROL)]
    const chain = await openTestChain()
    const block = await nextBlock(chain, [...slow, transfer(CAROL, 1), transfer(BOB, 0)], {
      bounds: stopping(slow, 3),
    })
    expect(block.transactions).toHaveLength(1)
    expect(await importNow(await openTestChain(), block)).toBe('imported')
  })

  test('when no transaction exceeds them, then none is stopped', async () => {
    const { block, stopped } = await build(await openTestChain(), [busy(CAROL)], {
      bounds: stopping([], 1),
    })
    expect(stopped).toEqual([])
    expect(block.transactions).toHaveLength(1)
  })
})

describe('given a proposal whose execution takes long', () => {
  test('when the node gives it up, then the block can still be imported with seals', async () => {
    const block = await nextBlock(await openTestChain(), [counting(100_000)])
    const chain = await openTestChain()
    let asked = 0
    const giveUp = (): string | undefined => (++asked > 20 ? 'the round is over' : undefined)
    const nowMs = Number(block.header.timestamp) * 1000
    const failure = await failureOf(chain.verifyBlock(block, { nowMs, giveUp }))
    expect(failure).toBeInstanceOf(ExecutionStopped)
    expect(failure).toMatchObject({ message: 'the round is over' })
    expect(await importNow(chain, block)).toBe('imported')
  })

  test('when a block with a quorum of seals arrives during the verification, then it does not wait for the proposal', async () => {
    const maker = await openTestChain()
    const sealed = await nextBlock(maker, [transfer(BOB, 0)])
    const { block: slow } = await build(maker, [counting(400_000)])
    const pauses: Promise<unknown>[] = []
    const chain = await openTestChain({}, undefined, {
      pause: async () => {
        // In the first pause of the execution, like a block of the other validators.
        if (pauses.length === 0) pauses.push(importNow(chain, sealed))
        await turns(1)
      },
    })
    const verified = chain.verifyBlock(slow, { nowMs: Number(slow.header.timestamp) * 1000 })
    expect(await failureOf(verified)).toBeInstanceOf(ExecutionStopped)
    expect(await Promise.all(pauses)).toEqual(['imported'])
  })

  test('when a block without seals arrives during the verification, then the proposal is verified to its end', async () => {
    const maker = await openTestChain()
    const { block: unsealed } = await build(maker, [transfer(BOB, 0)])
    const { block: slow } = await build(maker, [counting(20_000)])
    const refused: Promise<unknown>[] = []
    const chain = await openTestChain({}, undefined, {
      pause: async () => {
        const header = sealedHeader(unsealed.header, [])
        if (refused.length === 0) refused.push(failureOf(importNow(chain, { ...unsealed, header })))
        await turns(1)
      },
    })
    const { block } = await chain.verifyBlock(slow, { nowMs: Number(slow.header.timestamp) * 1000 })
    expect(block).toBe(slow)
    expect(await Promise.all(refused)).toMatchObject([{ rule: 'seal-quorum' }])
  })
})

describe('given a block whose execution exceeds the memory limit of this client', () => {
  const MANY_SLOTS = [creation(ALICE, 400, 'JUMPDEST', 'DUP1 DUP1 SSTORE', 1, 'SWAP1 SUB DUP1', 3, 'JUMPI')]
  const small = { executionBytesMax: 20_000 }

  test('when it is built, then the transaction is left out', async () => {
    const chain = await openTestChain({}, undefined, small)
    const { block, stopped } = await build(chain, [...MANY_SLOTS, transfer(BOB, 0)])
    expect(block.transactions).toHaveLength(1)
    expect(stopped).toMatchObject([{ reason: expect.stringContaining('more than 20000 bytes of memory') }])
  })

  test('when it is proposed or sealed, then the block is not treated as invalid', async () => {
    const block = await nextBlock(await openTestChain(), MANY_SLOTS)
    expect(block.transactions).toHaveLength(1)
    const chain = await openTestChain({}, undefined, small)
    const nowMs = Number(block.header.timestamp) * 1000
    expect(await failureOf(chain.verifyBlock(block, { nowMs }))).toBeInstanceOf(MemoryUnavailable)
    expect(await failureOf(importNow(chain, block))).toBeInstanceOf(MemoryUnavailable)
    expect(await importNow(await openTestChain(), block)).toBe('imported')
  })
})
