import { SLOAD, SSTORE } from '../../../core/evm/interpreter/opcodeBytes.ts'
import { type Address, EMPTY_BYTES, equalBytes, isZeroBytes } from '../../../core/bytes/bytes.ts'
import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import { addressOfWord, bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import { createAddress } from '../../../core/evm/frames/address.ts'
import { authorityOf } from '../../../core/evm/transaction/authorization.ts'
import { delegateOf } from '../../../core/evm/frames/delegation.ts'
import type { TraceCall, TraceStep } from '../../../core/evm/interpreter/tracer.ts'
import { forkIsAtLeast } from '../../../core/genesis/fork.ts'
import type { WorldState } from '../../../core/state/world.ts'
import type { Budget } from './budget.ts'
import type { Traced, TracerKind } from './traced.ts'

export type PrestateOptions = {
  readonly diffMode: boolean
  readonly disableCode: boolean
  readonly disableStorage: boolean
  readonly includeEmpty: boolean
}

type Json = Record<string, unknown>

/** An account before the transaction, with the slots that the transaction accessed. */
type Prestate = {
  readonly address: Address
  readonly balance: bigint
  readonly nonce: bigint
  readonly code: Uint8Array
  readonly storage: Map<string, { readonly slot: Uint8Array; readonly value: Uint8Array }>
}

/** Only the changed fields. */
type Poststate = {
  balance?: string
  code?: string
  codeHash?: string
  nonce?: number
  storage?: Record<string, string>
}

/** Opcodes that read the account whose address is on top of the stack: BALANCE, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH. */
const READS_ACCOUNT: ReadonlySet<number> = new Set([0x31, 0x3b, 0x3c, 0x3f])

const ACCOUNT_BYTES = 150
const SLOT_BYTES = 140

const hashOfCode = (code: Uint8Array): string => toHex(keccak256(code))

const isEmpty = ({ balance, nonce, code }: Prestate): boolean =>
  balance === 0n && nonce === 0n && code.length === 0

const storageShape = (storage: Prestate['storage']): Json =>
  Object.fromEntries([...storage].map(([key, { value }]) => [key, toHex(value)]))

const shape = ({ balance, nonce, code, storage }: Prestate, { disableCode }: PrestateOptions): Json => ({
  balance: toQuantity(balance),
  ...(code.length === 0 || disableCode ? {} : { code: toHex(code) }),
  ...(code.length === 0 ? {} : { codeHash: hashOfCode(code) }),
  ...(nonce === 0n ? {} : { nonce: Number(nonce) }),
  ...(storage.size === 0 ? {} : { storage: storageShape(storage) }),
})

/** The account's changes; undefined if there are none. Removes from `before` the slots that are unchanged or were empty. */
const changesOf = (world: WorldState, before: Prestate, options: PrestateOptions): Poststate | undefined => {
  const { address, storage } = before
  const balance = world.balance(address)
  const nonce = world.nonce(address)
  const code = world.code(address)
  const after: Poststate = {}
  if (balance !== before.balance) after.balance = toQuantity(balance)
  if (nonce !== before.nonce) after.nonce = Number(nonce)
  if (!equalBytes(code, before.code)) {
    after.codeHash = hashOfCode(code)
    if (!options.disableCode) after.code = toHex(code)
  }
  const slots: Record<string, string> = {}
  let hasChangedSlot = false
  for (const [key, { slot, value }] of storage) {
    const now = world.storage(address, slot)
    const isSame = equalBytes(now, value)
    if (isSame || isZeroBytes(value)) storage.delete(key)
    if (isSame) continue
    hasChangedSlot = true
    if (!isZeroBytes(now)) slots[key] = toHex(now)
  }
  if (Object.keys(slots).length > 0) after.storage = slots
  return hasChangedSlot || Object.keys(after).length > 0 ? after : undefined
}

type Collection = {
  readonly options: PrestateOptions
  readonly traced: Traced
  readonly budget: Budget
  readonly accounts: Map<string, Prestate>
  readonly created: Set<string>
  readonly deleted: Set<string>
  /** Adds the account or slot that an instruction accesses, once the instruction has succeeded. */
  pending: (() => void) | undefined
}

const add = ({ options, traced, budget, accounts }: Collection, address: Address): Prestate => {
  const { world } = traced
  const key = toHex(address)
  const known = accounts.get(key)
  if (known !== undefined) return known
  const code = world.code(address)
  budget.add(ACCOUNT_BYTES + (options.disableCode ? 0 : 2 * code.length))
  const account: Prestate = {
    address: address.slice(),
    balance: world.balance(address),
    nonce: world.nonce(address),
    code: code.length === 0 ? EMPTY_BYTES : code,
    storage: new Map(),
  }
  accounts.set(key, account)
  return account
}

/**
 * Adds a called account and the current target of its delegation: this transaction may have set or cleared it. For the
 * recipient of the transaction it is the target before the transaction, as in go-ethereum.
 */
const addCalled = (collection: Collection, address: Address): void => {
  const { world, environment } = collection.traced
  add(collection, address)
  const delegate = delegateOf(world.code(address))
  if (delegate !== undefined && forkIsAtLeast(environment.rules.fork, 'prague')) add(collection, delegate)
}

const addSlot = (collection: Collection, address: Address, slot: Uint8Array, value: Uint8Array): void => {
  const { storage } = add(collection, address)
  const key = toHex(slot)
  if (storage.has(key)) return
  collection.budget.add(SLOT_BYTES)
  storage.set(key, { slot, value })
}

const addPending = (collection: Collection): void => {
  collection.pending?.()
  collection.pending = undefined
}

const onStep = (collection: Collection, { op, peek, stackSize, address }: TraceStep): void => {
  collection.budget.add(0)
  addPending(collection)
  if (stackSize === 0) return
  if (READS_ACCOUNT.has(op)) {
    const other = addressOfWord(peek(0))
    collection.pending = () => add(collection, other)
  } else if ((op === SLOAD || (op === SSTORE && stackSize > 1)) && !collection.options.disableStorage) {
    const slot = bigintToFixedBytes(peek(0), 32)
    const owner = address.slice()
    const value = collection.traced.world.storage(owner, slot)
    collection.pending = () => addSlot(collection, owner, slot, value)
  }
}

const onEnter = (collection: Collection, { depth, kind, to }: TraceCall): void => {
  addPending(collection)
  if (depth === 0) return
  if (kind === 'CREATE' || kind === 'CREATE2') {
    add(collection, to)
    collection.created.add(toHex(to))
  } else addCalled(collection, to)
}

const onSelfDestruct = (collection: Collection, from: Address, to: Address): void => {
  add(collection, to)
  // EIP-6780: only a contract created in the same transaction is deleted.
  const key = toHex(from)
  const { fork } = collection.traced.environment.rules
  if (!forkIsAtLeast(fork, 'cancun') || collection.created.has(key)) collection.deleted.add(key)
}

/** The accounts that every transaction needs: sender, recipient, beneficiary, and the authorities of delegations (EIP-7702). */
const addFixed = (collection: Collection): void => {
  const { world, environment, from, to, authorizationList } = collection.traced
  if (to !== undefined) addCalled(collection, to)
  else {
    const contract = createAddress(from, world.nonce(from))
    collection.created.add(toHex(contract))
    add(collection, contract)
  }
  add(collection, from)
  add(collection, environment.beneficiary)
  for (const authorization of authorizationList) {
    const authority = authorityOf(authorization)
    if (authority !== undefined) add(collection, authority)
  }
}

const shapes = (options: PrestateOptions, accounts: ReadonlyMap<string, Prestate>): Json => {
  const shown = [...accounts].filter(([, account]) => options.includeEmpty || !isEmpty(account))
  return Object.fromEntries(shown.map(([key, account]) => [key, shape(account, options)]))
}

const differences = ({ options, traced, accounts, deleted }: Collection): Json => {
  const post: Json = {}
  const pre = new Map<string, Prestate>()
  for (const [key, account] of accounts) {
    const after = deleted.has(key) ? undefined : changesOf(traced.world, account, options)
    if (after !== undefined) post[key] = after
    if (after !== undefined || deleted.has(key)) pre.set(key, account)
  }
  return { post, pre: shapes(options, pre) }
}

/**
 * geth's prestateTracer: every account and slot that the transaction needs, with their values before it; with `diffMode` its
 * changes, before and after.
 */
export const prestateTracer =
  (options: PrestateOptions): TracerKind =>
  (traced, budget) => {
    const collection: Collection = {
      options,
      traced,
      budget,
      accounts: new Map(),
      created: new Set(),
      deleted: new Set(),
      pending: undefined,
    }
    addFixed(collection)
    return {
      hooks: {
        onStep: step => onStep(collection, step),
        onEnter: call => onEnter(collection, call),
        onExit: ({ outcome }) => {
          if (outcome === 'halt') collection.pending = undefined
          else addPending(collection)
        },
        onSelfDestruct: (from, to) => onSelfDestruct(collection, from, to),
      },
      finish: () => (options.diffMode ? differences(collection) : shapes(options, collection.accounts)),
    }
  }
