import { type Address, EMPTY_BYTES, equalBytes, isZeroBytes } from '../../../core/bytes/bytes.ts'
import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import { createAddress } from '../../../core/evm/frames/address.ts'
import { authorityOf } from '../../../core/evm/transaction/authorization.ts'
import { delegateOf } from '../../../core/evm/frames/delegation.ts'
import type { TraceStep } from '../../../core/evm/interpreter/tracer.ts'
import { forkIsAtLeast } from '../../../core/genesis/fork.ts'
import type { WorldState } from '../../../core/state/world.ts'
import type { Traced, TracerKind } from './traced.ts'

export type PrestateOptions = {
  readonly diffMode: boolean
  readonly disableCode: boolean
  readonly disableStorage: boolean
  readonly includeEmpty: boolean
}

type Json = Record<string, unknown>

/** An account before the transaction, and of its slots those that were looked at. */
type Prestate = {
  readonly address: Address
  readonly balance: bigint
  readonly nonce: bigint
  readonly code: Uint8Array
  readonly storage: Map<string, { readonly slot: Uint8Array; readonly value: Uint8Array }>
}

/** Only what has changed. */
type Poststate = {
  balance?: string
  code?: string
  codeHash?: string
  nonce?: number
  storage?: Record<string, string>
}

const SLOAD = 0x54
const SSTORE = 0x55
/** Opcodes that look at an account, the address on top of the stack: BALANCE, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH. */
const LOOKS: ReadonlySet<number> = new Set([0x31, 0x3b, 0x3c, 0x3f])
const ADDRESS_MASK = 2n ** 160n - 1n

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

/** What became of the account, undefined for nothing; drops from `before` the slots that stayed as they were, or were empty. */
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
  let hasWritten = false
  for (const [key, { slot, value }] of storage) {
    const now = world.storage(address, slot)
    const isSame = equalBytes(now, value)
    if (isSame || isZeroBytes(value)) storage.delete(key)
    if (isSame) continue
    hasWritten = true
    if (!isZeroBytes(now)) slots[key] = toHex(now)
  }
  if (Object.keys(slots).length > 0) after.storage = slots
  return hasWritten || Object.keys(after).length > 0 ? after : undefined
}

/**
 * geth's prestateTracer: every account and slot that the transaction needs, as they were before it; with `diffMode` what it
 * changed of them, before and after.
 */
export const prestateTracer =
  (options: PrestateOptions): TracerKind =>
  (traced, budget) => {
    const { world, environment } = traced
    const accounts = new Map<string, Prestate>()
    const created = new Set<string>()
    const deleted = new Set<string>()
    /** What an instruction looks at; it counts once the instruction has not failed. */
    let pending: (() => void) | undefined

    const add = (address: Address): Prestate => {
      const key = toHex(address)
      const known = accounts.get(key)
      if (known !== undefined) return known
      const code = world.code(address)
      budget.spend(ACCOUNT_BYTES + (options.disableCode ? 0 : 2 * code.length))
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
     * An account that is called, and the target of its delegation as it is now: this transaction may have set or cleared it. Of
     * the account that the transaction itself calls it is the one before, as in go-ethereum.
     */
    const addCalled = (address: Address): void => {
      add(address)
      const delegate = delegateOf(world.code(address))
      if (delegate !== undefined && forkIsAtLeast(environment.rules.fork, 'prague')) add(delegate)
    }

    const addSlot = (address: Address, slot: Uint8Array, value: Uint8Array): void => {
      const { storage } = add(address)
      const key = toHex(slot)
      if (storage.has(key)) return
      budget.spend(SLOT_BYTES)
      storage.set(key, { slot, value })
    }

    const settle = (): void => {
      pending?.()
      pending = undefined
    }

    const onStep = ({ op, peek, stackSize, address }: TraceStep): void => {
      budget.spend(0)
      settle()
      if (stackSize === 0) return
      if (LOOKS.has(op)) {
        const other = bigintToFixedBytes(peek(0) & ADDRESS_MASK, 20)
        pending = () => add(other)
      } else if ((op === SLOAD || (op === SSTORE && stackSize > 1)) && !options.disableStorage) {
        const slot = bigintToFixedBytes(peek(0), 32)
        const owner = address.slice()
        const value = world.storage(owner, slot)
        pending = () => addSlot(owner, slot, value)
      }
    }

    const shapes = (which: ReadonlyMap<string, Prestate>): Json => {
      const shown = [...which].filter(([, account]) => options.includeEmpty || !isEmpty(account))
      return Object.fromEntries(shown.map(([key, account]) => [key, shape(account, options)]))
    }

    const differences = (): Json => {
      const post: Json = {}
      const pre = new Map<string, Prestate>()
      for (const [key, account] of accounts) {
        const after = deleted.has(key) ? undefined : changesOf(world, account, options)
        if (after !== undefined) post[key] = after
        if (after !== undefined || deleted.has(key)) pre.set(key, account)
      }
      return { post, pre: shapes(pre) }
    }

    beginWith(traced, add, addCalled, created)
    return {
      hooks: {
        onStep,
        onEnter: ({ depth, kind, to }) => {
          settle()
          if (depth === 0) return
          if (kind === 'CREATE' || kind === 'CREATE2') {
            add(to)
            created.add(toHex(to))
          } else addCalled(to)
        },
        onExit: ({ outcome }) => {
          if (outcome === 'halt') pending = undefined
          else settle()
        },
        onSelfDestruct: (from, to) => {
          add(to)
          // EIP-6780: only what was made in the same transaction goes.
          const key = toHex(from)
          if (!forkIsAtLeast(environment.rules.fork, 'cancun') || created.has(key)) deleted.add(key)
        },
      },
      finish: () => (options.diffMode ? differences() : shapes(accounts)),
    }
  }

/** The accounts that every transaction needs: both ends, the beneficiary, and whoever agreed to a delegation (EIP-7702). */
const beginWith = (
  { world, environment, from, to, authorizationList }: Traced,
  add: (address: Address) => void,
  addCalled: (address: Address) => void,
  created: Set<string>,
): void => {
  if (to !== undefined) addCalled(to)
  else {
    const made = createAddress(from, world.nonce(from))
    created.add(toHex(made))
    add(made)
  }
  add(from)
  add(environment.beneficiary)
  for (const authorization of authorizationList) {
    const authority = authorityOf(authorization)
    if (authority !== undefined) add(authority)
  }
}
