import { describe, expect, test } from 'bun:test'
import { type Address, EMPTY_BYTES, ZERO_HASH } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import { createWorldState } from '../../../core/state/worldState.ts'
import type { WorldState } from '../../../core/state/world.ts'
import { seededRandom } from '../../support/random.ts'
import { address, createMemoryState, word } from '../evm/behaviour/memoryState.ts'

const A = address(0xa)
const NOBODY = address(0xb)
const CODE = Uint8Array.of(0x60, 0x01)

const firstState = () =>
  createMemoryState([[A, { nonce: 3n, balance: 5n, code: CODE, storage: { 1: 11n, 2: 22n } }]])

describe('given a world over a state', () => {
  test('when an account exists or not, then it shows the state’s values', () => {
    const world = createWorldState(firstState().reader)
    expect([world.exists(A), world.nonce(A), world.balance(A)]).toEqual([true, 3n, 5n])
    expect([world.code(A), world.storage(A, word(2)), world.storage(A, word(3))]).toEqual([
      CODE,
      word(22),
      ZERO_HASH,
    ])
    expect([world.exists(NOBODY), world.nonce(NOBODY), world.balance(NOBODY)]).toEqual([false, 0n, 0n])
    expect([world.code(NOBODY), world.storage(NOBODY, word(1))]).toEqual([EMPTY_BYTES, ZERO_HASH])
    expect(world.changes(9n)).toEqual({ accounts: [], codes: [] })
  })

  test('when something is written, then it hides only that', () => {
    const world = createWorldState(firstState().reader)
    world.setStorage(A, word(1), word(12))
    world.setNonce(A, 4n)
    expect([world.storage(A, word(1)), world.storage(A, word(2))]).toEqual([word(12), word(22)])
    expect([world.nonce(A), world.balance(A), world.code(A)]).toEqual([4n, 5n, CODE])
  })

  test('when values are passed in or out, then they are copied', () => {
    const world = createWorldState(firstState().reader)
    const value = word(9)
    world.setStorage(A, word(1), value)
    value[31] = 1
    world.storage(A, word(1))[31] = 2
    expect(world.storage(A, word(1))).toEqual(word(9))
  })
})

describe('given code', () => {
  test('when the code is already in the state, then there is no change, and cleared code has the empty hash', () => {
    const state = firstState()
    const world = createWorldState(state.reader)
    world.setCode(A, Uint8Array.of(2))
    world.setCode(A, CODE)
    expect(world.changes(9n)).toEqual({ accounts: [], codes: [] })
    world.setCode(A, EMPTY_BYTES)
    const [change] = world.changes(9n).accounts
    expect([change?.after?.codeHash, world.changes(9n).codes]).toEqual([EMPTY_CODE_HASH, []])
  })

  test('when a snapshot is restored, then it goes back', () => {
    const world = createWorldState(firstState().reader)
    const snapshot = world.snapshot()
    world.setCode(A, Uint8Array.of(2))
    world.setCode(NOBODY, Uint8Array.of(3))
    world.revert(snapshot)
    expect([world.code(A), world.code(NOBODY), world.exists(NOBODY)]).toEqual([CODE, EMPTY_BYTES, false])
    expect(world.changes(9n)).toEqual({ accounts: [], codes: [] })
  })
})

type Entry = { nonce: bigint; balance: bigint; code: Uint8Array; readonly storage: Map<string, bigint> }
type Model = Map<string, Entry>

const copyOf = (model: Model): Model =>
  new Map([...model].map(([key, entry]) => [key, { ...entry, storage: new Map(entry.storage) }]))

const ADDRESSES = Array.from({ length: 6 }, (_, i) => address(0xa0 + i))
const SLOTS = 5

/** What there is of the addresses of the test, as plain values. */
const shownBy = (world: WorldState) =>
  ADDRESSES.map(at => ({
    nonce: world.nonce(at),
    balance: world.balance(at),
    code: toBareHex(world.code(at)),
    slots: Array.from({ length: SLOTS }, (_, slot) =>
      BigInt(`0x${toBareHex(world.storage(at, word(slot)))}`),
    ),
  }))

