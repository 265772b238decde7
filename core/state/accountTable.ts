import type { Address } from '../bytes/bytes.ts'
import type { AccountState } from './accountState.ts'
import { hashOf5 } from './hash.ts'
import { limbOf, writeLimb } from './limbs.ts'

/**
 * Accounts by the five limbs of their address, without creating strings. A large table is split into shards by the leading
 * bits of the hash: growing one shard moves a small part of the accounts, so that no insertion takes long.
 */
export type AccountTable = {
  /** All accounts in the order of their insertion. */
  readonly states: AccountState[]
  /** One, or SHARDS of them. */
  shards: Shard[]
}

/** Open addressing, at most half full. */
type Shard = {
  /** Five limbs per account, least significant first. */
  keys: Int32Array
  readonly states: AccountState[]
  /** Position in `states` + 1, or 0 for a free place. */
  index: Int32Array
}

const ACCOUNTS_FIRST = 8
const KEY_LIMBS = 5
const SHARDS = 256
const SHARD_SHIFT = 24

/** Accounts at which a table is split into shards, which takes about a millisecond. */
const SHARDED_FROM = 16_384

const createShard = (): Shard => ({
  keys: new Int32Array(ACCOUNTS_FIRST * KEY_LIMBS),
  states: [],
  index: new Int32Array(2 * ACCOUNTS_FIRST),
})

export const createAccountTable = (): AccountTable => ({ states: [], shards: [createShard()] })

const shardOf = ({ shards }: AccountTable, hash: number): Shard =>
  shards[shards.length === 1 ? 0 : hash >>> SHARD_SHIFT] as Shard

/** The account with these address limbs; undefined if it was never read. */
export const findAccount = (
  table: AccountTable,
  k0: number,
  k1: number,
  k2: number,
  k3: number,
  k4: number,
): AccountState | undefined => {
  const hash = hashOf5(k0, k1, k2, k3, k4)
  const { keys, index, states } = shardOf(table, hash)
  const mask = index.length - 1
  let place = hash & mask
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
      return states[found - 1]
    place = (place + 1) & mask
  }
}

const hashAt = (keys: Int32Array, at: number): number =>
  hashOf5(
    keys[at] as number,
    keys[at + 1] as number,
    keys[at + 2] as number,
    keys[at + 3] as number,
    keys[at + 4] as number,
  )

const link = ({ keys, index }: Shard, id: number): void => {
  const mask = index.length - 1
  let place = hashAt(keys, id * KEY_LIMBS) & mask
  while (index[place] !== 0) place = (place + 1) & mask
  index[place] = id + 1
}

const growShard = (shard: Shard): void => {
  const keys = new Int32Array(2 * shard.keys.length)
  keys.set(shard.keys)
  shard.keys = keys
  shard.index = new Int32Array(2 * shard.index.length)
  for (let id = 0; id < shard.states.length; id++) link(shard, id)
}

/** Adds an account whose key is at `from` in `keys`. */
const insertIn = (shard: Shard, state: AccountState, keys: Int32Array, from: number): void => {
  if ((shard.states.length + 1) * KEY_LIMBS > shard.keys.length) growShard(shard)
  const id = shard.states.push(state) - 1
  for (let i = 0; i < KEY_LIMBS; i++) shard.keys[id * KEY_LIMBS + i] = keys[from + i] as number
  link(shard, id)
}

const split = (table: AccountTable): void => {
  const { keys, states } = table.shards[0] as Shard
  const shards = Array.from({ length: SHARDS }, createShard)
  for (const [id, state] of states.entries()) {
    const at = id * KEY_LIMBS
    insertIn(shards[hashAt(keys, at) >>> SHARD_SHIFT] as Shard, state, keys, at)
  }
  table.shards = shards
}

const key = new Int32Array(KEY_LIMBS)

/** Adds an account that `findAccount` did not find. */
export const insertAccount = (table: AccountTable, state: AccountState): void => {
  if (table.states.length === SHARDED_FROM) split(table)
  table.states.push(state)
  for (let i = 0; i < KEY_LIMBS; i++) key[i] = limbOf(state.address, 16 - 4 * i)
  insertIn(shardOf(table, hashAt(key, 0)), state, key, 0)
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
