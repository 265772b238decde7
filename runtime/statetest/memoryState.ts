import { type Hash, ZERO_HASH } from '../../core/bytes/bytes.ts'
import { toBareHex } from '../../core/bytes/hex.ts'
import { EMPTY_TRIE_ROOT } from '../../core/crypto/constants.ts'
import type { GenesisAccount } from '../../core/genesis/configuration.ts'
import type { Account, StateReader } from '../../core/state/account.ts'
import { EMPTY_STATE } from '../../core/state/emptyState.ts'
import { createWorldState } from '../../core/state/worldState.ts'
import type { TrieNodeReader } from '../../core/trie/nodes/node.ts'
import { updateStateRoot } from '../../core/trie/state/stateRoot.ts'

/** A state in memory: what a test begins with. */
export type MemoryState = {
  readonly reader: StateReader
  readonly nodes: TrieNodeReader
  readonly root: Hash
}

/** The state of these accounts, with its trie. */
export const memoryStateOf = (accounts: readonly GenesisAccount[]): MemoryState => {
  const world = createWorldState(EMPTY_STATE)
  for (const { address, balance, nonce, code, storage } of accounts) {
    world.setBalance(address, balance)
    world.setNonce(address, nonce)
    world.setCode(address, code)
    for (const [slot, value] of storage) world.setStorage(address, slot, value)
  }
  const update = updateStateRoot({ get: () => undefined }, EMPTY_TRIE_ROOT, world.changes(0n))
  const nodes = new Map(update.nodes.map(({ key, value }) => [key, value]))
  const known = new Map<string, Account | undefined>()
  const slots = new Map<string, Uint8Array>()
  for (const change of update.changes.accounts) {
    const address = toBareHex(change.address)
    known.set(address, change.after)
    for (const { slot, after } of change.slots) slots.set(address + toBareHex(slot), after)
  }
  const codes = new Map(update.changes.codes.map(({ codeHash, code }) => [toBareHex(codeHash), code]))
  return {
    root: update.root,
    nodes: { get: key => nodes.get(key) },
    reader: {
      account: address => known.get(toBareHex(address)),
      storage: (address, _, slot) => slots.get(toBareHex(address) + toBareHex(slot)) ?? ZERO_HASH,
      code: codeHash => codes.get(toBareHex(codeHash)) ?? EMPTY_STATE.code(codeHash),
    },
  }
}
