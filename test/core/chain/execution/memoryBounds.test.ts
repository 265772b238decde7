import { describe, expect, test } from 'bun:test'
import type { RecoveredTransaction } from '../../../../core/block/transaction.ts'
import { ExecutionStopped, type SelectionBounds } from '../../../../core/chain/execution/bounds.ts'
import type { Usage } from '../../../../core/evm/interpreter/runLimit.ts'
import type { Part } from '../../evm/harness.ts'
import { build, failureOf, importNow, nextBlock, openTestChain, transfer } from '../support/chain.ts'
import { signedCreation } from '../support/creation.ts'
import { USERS } from '../support/keys.ts'

const [ALICE, BOB] = USERS

/** A bound that each kind passes with what 30 million gas pay for; those of a node are in verification.ts and selectionBounds.ts. */
const BYTES_MAX = 100_000

const creation = (...parts: readonly Part[]): RecoveredTransaction =>
  signedCreation(ALICE, 29_900_000n, parts)

/** Repeats the body, which finds the number of rounds left on the stack and leaves it there. */
const rounds = (count: number, ...body: readonly Part[]): RecoveredTransaction =>
  creation(count, ['JUMPDEST', body, 1, 'SWAP1 SUB DUP1', count < 256 ? 2 : 3, 'JUMPI STOP'])

/** What a transaction can make a node hold, each kind without much of the others. */
const KINDS: Readonly<Record<string, RecoveredTransaction>> = {
  memory: creation([1, BYTES_MAX, 'MSTORE'], rounds(50, 'GAS POP').transaction.data),
  slots: rounds(1_000, 'DUP1 DUP1 SSTORE'),
  'transient slots': rounds(1_000, 'DUP1 DUP1 TSTORE'),
  'slots that are read': rounds(1_000, 'DUP1 SLOAD POP'),
  'cold accounts': rounds(500, 'DUP1 DUP1 MUL BALANCE POP'),
  'new accounts': rounds(300, [0, 0, 0, 'CREATE POP']),
  'return data': creation([0, 0, 60_000, 0, 4, 'GAS STATICCALL POP'], rounds(50, 'GAS POP').transaction.data),
  logs: rounds(100, [1, 2, 3, 4, 2_000, 0, 'LOG4']),
  'the code of new contracts': rounds(
    5,
    [20_480, 0, 'MSTORE8'],
    [
      // The initialization code is: PUSH2 of the size, PUSH1 0, RETURN.
      [0x61_5000_6000_f3n << 208n, 0, 'MSTORE', 6, 0, 0, 'CREATE POP'],
    ],
  ),
  'initialization code and its program': creation(
    [0x5bn, 40_000, 'MSTORE8'],
    // A loop of 2,000 rounds, before many STOPs.
    [0x6107_d05b_6001_9003_8060_0357n << 160n, 0, 'MSTORE', 40_000, 0, 0, 'CREATE POP'],
  ),
  'the undo log': rounds(3_000, [0, 0, 0, 0, 4, 'GAS STATICCALL POP'], 'DUP1', 7, 'TSTORE'),
}

/** Without any bound on time. */
const byMemory = (): SelectionBounds => ({
  begin: () => undefined,
  exceeded: ({ memoryBytes }: Usage) => (memoryBytes > BYTES_MAX ? 'it needs too much memory' : undefined),
})

describe.each(Object.entries(KINDS))('given a transaction that holds much memory: %s', (_, sent) => {
  test('when a block is built, then it is left out by its memory alone', async () => {
    const chain = await openTestChain()
    const { block, stopped } = await build(chain, [sent, transfer(BOB, 0)], { bounds: byMemory() })
    expect(stopped).toMatchObject([{ reason: 'it needs too much memory' }])
    expect(block.transactions).toHaveLength(1)
  })

  test('when a proposal has it, then verifying ends by its memory alone, and with seals it is executed to its end', async () => {
    const block = await nextBlock(await openTestChain(), [sent])
    expect(block.transactions).toHaveLength(1)
    const chain = await openTestChain()
    const nowMs = Number(block.header.timestamp) * 1000
    const giveUp = ({ blockMemoryBytes }: Usage): string | undefined =>
      blockMemoryBytes > BYTES_MAX ? 'it needs too much memory' : undefined
    const failure = await failureOf(chain.verifyBlock(block, { nowMs, giveUp }))
    expect(failure).toBeInstanceOf(ExecutionStopped)
    expect(failure).toMatchObject({ message: 'it needs too much memory' })
    expect(await importNow(chain, block)).toBe('imported')
  })
})
