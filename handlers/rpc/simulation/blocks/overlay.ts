import { ZERO_HASH } from '../../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../../core/bytes/hex.ts'
import type { Account, StateReader } from '../../../../core/state/account.ts'
import type { TrieNodeReader } from '../../../../core/trie/nodes/node.ts'
import type { StateRootUpdate } from '../../../../core/trie/state/stateRoot.ts'

/** Changes of simulated blocks over the chain's state and trie, which do not change. */
export type Overlay = {
  reader(below: StateReader): StateReader
  nodes(below: TrieNodeReader): TrieNodeReader
  /** Adds the changes of one more block. */
  add(update: StateRootUpdate): void
}

const slotKey = (address: string, incarnation: bigint, slot: Uint8Array): string =>
  `${address}:${incarnation}:${toBareHex(slot)}`

/** @param baseNumber the chain's block before the first simulated one */
export const createOverlay = (baseNumber: bigint): Overlay => {
  const accounts = new Map<string, Account | undefined>()
  const slots = new Map<string, Uint8Array>()
  const codes = new Map<string, Uint8Array>()
  const records = new Map<string, Uint8Array | undefined>()
  return {
    reader: below => ({
      account: address => {
        const key = toBareHex(address)
        return accounts.has(key) ? accounts.get(key) : below.account(address)
      },
      storage: (address, account, slot) => {
        const own = slots.get(slotKey(toBareHex(address), account.incarnation, slot))
        if (own !== undefined) return own
        // A storage created in a simulated block differs from one created in the chain's block of that number.
        return account.incarnation > baseNumber ? ZERO_HASH : below.storage(address, account, slot)
      },
      code: codeHash => codes.get(toBareHex(codeHash)) ?? below.code(codeHash),
    }),
    // Without the chain's cache, which must not hold simulated nodes.
    nodes: below => ({
      get: key => (records.has(key) ? records.get(key) : below.get(key)),
      isPartial: below.isPartial === true,
    }),
    add: ({ changes, nodes }) => {
      for (const { address, after, slots: changed } of changes.accounts) {
        const key = toBareHex(address)
        accounts.set(key, after)
        if (after === undefined) continue
        for (const { slot, after: value } of changed) slots.set(slotKey(key, after.incarnation, slot), value)
      }
      for (const { codeHash, code } of changes.codes) codes.set(toBareHex(codeHash), code)
      for (const { key, value } of nodes) records.set(key, value)
    },
  }
}
