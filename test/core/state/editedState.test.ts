import { describe, expect, test } from 'bun:test'
import { type Address, padStartBytes, ZERO_HASH } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { bigintToBytes } from '../../../core/bytes/integer.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import type { Account, StateReader } from '../../../core/state/account.ts'
import { createEditedStates } from '../../../core/state/editedState.ts'
import { applyEdits, type EditList, editListOf, type StateEdit, withEdit } from '../../../core/state/edits.ts'
import type { WorldState } from '../../../core/state/world.ts'
import { createWorldState } from '../../../core/state/worldState.ts'
import { seededRandom } from '../../support/random.ts'

const NUMBER = 7n
const address = (number: number): Address => padStartBytes(bigintToBytes(BigInt(number)), 20)
const word = (value: number): Uint8Array => padStartBytes(bigintToBytes(BigInt(value)), 32)
const code = (value: number): Uint8Array => new Uint8Array(value % 3).fill(value)

/** Accounts 1 to 3 are stored, 2 and 3 with storage. */
const stored = (account: Address): Account | undefined => {
  const number = account[19] ?? 0
  return number > 3
    ? undefined
    : {
        nonce: BigInt(number),
        balance: 5n,
        codeHash: EMPTY_CODE_HASH,
        storageRoot: number === 1 ? EMPTY_TRIE_ROOT : word(99),
        incarnation: 2n,
      }
}

const storedSlot = (account: Address, slot: Uint8Array): Uint8Array =>
  account[19] === 2 || account[19] === 3 ? word((slot[31] ?? 0) + 1) : ZERO_HASH

const readerOf = (reads = { accounts: 0 }): StateReader => ({
  account: account => {
    reads.accounts++
    return stored(account)
  },
  storage: (account, _, slot) => storedSlot(account, slot),
  code: hash => {
    throw new Error(`no code ${toBareHex(hash)}`)
  },
})

const randomEdit = ({ below }: ReturnType<typeof seededRandom>): StateEdit => {
  const at = address(1 + below(6))
  const value = below(4)
  switch (below(5)) {
    case 0:
      return { kind: 'balance', address: at, wei: BigInt(value) }
    case 1:
      return { kind: 'nonce', address: at, nonce: BigInt(value) }
    case 2:
      return { kind: 'code', address: at, code: code(value) }
    default:
      return { kind: 'slot', address: at, slot: word(below(3)), value: word(value) }
  }
}

const valuesOf = (world: WorldState): readonly unknown[] =>
  [1, 2, 3, 4, 5, 6].map(number => {
    const at = address(number)
    return [
      world.exists(at),
      world.balance(at),
      world.nonce(at),
      toBareHex(world.code(at)),
      [0, 1, 2].map(slot => toBareHex(world.storage(at, word(slot)))),
    ]
  })

describe('given the state after a block and edits', () => {
  test('when it is read after each edit, and after steps back, then it is what the next block begins with', () => {
    const random = seededRandom(38)
    const states = createEditedStates()
    let list: EditList
    const reader = states.reader(readerOf(), NUMBER, () => list)
    for (let step = 0; step < 300; step++) {
      const back = random.below(10) === 0 ? random.below(5) : 0
      for (let undone = 0; undone < back; undone++) list = list?.before
      list = withEdit(list, randomEdit(random))
      const world = createWorldState(readerOf())
      applyEdits(world, list)
      expect(valuesOf(createWorldState(reader))).toEqual(valuesOf(world))
    }
  })

  test('when many readers read it after each of many edits, then each edit is computed once', () => {
    const reads = { accounts: 0 }
    const states = createEditedStates()
    let list: EditList
    for (let number = 0; number < 2_000; number++) {
      list = withEdit(list, { kind: 'balance', address: address(100 + number), wei: 3n })
      const now = list
      const reader = states.reader(readerOf(reads), NUMBER, () => now)
      expect(reader.account(address(100))?.balance).toBe(3n)
    }
    expect(reads.accounts).toBe(2_000)
  })

  test('when another block takes the place of its block, then nothing of the earlier one is left', () => {
    const states = createEditedStates()
    const list = editListOf([{ kind: 'nonce', address: address(9), nonce: 1n }])
    const below = (balance: bigint): StateReader => ({
      ...readerOf(),
      account: () => ({ ...(stored(address(1)) as Account), balance }),
    })
    expect(states.reader(below(1n), NUMBER, () => list).account(address(9))?.balance).toBe(1n)
    states.forget()
    expect(states.reader(below(2n), NUMBER, () => list).account(address(9))?.balance).toBe(2n)
  })
})