const shownOf = (model: Model) =>
  ADDRESSES.map(at => {
    const entry = model.get(toBareHex(at))
    return {
      nonce: entry?.nonce ?? 0n,
      balance: entry?.balance ?? 0n,
      code: toBareHex(entry?.code ?? EMPTY_BYTES),
      slots: Array.from({ length: SLOTS }, (_, slot) => entry?.storage.get(`${slot}`) ?? 0n),
    }
  })

describe('given random blocks, one after the other', () => {
  const random = seededRandom(77)

  const act = (world: WorldState, model: Model): void => {
    const at = ADDRESSES[random.below(ADDRESSES.length)] as Address
    const key = toBareHex(at)
    const entry = model.get(key) ?? { nonce: 1n, balance: 0n, code: EMPTY_BYTES, storage: new Map() }
    // Every account of the test has a nonce, so that none is empty.
    if (!model.has(key)) world.setNonce(at, 1n)
    model.set(key, entry)
    const value = random.below(3)
    switch (random.below(8)) {
      case 0:
        entry.balance += BigInt(value)
        world.addBalance(at, BigInt(value))
        break
      case 1:
        entry.balance = BigInt(value)
        world.setBalance(at, BigInt(value))
        break
      case 2:
        entry.nonce = BigInt(1 + value)
        world.setNonce(at, BigInt(1 + value))
        break
      case 3:
        entry.code = new Uint8Array(value).fill(value)
        world.setCode(at, new Uint8Array(value).fill(value))
        break
      case 4:
        if (value > 0) break
        entry.storage.clear()
        world.clearStorage(at)
        break
      default: {
        const slot = random.below(SLOTS)
        entry.storage.set(`${slot}`, BigInt(value))
        world.setStorage(at, word(slot), word(value))
      }
    }
  }

  test('when snapshots, resets and returning values occur, then the state with the changes equals the world', () => {
    const state = createMemoryState()
    let model: Model = new Map()
    for (let number = 1n; number <= 60n; number++) {
      const world = createWorldState(state.reader)
      const snapshots: (readonly [number, Model])[] = []
      const before = shownOf(model)
      for (let i = random.below(40); i > 0; i--) {
        if (random.below(5) === 0) snapshots.push([world.snapshot(), copyOf(model)])
        if (random.below(8) === 0) {
          // What was done stays, and no snapshot from before is used again.
          world.keep()
          snapshots.length = 0
        }
        act(world, model)
        if (random.below(12) > 0 || snapshots.length === 0) continue
        const at = random.below(snapshots.length)
        const [snapshot, then] = snapshots[at] as readonly [number, Model]
        world.revert(snapshot)
        model = copyOf(then)
        snapshots.length = at
      }
      expect(shownBy(world)).toEqual(shownOf(model))
      const changes = world.changes(number)
      state.apply(changes)
      expect([number, shownBy(createWorldState(state.reader))]).toEqual([number, shownOf(model)])
      // Each account and slot stands in the changes once, and only when it differs.
      const differing = ADDRESSES.filter((_, i) => !Bun.deepEquals(before[i], shownOf(model)[i])).map(
        toBareHex,
      )
      const told = changes.accounts.map(change => toBareHex(change.address))
      expect(new Set(told).size).toBe(told.length)
      expect(differing.filter(at => !told.includes(at))).toEqual([])
      for (const { slots, before: was, after } of changes.accounts) {
        expect(slots.every(slot => toBareHex(slot.before) !== toBareHex(slot.after))).toBe(true)
        expect(new Set(slots.map(({ slot }) => toBareHex(slot))).size).toBe(slots.length)
        const isNew = after?.incarnation === number
        expect([isNew || after?.incarnation === was?.incarnation]).toEqual([true])
        if (isNew) expect(after?.storageRoot).toEqual(EMPTY_TRIE_ROOT)
      }
      for (const { codeHash, code } of changes.codes) expect(codeHash).toEqual(keccak256(code))
    }
  })
})
