import { equalBytes, equalOptionalBytes } from '../../core/bytes/bytes.ts'
import { fromHex } from '../../core/bytes/hex.ts'
import { EMPTY_CODE_HASH } from '../../core/crypto/constants.ts'
import { keccak256 } from '../../core/crypto/crypto.ts'
import type { Account } from '../../core/state/account.ts'
import { checkedValue, StoreCorruption } from '../../core/store/checksum.ts'
import { createReader } from '../../core/store/codec/reader.ts'
import { accountCodec, slotCodec } from '../../core/store/codec/stateValues.ts'
import type { ChainStore } from '../../core/store/store.ts'
import { ACCOUNT_KEYS, accountValue, slotValue, storageKeys } from '../../core/trie/state/account.ts'
import { TrieCorruption } from '../../core/trie/nodes/load.ts'
import { trieValue } from '../../core/trie/lookup.ts'
import { trieLeaves } from '../../core/trie/range.ts'
import type { SqliteFile } from '../drivers/sqliteFile.ts'
import { type Findings, found } from './findings.ts'
import { type ViewEntry, viewEntries } from './viewEntries.ts'

/** Entries that start with a checksum; those of an interrupted flush are verified when the store is opened. */
const CHECKED = /^(?:a|s|h|n|c|cl|cp|b|t|logs|mark|header|chain):/

/** Verifies the checksum of each entry. Returns the number of entries. */
export const checkEntries = (views: SqliteFile, findings: Findings): number => {
  let count = 0
  for (const { key, value } of viewEntries(views)) {
    count++
    if (CHECKED.test(key) && checkedValue(key, value) === undefined)
      found(findings, `the checksum of ${key} does not match`)
  }
  return count
}

const ADDRESS_DIGITS = 40
const INCARNATION_DIGITS = 16

const accountAt = (store: ChainStore, number: bigint, address: Uint8Array): Account | undefined =>
  store.stateAt(number).account(address)

/** Compares an account with the state trie, whose records are verified from the root on. */
const checkAccount = (
  store: ChainStore,
  number: bigint,
  root: Uint8Array,
  key: string,
): string | undefined => {
  const address = fromHex(`0x${key.slice(2)}`)
  const account = accountAt(store, number, address)
  const expected = account === undefined ? undefined : accountValue(account)
  return equalOptionalBytes(trieValue(store.nodes(), ACCOUNT_KEYS, root, keccak256(address)), expected)
    ? undefined
    : `the account 0x${key.slice(2)} differs from the state root of block ${number}`
}

const checkSlot = (
  store: ChainStore,
  number: bigint,
  key: string,
  stored: Uint8Array,
): string | undefined => {
  const digits = key.slice(2)
  const address = fromHex(`0x${digits.slice(0, ADDRESS_DIGITS)}`)
  const incarnation = BigInt(`0x${digits.slice(ADDRESS_DIGITS, ADDRESS_DIGITS + INCARNATION_DIGITS)}`)
  const slot = fromHex(`0x${digits.slice(ADDRESS_DIGITS + INCARNATION_DIGITS)}`)
  const account = accountAt(store, number, address)
  // Slots of a contract that was destroyed, or created again, are history.
  if (account === undefined || account.incarnation !== incarnation) return undefined
  const value = slotCodec.read(createReader(stored))
  const proved = trieValue(
    store.nodes(),
    storageKeys(address, incarnation),
    account.storageRoot,
    keccak256(slot),
  )
  return equalOptionalBytes(proved, slotValue(value))
    ? undefined
    : `slot 0x${digits.slice(-64)} of 0x${digits.slice(0, ADDRESS_DIGITS)} differs from its storage root`
}

/** Reads the code of an account. @returns the problem of missing or damaged code */
const checkCode = async (
  store: ChainStore,
  number: bigint,
  address: string,
  { codeHash }: Account,
): Promise<string | undefined> => {
  if (equalBytes(codeHash, EMPTY_CODE_HASH)) return undefined
  try {
    await store.run(() => store.stateAt(number).code(codeHash))
    return undefined
  } catch (cause) {
    if (!(cause instanceof StoreCorruption)) throw cause
    return `the code of 0x${address}: ${cause.message}`
  }
}

/** Leaves counted at once. */
const LEAVES = 1_000

const countLeaves = (store: ChainStore, root: Uint8Array): number => {
  let count = 0
  let start: Uint8Array = new Uint8Array(32)
  for (;;) {
    const leaves = trieLeaves(store.nodes(), ACCOUNT_KEYS, root, start, LEAVES)
    count += leaves.length
    const last = leaves.at(-1)
    if (leaves.length < LEAVES || last === undefined) return count
    start = last.key.slice()
    for (let at = start.length - 1; at >= 0; at--) {
      start[at] = ((start[at] as number) + 1) & 255
      if (start[at] !== 0) break
    }
  }
}

/** Compares all accounts, their code and their slots after the head with its state root. Returns the number of accounts. */
export const checkState = async (
  entries: () => Iterable<ViewEntry>,
  store: ChainStore,
  findings: Findings,
): Promise<number> => {
  const head = store.head()
  if (head === undefined) return 0
  const { number, stateRoot } = head.header
  let accounts = 0
  const check = (what: () => string | undefined): void => {
    try {
      const problem = what()
      if (problem !== undefined) found(findings, problem)
    } catch (cause) {
      if (!(cause instanceof TrieCorruption || cause instanceof StoreCorruption)) throw cause
      found(findings, cause.message)
    }
  }
  for (const { key, value } of entries()) {
    const isAccount = key.startsWith('a:')
    if (!isAccount && !key.startsWith('s:')) continue
    const stored = checkedValue(key, value)
    // Reported with the other checksums.
    if (stored === undefined) continue
    if (!isAccount) {
      check(() => checkSlot(store, number, key, stored))
      continue
    }
    check(() => checkAccount(store, number, stateRoot, key))
    const account = accountCodec.read(createReader(stored))
    if (account === undefined) continue
    accounts++
    const problem = await checkCode(store, number, key.slice(2), account)
    if (problem !== undefined) found(findings, problem)
  }
  check(() => {
    const leaves = countLeaves(store, stateRoot)
    return leaves === accounts
      ? undefined
      : `the views have ${accounts} accounts, the state root of block ${number} has ${leaves}`
  })
  return accounts
}
