import { concatBytes, type Hash } from '../../bytes/bytes.ts'
import { EMPTY_TRIE_ROOT } from '../../crypto/constants.ts'
import { keccak256 } from '../../crypto/crypto.ts'
import type { Account, AccountChange, SlotChange, StateChanges } from '../../state/account.ts'
import { accountValue } from './account.ts'
import type { StateRootUpdate } from '../nodes/node.ts'

const GONE = new Uint8Array()

const ofSlots = (before: Hash, slots: readonly SlotChange[]): Hash =>
  keccak256(concatBytes(before, ...slots.flatMap(({ slot, after }) => [slot, after])))

const withStorageRoot = ({ before, after, ...change }: AccountChange): AccountChange => {
  if (after === undefined) return { ...change, before, after }
  const isKept = before !== undefined && before.incarnation === after.incarnation
  const root = isKept ? before.storageRoot : EMPTY_TRIE_ROOT
  const storageRoot = change.slots.length === 0 ? root : ofSlots(root, change.slots)
  return { ...change, before, after: { ...after, storageRoot } }
}

const valueOf = (account: Account | undefined): Uint8Array =>
  account === undefined ? GONE : accountValue(account)

/**
 * The roots of a state of which only the changes are known: hashes of the root before and of the changes, in their order.
 * They commit to the same history as roots of tries, but prove nothing. A changed storage never has the empty root, because
 * its other slots are not known.
 */
export const chainedRoot = (parentRoot: Hash, changes: StateChanges): StateRootUpdate => {
  const accounts = changes.accounts.map(withStorageRoot)
  const parts = accounts.flatMap(({ address, after }) => [address, valueOf(after)])
  const root = accounts.length === 0 ? parentRoot : keccak256(concatBytes(parentRoot, ...parts))
  return { root, changes: { accounts, codes: changes.codes }, nodes: [] }
}
