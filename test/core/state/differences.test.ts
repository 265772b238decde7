import { describe, expect, test } from 'bun:test'
import { EMPTY_BYTES } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import type { SlotChange } from '../../../core/state/account.ts'
import { differencesSince, markState } from '../../../core/state/differences.ts'
import type { WorldState } from '../../../core/state/world.ts'
import { createWorldState } from '../../../core/state/worldState.ts'
import { seededRandom } from '../../support/random.ts'
import { address, createMemoryState, word } from '../evm/behaviour/memoryState.ts'

const A = address(0xa)
const B = address(0xb)
const CODE = Uint8Array.of(0x60, 0x01)

const firstWorld = (): WorldState =>
  createWorldState(
    createMemoryState([[A, { nonce: 3n, balance: 5n, code: CODE, storage: { 1: 11n, 2: 22n } }]]).reader,
  )

describe('given the differences of accounts since a snapshot', () => {
  test('when no value or the same value was written, then there are none', () => {
    const world = firstWorld()
    world.setBalance(A, 6n)
    const mark = markState(world)
    expect(differencesSince(world, mark)).toEqual([])
    world.setBalance(A, 7n)
    world.setBalance(A, 6n)
    world.setStorage(A, word(1), word(11))
    expect(differencesSince(world, mark)).toEqual([])
  })

  test('when values changed, then they have those at the snapshot, not before the block', () => {
    const world = firstWorld()
    world.setBalance(A, 6n)
    world.setStorage(A, word(1), word(12))
    const mark = markState(world)
    world.setBalance(A, 7n)
    world.setNonce(A, 4n)
    world.setStorage(A, word(1), word(13))
    world.setStorage(A, word(1), word(14))
    world.setStorage(A, word(3), word(33))
    expect(differencesSince(world, mark)).toEqual([
      {
        address: A,
        before: { nonce: 3n, balance: 6n, code: CODE },
        after: { nonce: 4n, balance: 7n, code: CODE },
        slots: [
          { slot: word(1), before: word(12), after: word(14) },
          { slot: word(3), before: word(0), after: word(33) },
        ],
      },
    ])
  })

  test('when only slots or code changed, then they have those', () => {
    const world = firstWorld()
    const mark = markState(world)
    world.setStorage(A, word(2), word(0))
    const facts = { nonce: 3n, balance: 5n, code: CODE }
    expect(differencesSince(world, mark)).toEqual([
      {
        address: A,
        before: facts,
        after: facts,
        slots: [{ slot: word(2), before: word(22), after: word(0) }],
      },
    ])
    const second = markState(world)
    world.setCode(A, EMPTY_BYTES)
    expect(differencesSince(world, second)).toEqual([
      { address: A, before: facts, after: { ...facts, code: EMPTY_BYTES }, slots: [] },
    ])
  })

  test('when an account was created, then it is listed; undone changes are not', () => {
    const world = firstWorld()
    const mark = markState(world)
    const undone = world.snapshot()
    world.setBalance(A, 100n)
    world.setStorage(A, word(1), word(100))
    world.revert(undone)
    world.addBalance(B, 2n)
    expect(differencesSince(world, mark)).toEqual([
      { address: B, before: undefined, after: { nonce: 0n, balance: 2n, code: EMPTY_BYTES }, slots: [] },
    ])
  })

  test('when any operations ran, then they add up to the changes of the world', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = seededRandom(seed)
      const world = firstWorld()
      const mark = markState(world)
      const snapshots: number[] = []
      for (let step = 0; step < 200; step++) {
        const who = random.below(2) === 0 ? A : B
        const amount = BigInt(random.below(4))
        const slot = word(random.below(4))
        const act = random.below(6)
        if (act === 0) world.setBalance(who, amount)
        else if (act === 1) world.setNonce(who, amount)
        else if (act === 2) world.setStorage(who, slot, word(amount))
        else if (act === 3) world.setCode(who, amount === 0n ? EMPTY_BYTES : CODE)
        else if (act === 4) snapshots.push(world.snapshot())
        else {
          const back = snapshots.pop()
          if (back !== undefined) world.revert(back)
        }
      }
      const slotsOf = (slots: readonly SlotChange[]) =>
        new Set(slots.map(({ slot, before, after }) => [slot, before, after].map(toBareHex).join()))
      const shown = differencesSince(world, mark).map(
        ({ address: who, after, slots }) =>
          [toBareHex(who), [after?.nonce, after?.balance, slotsOf(slots)]] as const,
      )
      const expected = world
        .changes(1n)
        .accounts.map(
          ({ address: who, after, slots }) =>
            [toBareHex(who), [after?.nonce, after?.balance, slotsOf(slots)]] as const,
        )
      expect(new Map(shown)).toEqual(new Map(expected))
    }
  })
})
