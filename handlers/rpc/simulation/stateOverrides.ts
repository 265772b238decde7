import { isObject, type JsonObject } from '../../../core/json.ts'
import type { Address } from '../../../core/bytes/bytes.ts'
import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import type { WorldState } from '../../../core/state/world.ts'
import { RpcError } from '../errors.ts'
import { addressOf, bytesOf, hashOf, integerOf } from '../parameters/values.ts'

type Slot = readonly [slot: Uint8Array, value: Uint8Array]

/** Overrides of one account during a simulation; undefined fields are unchanged. */
type AccountOverride = {
  readonly address: Address
  readonly balance: bigint | undefined
  readonly nonce: bigint | undefined
  readonly code: Uint8Array | undefined
  /** True: the slots replace the storage. False: they replace single slots. */
  readonly replacesStorage: boolean
  readonly slots: readonly Slot[]
  /** New address of the precompile at this address. */
  readonly movePrecompileTo: Address | undefined
}

export type StateOverrides = readonly AccountOverride[]

/** Maximum number of accounts and slots. */
export const OVERRIDES_MAX = 100_000

const malformed = (detail: string): never => {
  throw new RpcError('INVALID_PARAMS', { detail: `state overrides: ${detail}` })
}

/** The member of that name; undefined if it is missing or null. */
const member = <T>(
  account: JsonObject,
  name: string,
  read: (value: unknown) => T | undefined,
): T | undefined => {
  const value = account[name] ?? undefined
  return value === undefined ? undefined : (read(value) ?? malformed(name))
}

const fixedOf = (value: unknown): Uint8Array | undefined => {
  const integer = integerOf(value)
  return integer === undefined ? undefined : bigintToFixedBytes(integer, 32)
}

const readSlots = (value: unknown): readonly Slot[] | undefined => {
  if (!isObject(value)) return undefined
  return Object.entries(value).map(([slot, word]) => [
    hashOf(slot) ?? fixedOf(slot) ?? malformed('a slot must have at most 32 bytes'),
    fixedOf(word) ?? malformed('the value of a slot must have at most 32 bytes'),
  ])
}

const readAccount = (key: string, value: unknown): AccountOverride => {
  if (!isObject(value)) return malformed('each account must be an object')
  const state = member(value, 'state', readSlots)
  const stateDiff = member(value, 'stateDiff', readSlots)
  if (state !== undefined && stateDiff !== undefined)
    return malformed('state and stateDiff exclude each other')
  return {
    address: addressOf(key) ?? malformed('each name must be the address of an account'),
    balance: member(value, 'balance', integerOf),
    nonce: member(value, 'nonce', nonce => integerOf(nonce, 64)),
    code: member(value, 'code', bytesOf),
    replacesStorage: state !== undefined,
    slots: state ?? stateDiff ?? [],
    movePrecompileTo: member(value, 'movePrecompileToAddress', addressOf),
  }
}

/** @throws RpcError for malformed overrides */
export const readStateOverrides = (value: unknown): StateOverrides => {
  if (value === undefined) return []
  if (!isObject(value)) return malformed('must be an object of accounts')
  const overrides = Object.entries(value).map(([key, account]) => readAccount(key, account))
  return overridesSize(overrides) > OVERRIDES_MAX
    ? malformed(`more than ${OVERRIDES_MAX} accounts and slots`)
    : overrides
}

/** Number of accounts and slots; the work is proportional to it. */
export const overridesSize = (overrides: StateOverrides): number =>
  overrides.reduce((sum, { slots }) => sum + 1 + slots.length, 0)

/** Writes the overrides into the initial state of a simulation. */
export const applyOverrides = (world: WorldState, overrides: StateOverrides): void => {
  for (const { address, balance, nonce, code, replacesStorage, slots } of overrides) {
    if (balance !== undefined) world.setBalance(address, balance)
    if (nonce !== undefined) world.setNonce(address, nonce)
    if (code !== undefined) world.setCode(address, code)
    if (replacesStorage) {
      world.clearStorage(address)
      // An overridden account exists, even an empty one.
      world.setBalance(address, world.balance(address))
    }
    for (const [slot, word] of slots) world.setStorage(address, slot, word)
  }
}
