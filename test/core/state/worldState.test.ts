import { describe, expect, test } from 'bun:test'
import { type Address, EMPTY_BYTES, padStartBytes, ZERO_HASH } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { bigintToBytes } from '../../../core/bytes/integer.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import { type Account, MissingEntries, type StateReader } from '../../../core/state/account.ts'
import { useTableSeed } from '../../../core/state/hash.ts'
import { executionStateOf, createWorldState } from '../../../core/state/worldState.ts'
import type { WorldState } from '../../../core/state/world.ts'
import { seededRandom } from '../../support/random.ts'

const address = (number: number): Address => padStartBytes(bigintToBytes(BigInt(number)), 20)
const word = (value: number): Uint8Array => padStartBytes(bigintToBytes(BigInt(value)), 32)

const A = address(0xa)
const B = address(0xb)
const CODE = Uint8Array.of(0x60, 0x00)
const SOME_ROOT = word(0x123456)

const account = (changes: Partial<Account> = {}): Account => ({
  nonce: 0n,
  balance: 0n,
  codeHash: EMPTY_CODE_HASH,
  storageRoot: EMPTY_TRIE_ROOT,
  incarnation: 3n,
  ...changes,
})

type Kept = { readonly account: Account; readonly storage?: Readonly<Record<number, number>> }

const readerOf = (kept: readonly (readonly [Address, Kept])[], reads: string[] = []): StateReader => {
  const accounts = new Map(kept.map(([at, entry]) => [toBareHex(at), entry]))
  return {
    account: at => accounts.get(toBareHex(at))?.account,
    storage: (at, _, slot) => {
      reads.push(toBareHex(slot).replace(/^0+/, ''))
      const values = accounts.get(toBareHex(at))?.storage ?? {}
      const found = Object.entries(values).find(([key]) => toBareHex(word(Number(key))) === toBareHex(slot))
      return found === undefined ? ZERO_HASH : word(found[1])
    },
    code: () => CODE,
  }
}

const CONTRACT: Kept = {
  account: account({ nonce: 1n, balance: 5n, codeHash: keccak256(CODE), storageRoot: SOME_ROOT }),
  storage: { 1: 11, 2: 22 },
}

const world = (kept: readonly (readonly [Address, Kept])[] = []): WorldState =>
  createWorldState(readerOf(kept))

describe('given the changes of a block', () => {
  test('when the state was not changed, or every change was reversed, then there are none', () => {
    const state = world([[A, CONTRACT]])
    expect(state.balance(A)).toBe(5n)
    state.setBalance(A, 6n)
    state.setStorage(A, word(1), word(99))
    expect(state.changes(9n).accounts).toHaveLength(1)
    state.setBalance(A, 5n)
    state.setStorage(A, word(1), word(11))
    expect(state.changes(9n)).toEqual({ accounts: [], codes: [] })
  })

  test('when an account is new, then its incarnation is the block', () => {
    const state = world()
    state.addBalance(A, 7n)
    expect(state.changes(9n).accounts).toEqual([
      { address: A, before: undefined, after: account({ balance: 7n, incarnation: 9n }), slots: [] },
    ])
  })

  test('when slots changed, then each has old and new value once, and the old root', () => {
    const state = world([[A, CONTRACT]])
    state.setStorage(A, word(1), word(0))
    state.setStorage(A, word(3), word(33))
    state.setStorage(A, word(3), word(34))
    expect(state.storage(A, word(2))).toEqual(word(22))
    expect(state.changes(9n).accounts).toEqual([
      {
        address: A,
        before: CONTRACT.account,
        after: CONTRACT.account,
        slots: [
          { slot: word(1), before: word(11), after: ZERO_HASH },
          { slot: word(3), before: ZERO_HASH, after: word(34) },
        ],
      },
    ])
  })

  test('when a storage is reset, then it has a new incarnation, and every slot begins at zero', () => {
    const state = world([[A, CONTRACT]])
    state.setStorage(A, word(1), word(12))
    state.clearStorage(A)
    expect(state.storage(A, word(2))).toEqual(ZERO_HASH)
    state.setStorage(A, word(2), word(22))
    expect(state.changes(9n).accounts).toEqual([
      {
        address: A,
        before: CONTRACT.account,
        after: { ...CONTRACT.account, storageRoot: EMPTY_TRIE_ROOT, incarnation: 9n },
        slots: [{ slot: word(2), before: ZERO_HASH, after: word(22) }],
      },
    ])
  })

  test('when an empty storage is cleared, then there is no change', () => {
    const state = world([[A, { account: account({ balance: 1n }) }]])
    state.clearStorage(A)
    expect(state.changes(9n).accounts).toEqual([])
  })

  test('when code was deployed and is still in use, then it is listed once', () => {
    const state = world([[A, CONTRACT]])
    const next = Uint8Array.of(1, 2, 3)
    state.setCode(B, next)
    state.setCode(address(0xc), next)
    state.setCode(address(0xd), Uint8Array.of(4))
    state.setCode(address(0xd), EMPTY_BYTES)
    expect(state.changes(9n).codes).toEqual([{ codeHash: keccak256(next), code: next }])
  })

  test('when more is done after they were read, then they can be read again', () => {
    const state = world()
    state.setBalance(A, 1n)
    expect(state.changes(9n)).toEqual(state.changes(9n))
    state.setBalance(B, 1n)
    expect(state.changes(9n).accounts).toHaveLength(2)
  })
})

