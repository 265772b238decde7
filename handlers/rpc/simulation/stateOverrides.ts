import type { Address } from '../../../core/bytes/bytes.ts'
import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import type { WorldState } from '../../../core/state/world.ts'
import { RpcError } from '../errors.ts'
import { addressOf, bytesOf, hashOf, integerOf, isObject, required } from '../parameters/values.ts'

type Slot = readonly [slot: Uint8Array, value: Uint8Array]

/** What one account is taken to be during a simulation; what is undefined stays as it is. */
type AccountOverride = {
  readonly address: Address
  readonly balance: bigint | undefined
  readonly nonce: bigint | undefined
  readonly code: Uint8Array | undefined
  /** True: the slots are all there is. False: they are put over what is there. */
  readonly replacesStorage: boolean
  readonly slots: readonly Slot[]
}

export type StateOverrides = readonly AccountOverride[]

/** Accounts and slots together. */
export const OVERRIDES_MAX = 100_000

const malformed = (): never => {
  throw new RpcError('INTERNAL_ERROR')
}

const optional = <T>(value: unknown, read: (value: unknown) => T | undefined): T | undefined =>
  value === undefined || value === null ? undefined : required(read(value), 'INTERNAL_ERROR')

const readSlots = (value: unknown): readonly Slot[] | undefined => {
  if (!isObject(value)) return undefined
  return Object.entries(value).map(([slot, word]) => [
    required(hashOf(slot) ?? fixedOf(slot), 'INTERNAL_ERROR'),
    required(fixedOf(word), 'INTERNAL_ERROR'),
  ])
}

const fixedOf = (value: unknown): Uint8Array | undefined => {
  const integer = integerOf(value)
  return integer === undefined ? undefined : bigintToFixedBytes(integer, 32)
}

const readAccount = (key: string, value: unknown): AccountOverride => {
  if (!isObject(value)) return malformed()
  const state = optional(value['state'], readSlots)
  const stateDiff = optional(value['stateDiff'], readSlots)
  if (state !== undefined && stateDiff !== undefined) return malformed()
  // To pass over it would answer another question than the one that was asked.
  if ((value['movePrecompileToAddress'] ?? undefined) !== undefined)
    throw new RpcError('INTERNAL_ERROR', { detail: 'movePrecompileToAddress is not supported' })
  return {
    address: required(addressOf(key), 'INTERNAL_ERROR'),
    balance: optional(value['balance'], integerOf),
    nonce: optional(value['nonce'], nonce => integerOf(nonce, 64)),
    code: optional(value['code'], bytesOf),
    replacesStorage: state !== undefined,
    slots: state ?? stateDiff ?? [],
  }
}

/** @throws RpcError `Internal error` when they are malformed: Besu's answer. */
export const readStateOverrides = (value: unknown): StateOverrides => {
  if (value === undefined) return []
  if (!isObject(value)) return malformed()
  const overrides = Object.entries(value).map(([key, account]) => readAccount(key, account))
  const size = overrides.reduce((sum, { slots }) => sum + 1 + slots.length, 0)
  return size > OVERRIDES_MAX ? malformed() : overrides
}

/** Puts them into the state that a simulation begins with. */
export const applyOverrides = (world: WorldState, overrides: StateOverrides): void => {
  for (const { address, balance, nonce, code, replacesStorage, slots } of overrides) {
    if (balance !== undefined) world.setBalance(address, balance)
    if (nonce !== undefined) world.setNonce(address, nonce)
    if (code !== undefined) world.setCode(address, code)
    if (replacesStorage) world.clearStorage(address)
    for (const [slot, word] of slots) world.setStorage(address, slot, word)
  }
}
