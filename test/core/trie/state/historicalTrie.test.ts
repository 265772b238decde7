import { describe, expect, test } from 'bun:test'
import type { Hash } from '../../../../core/bytes/bytes.ts'
import { toHex } from '../../../../core/bytes/hex.ts'
import { EMPTY_TRIE_ROOT } from '../../../../core/crypto/constants.ts'
import { keccak256 } from '../../../../core/crypto/crypto.ts'
import type { StateChanges } from '../../../../core/state/account.ts'
import { accountValue, slotValue } from '../../../../core/trie/state/account.ts'
import { historicalNodes } from '../../../../core/trie/state/historicalTrie.ts'
import { TrieCorruption } from '../../../../core/trie/nodes/load.ts'
import { accountProof, storageProof } from '../../../../core/trie/state/proof.ts'
import { updateStateRoot } from '../../../../core/trie/state/stateRoot.ts'
import { verifyProof } from '../../../../core/trie/verify.ts'
import { createStateModel, type Held } from '../blocks.ts'
import { createRecords } from '../support.ts'

/** A chain of `blocks`, with the content of the state after each. */
const chain = (seed: number, blocks: number) => {
  const model = createStateModel(seed)
  const records = createRecords()
  const changes: StateChanges[] = []
  const states: { root: Hash; held: Held[] }[] = [{ root: EMPTY_TRIE_ROOT, held: [] }]
  let root = EMPTY_TRIE_ROOT
  for (let block = 0; block < blocks; block++) {
    const update = updateStateRoot(records, root, model.nextChanges(block === 0 ? 40 : 8))
    records.write(update.nodes)
    root = update.root
    model.apply(update.changes)
    changes.push(update.changes)
    states.push({ root, held: [...model.accounts.values()] })
  }
  return { records, root, changes, states }
}

describe('given the trie of an earlier block, undone from the head', () => {
  for (const seed of [1, 2, 3])
    test(`when seed ${seed} runs, then it has the block’s root and proves accounts and slots`, () => {
      const { records, root, changes, states } = chain(seed, 20)
      const before = new Map(records.map)
      for (let height = states.length - 1; height >= 0; height--) {
        const { root: expected, held } = states[height] as (typeof states)[number]
        const past = historicalNodes(records, changes.slice(height).reverse(), root)
        expect(toHex(past.root)).toBe(toHex(expected))
        for (const { address, account, slots } of held) {
          const { proof } = accountProof(past.nodes, past.root, address)
          expect(verifyProof(expected, keccak256(address), proof)).toEqual(accountValue(account))
          for (const { slot, value } of slots.values()) {
            const { proof } = storageProof(past.nodes, address, account, slot)
            expect(verifyProof(account.storageRoot, keccak256(slot), proof)).toEqual(
              slotValue(value) as Uint8Array,
            )
          }
        }
      }
      expect(records.map).toEqual(before)
    })

  test('when changes do not lead to their storage root, then it is refused', () => {
    const { records, root, changes } = chain(4, 12)
    const wrong = changes.map(({ accounts, codes }) => ({
      codes,
      accounts: accounts.map(change => ({
        ...change,
        slots: change.slots.map(each => ({ ...each, before: new Uint8Array(32).fill(9) })),
      })),
    }))
    expect(() => historicalNodes(records, wrong.slice(6).reverse(), root)).toThrow(TrieCorruption)
  })
})
