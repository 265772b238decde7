import { NO_NODES } from '../trie/nodes/load.ts'
import { type Address, ZERO_HASH } from '../bytes/bytes.ts'
import { toBareHex } from '../bytes/hex.ts'
import { EMPTY_TRIE_ROOT } from '../crypto/constants.ts'
import type { Genesis } from '../genesis/genesis.ts'
import { genesisChanges } from '../genesis/genesisBlock.ts'
import type { Account, StateReader } from '../state/account.ts'
import { updateStateRoot } from '../trie/state/stateRoot.ts'

/** The state after block 0, computed from the genesis file. */
export const createGenesisState = (genesis: Pick<Genesis, 'alloc'>): StateReader => {
  // The accounts need their storage roots, because callers do not read slots of an account with an empty root.
  const { changes } = updateStateRoot(NO_NODES, EMPTY_TRIE_ROOT, genesisChanges(genesis))
  const { accounts, codes } = changes
  const byAddress = new Map(accounts.map(change => [toBareHex(change.address), change]))
  const byHash = new Map(codes.map(({ codeHash, code }) => [toBareHex(codeHash), code]))
  const changeOf = (address: Address) => byAddress.get(toBareHex(address))
  return {
    account: (address): Account | undefined => changeOf(address)?.after,
    storage: (address, _, slot) => {
      const wanted = toBareHex(slot)
      return changeOf(address)?.slots.find(change => toBareHex(change.slot) === wanted)?.after ?? ZERO_HASH
    },
    code: codeHash => byHash.get(toBareHex(codeHash)) ?? new Uint8Array(0),
  }
}