describe('given an increase by zero', () => {
  test('when EIP-161 is active, then it removes an empty account that it touches, and creates none', () => {
    const state = world([[A, { account: account() }]])
    state.addBalance(A, 0n)
    state.addBalance(B, 0n)
    expect([state.exists(A), state.exists(B)]).toEqual([false, false])
    expect(state.changes(9n).accounts).toEqual([
      { address: A, before: account(), after: undefined, slots: [] },
    ])
  })

  test('when it is before EIP-161, then it creates an account', () => {
    const state = world()
    executionStateOf(state).clearEmpty = false
    state.addBalance(B, 0n)
    expect(state.changes(9n).accounts).toEqual([
      { address: B, before: undefined, after: account({ incarnation: 9n }), slots: [] },
    ])
  })
})

describe('given a snapshot', () => {
  test('when it is restored, then everything is as before, however deep', () => {
    const state = world([[A, CONTRACT]])
    const snapshots: [number, unknown][] = []
    const random = seededRandom(5)
    for (let i = 0; i < 300; i++) {
      if (random.below(6) === 0) snapshots.push([state.snapshot(), state.changes(9n)])
      const at = address(0xa + random.below(4))
      switch (random.below(7)) {
        case 0:
          state.addBalance(at, BigInt(random.below(3)))
          break
        case 1:
          state.setNonce(at, BigInt(random.below(9)))
          break
        case 2:
          state.setCode(at, Uint8Array.of(random.below(4)))
          break
        case 3:
          state.clearStorage(at)
          break
        default:
          state.setStorage(at, word(random.below(5)), word(random.below(3)))
      }
      if (snapshots.length > 0 && random.below(9) === 0) {
        const index = random.below(snapshots.length)
        const [snapshot, then] = snapshots[index] as [number, unknown]
        state.revert(snapshot)
        expect(state.changes(9n)).toEqual(then as ReturnType<typeof state.changes>)
        snapshots.length = index
      }
    }
  })
})

describe('given the reader of a state', () => {
  test('when a slot is read again, then the reader is called once, and never for an empty or cleared storage', () => {
    const reads: string[] = []
    const state = createWorldState(
      readerOf(
        [
          [A, CONTRACT],
          [B, { account: account({ balance: 1n }) }],
        ],
        reads,
      ),
    )
    for (let i = 0; i < 3; i++) state.storage(A, word(1))
    state.storage(B, word(1))
    state.storage(address(0xc), word(1))
    state.clearStorage(A)
    state.storage(A, word(2))
    expect(reads).toEqual(['1'])
  })

  test('when it misses entries, then no account or slot is partly read', () => {
    let isMissing = true
    const reader = readerOf([[A, CONTRACT]])
    const state = createWorldState({
      ...reader,
      storage: (at, kept, slot) => {
        if (isMissing) throw new MissingEntries(['one'])
        return reader.storage(at, kept, slot)
      },
    })
    expect(() => state.storage(A, word(1))).toThrow(MissingEntries)
    isMissing = false
    expect(state.storage(A, word(1))).toEqual(word(11))
  })
})

test.each([0, 0x12345678, -1])(
  'given tables with the seed %p, when they hold thousands of accounts and slots, then all are found',
  seed => {
    useTableSeed(seed)
    const state = world()
    const random = seededRandom(8)
    const expected = new Map<string, [Address, Uint8Array, number]>()
    for (let i = 0; i < 8000; i++) {
      const at = random.below(3) === 0 ? address(random.below(500)) : random.bytes(20)
      const slot = random.below(2) === 0 ? word(random.below(1000)) : random.bytes(32)
      state.addBalance(at, 1n)
      state.setStorage(at, slot, word(i + 1))
      expected.set(toBareHex(at) + toBareHex(slot), [at, slot, i + 1])
    }
    for (const [at, slot, value] of expected.values()) expect(state.storage(at, slot)).toEqual(word(value))
  },
)

test('given a world that createWorldState did not create, when it is used, then it is refused', () => {
  expect(() => executionStateOf({ ...({} as WorldState) })).toThrow(TypeError)
})
