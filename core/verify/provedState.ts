import { equalBytes, type Hash, ZERO_HASH, equalOptionalBytes } from '../bytes/bytes.ts'
import { toBareHex, toHex } from '../bytes/hex.ts'
import { keccak256 } from '../crypto/crypto.ts'
import { setBounded } from '../collections/boundedMap.ts'
import { MissingEntries, type StateReader } from '../state/account.ts'
import { ACCOUNT_KEYS, accountValue, slotValue, storageKeys } from '../trie/state/account.ts'
import { trieValue } from '../trie/lookup.ts'
import type { TrieNodeReader } from '../trie/nodes/node.ts'
import { NotProved } from './notProved.ts'

/** Verified code by its hash. */
export type ProvedCodes = Map<string, Uint8Array>

const CODES_MAX = 512

/** Runs both functions, so that one round of loading fetches the entries that both miss. @throws MissingEntries */
const runBoth = <First, Second>(first: () => First, second: () => Second): readonly [First, Second] => {
  const missing: string[] = []
  const attempt = <Value>(run: () => Value): { readonly value: Value } | undefined => {
    try {
      return { value: run() }
    } catch (error) {
      if (!(error instanceof MissingEntries)) throw error
      missing.push(...error.keys)
      return undefined
    }
  }
  const [one, two] = [attempt(first), attempt(second)]
  if (one === undefined || two === undefined) throw new MissingEntries(missing)
  return [one.value, two.value]
}

/**
 * The state after a block, each value of which the trie under the block's state root proves.
 * @param flat the untrusted flat state of the store
 * @param nodes returns the trie records of the same block; called within a run
 * @param root returns the proved state root; called within a run
 */
export const createProvedState = (
  flat: StateReader,
  nodes: () => TrieNodeReader,
  root: () => Hash,
  codes: ProvedCodes,
): StateReader => ({
  account: address => {
    const [value, account] = runBoth(
      () => trieValue(nodes(), ACCOUNT_KEYS, root(), keccak256(address)),
      () => flat.account(address),
    )
    if (value === undefined && account === undefined) return undefined
    if (account === undefined || !equalOptionalBytes(value, accountValue(account)))
      throw new NotProved(`account ${toHex(address)}`, 'the state trie has another value')
    return account
  },
  storage: (address, account, slot) => {
    const prefix = storageKeys(address, account.incarnation)
    const [value, word] = runBoth(
      () => trieValue(nodes(), prefix, account.storageRoot, keccak256(slot)),
      () => flat.storage(address, account, slot),
    )
    if (!equalOptionalBytes(value, slotValue(word)))
      throw new NotProved(`slot ${toHex(slot)} of ${toHex(address)}`, 'the storage trie has another value')
    return value === undefined ? ZERO_HASH : word
  },
  code: codeHash => {
    const key = toBareHex(codeHash)
    const known = codes.get(key)
    if (known !== undefined) return known
    const code = flat.code(codeHash)
    if (!equalBytes(keccak256(code), codeHash))
      throw new NotProved(`code ${toHex(codeHash)}`, 'it has another hash')
    setBounded(codes, key, code, CODES_MAX)
    return code
  },
})
