import { type Address, equalBytes } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import type { Account, AccountChange, SlotChange, StateChanges } from '../../../core/state/account.ts'
import { seededRandom } from '../../support/random.ts'

/** An account of the model with its slots, by hex. */
export type Held = { readonly address: Address; account: Account; slots: Map<string, SlotValue> }
type SlotValue = { readonly slot: Uint8Array; readonly value: Uint8Array }

export type StateModel = {
  readonly accounts: Map<string, Held>
  /** Random changes of the next block over `size` or fewer accounts; they are not applied. */
  nextChanges(size: number): StateChanges
  /** Applies the changes of a block, with the storage roots that the trie update filled in. */
  apply(changes: StateChanges): void
}

const ZERO = new Uint8Array(32)

/** A seeded chain of state changes over few addresses, so that accounts and slots are created, deleted and created again. */
export const createStateModel = (seed: number, addresses = 40): StateModel => {
  const random = seededRandom(seed)
  const accounts = new Map<string, Held>()
  const pool = Array.from({ length: addresses }, () => random.bytes(20))
  let block = 0n

  const slotChanges = (held: Held | undefined): SlotChange[] => {
    const changes = new Map<string, SlotChange>()
    for (let i = random.below(6); i > 0; i--) {
      const slot = new Uint8Array(32)
      slot[31] = random.below(24)
      const before = held?.slots.get(toHex(slot))?.value ?? ZERO
      const after = random.below(3) === 0 ? ZERO : new Uint8Array(32)
      if (after !== ZERO) after.set(random.bytes(1 + random.below(32)))
      if (!equalBytes(before, after)) changes.set(toHex(slot), { slot, before, after })
    }
    return [...changes.values()]
  }

  const change = (address: Address): AccountChange | undefined => {
    const held = accounts.get(toHex(address))
    const before = held?.account
    const kind = random.below(10)
    if (before !== undefined && kind < 2) return { address, before, after: undefined, slots: [] }
    const reset = before === undefined || kind === 2
    const slots = random.below(2) === 0 ? slotChanges(reset ? undefined : held) : []
    const after: Account = {
      nonce: BigInt(random.below(300)),
      balance: BigInt(random.word()) << BigInt(random.below(100)),
      codeHash: random.below(3) === 0 ? random.bytes(32) : (before?.codeHash ?? EMPTY_CODE_HASH),
      storageRoot: reset ? EMPTY_TRIE_ROOT : before.storageRoot,
      incarnation: reset ? block : before.incarnation,
    }
    return { address, before, after, slots }
  }

  return {
    accounts,
    nextChanges: size => {
      block++
      const touched = new Set<Address>()
      while (touched.size < Math.min(size, pool.length))
        touched.add(pool[random.below(pool.length)] as Address)
      const changed = [...touched].map(change).filter(each => each !== undefined)
      return { accounts: changed, codes: [] }
    },
    apply: changes => {
      for (const { address, before, after, slots } of changes.accounts) {
        const key = toHex(address)
        if (after === undefined) {
          accounts.delete(key)
          continue
        }
        const goesOn = before !== undefined && before.incarnation === after.incarnation
        const held: Held = {
          address,
          account: after,
          slots: new Map(goesOn ? accounts.get(key)?.slots : undefined),
        }
        for (const { slot, after: value } of slots) {
          if (equalBytes(value, ZERO)) held.slots.delete(toHex(slot))
          else held.slots.set(toHex(slot), { slot, value })
        }
        accounts.set(key, held)
      }
    },
  }
}

/** One change that creates everything in the model. */
export const wholeState = (model: StateModel): StateChanges => ({
  accounts: [...model.accounts.values()].map(({ address, account, slots }) => ({
    address,
    before: undefined,
    after: account,
    slots: [...slots.values()].map(({ slot, value }) => ({ slot, before: ZERO, after: value })),
  })),
  codes: [],
})
