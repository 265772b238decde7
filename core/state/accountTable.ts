import type { Address } from '../bytes/bytes.ts'
import { hashOf5 } from './hash.ts'
import { limbOf, writeLimb } from './limbs.ts'
import type { AccountState } from './accountState.ts'

/** Accounts by the five limbs of their address, without creating strings; open addressing as in StorageTable. */
export type AccountTable = {
  /** Five limbs an account, least significant first. */
  keys: Int32Array
  readonly states: AccountState[]
  index: Int32Array
}

const ACCOUNTS_FIRST = 8
const KEY_LIMBS = 5

export const createAccountTable = (): AccountTable => ({
  keys: new Int32Array(ACCOUNTS_FIRST * KEY_LIMBS),
  states: [],
  index: new Int32Array(2 * ACCOUNTS_FIRST),
})

/** The account with these address limbs; undefined if it was never read. */
export const findAccount = (
  table: AccountTable,
  k0: number,
  k1: number,
  k2: number,
  k3: number,
  k4: number,
): AccountState | undefined => {
  const { keys, index } = table
  const mask = index.length - 1
  let place = hashOf5(k0, k1, k2, k3, k4) & mask
  for (;;) {
    const found = index[place] as number
    if (found === 0) return undefined
    const at = (found - 1) * KEY_LIMBS
    if (
      keys[at] === k0 &&
      keys[at + 1] === k1 &&
      keys[at + 2] === k2 &&
      keys[at + 3] === k3 &&
      keys[at + 4] === k4
    )
      return table.states[found - 1]
    place = (place + 1) & mask
  }
}

const link = (table: AccountTable, id: number): void => {
  const { keys, index } = table
  const at = id * KEY_LIMBS
  const hash = hashOf5(
    keys[at] as number,
    keys[at + 1] as number,
    keys[at + 2] as number,
    keys[at + 3] as number,
    keys[at + 4] as number,
  )
  const mask = index.length - 1
  let place = hash & mask
  while (index[place] !== 0) place = (place + 1) & mask
  index[place] = id + 1
}

/** Adds an account that `findAccount` did not find. */
export const insertAccount = (table: AccountTable, state: AccountState): void => {
  const id = table.states.push(state) - 1
  if (table.states.length * KEY_LIMBS > table.keys.length) {
    const keys = new Int32Array(2 * table.keys.length)
    keys.set(table.keys)
    table.keys = keys
    table.index = new Int32Array(2 * table.index.length)
    for (let other = 0; other < id; other++) link(table, other)
  }
  for (let i = 0; i < KEY_LIMBS; i++) table.keys[id * KEY_LIMBS + i] = limbOf(state.address, 16 - 4 * i)
  link(table, id)
}

/** The 20 address bytes of these five limbs. */
export const addressOfLimbs = (k0: number, k1: number, k2: number, k3: number, k4: number): Address => {
  const address = new Uint8Array(20)
  writeLimb(address, 0, k4)
  writeLimb(address, 4, k3)
  writeLimb(address, 8, k2)
  writeLimb(address, 12, k1)
  writeLimb(address, 16, k0)
  return address
}
