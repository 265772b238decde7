import { describe, expect, test } from 'bun:test'
import { MerkleStateManager } from '@ethereumjs/statemanager'
import { Account as ReferenceAccount, createAddressFromString } from '@ethereumjs/util'
import { toHex } from '../../../../core/bytes/hex.ts'
import { EMPTY_TRIE_ROOT } from '../../../../core/crypto/constants.ts'
import type { StateChanges } from '../../../../core/state/account.ts'
import { createTrieCache } from '../../../../core/trie/nodes/cache.ts'
import { updateStateRoot } from '../../../../core/trie/state/stateRoot.ts'
import { createStateModel, wholeState } from '../blocks.ts'
import { createRecords } from '../support.ts'

const referenceRoot = async (manager: MerkleStateManager, changes: StateChanges): Promise<string> => {
  for (const { address, before, after, slots } of changes.accounts) {
    const target = createAddressFromString(toHex(address))
    if (before !== undefined && before.incarnation !== after?.incarnation) {
      await manager.clearStorage(target)
      await manager.deleteAccount(target)
    }
    if (after === undefined) continue
    const known = (await manager.getAccount(target)) ?? new ReferenceAccount()
    const account = new ReferenceAccount(after.nonce, after.balance, known.storageRoot, after.codeHash)
    await manager.putAccount(target, account)
    for (const { slot, after: value } of slots)
      await manager.putStorage(target, slot, value.slice(value.findIndex(byte => byte !== 0)))
  }
  await manager.flush()
  return toHex(await manager.getStateRoot())
}

describe('given the state root after each block', () => {
  for (const seed of [1, 2, 3])
    test(`when seed ${seed} runs, then it equals @ethereumjs/statemanager’s`, async () => {
      const manager = new MerkleStateManager()
      const model = createStateModel(seed)
      const records = createRecords()
      let root = EMPTY_TRIE_ROOT
      for (let block = 0; block < 25; block++) {
        const changes = model.nextChanges(block % 4 === 0 ? 30 : 5)
        const update = updateStateRoot(records, root, changes)
        records.write(update.nodes)
        root = update.root
        model.apply(update.changes)
        expect(toHex(root)).toBe(await referenceRoot(manager, changes))
      }
    })

  for (const branchesMax of [1, 8, 100_000])
    test(`when the cache has ${branchesMax} branches, then root and records are the same`, () => {
      const model = createStateModel(7, 300)
      const plain = createRecords()
      const cached = createRecords()
      const cache = createTrieCache(branchesMax)
      let root = EMPTY_TRIE_ROOT
      for (let block = 0; block < 40; block++) {
        const changes = model.nextChanges(block === 0 ? 300 : 30)
        const expected = updateStateRoot(plain, root, changes)
        // An update that is not committed must leave nothing in the cache or elsewhere.
        updateStateRoot(cached, root, model.nextChanges(20), cache)
        const update = updateStateRoot(cached, root, changes, cache)
        expect(toHex(update.root)).toBe(toHex(expected.root))
        expect(update.nodes).toEqual(expected.nodes)
        expect(update.changes).toEqual(expected.changes)
        plain.write(expected.nodes)
        cached.write(update.nodes)
        root = update.root
        model.apply(update.changes)
        expect(cache.branches).toBeLessThanOrEqual(Math.max(branchesMax, 2))
      }
    })

  test('when the same state is built afresh, then root and storage roots are the same', () => {
    const model = createStateModel(11)
    const records = createRecords()
    let root = EMPTY_TRIE_ROOT
    for (let block = 0; block < 30; block++) {
      const update = updateStateRoot(records, root, model.nextChanges(10))
      records.write(update.nodes)
      root = update.root
      model.apply(update.changes)
    }
    const fresh = updateStateRoot(createRecords(), EMPTY_TRIE_ROOT, wholeState(model))
    expect(toHex(fresh.root)).toBe(toHex(root))
    for (const { address, after } of fresh.changes.accounts)
      expect(after).toEqual(model.accounts.get(toHex(address))?.account)
  })

  test('when there is a cache, then the upper levels are read once', () => {
    const model = createStateModel(5, 2000)
    const records = createRecords()
    const cache = createTrieCache(10_000)
    const first = updateStateRoot(records, EMPTY_TRIE_ROOT, model.nextChanges(2000), cache)
    records.write(first.nodes)
    model.apply(first.changes)
    let reads = 0
    const counting = {
      get: (key: string) => {
        reads++
        return records.get(key)
      },
    }
    updateStateRoot(counting, first.root, model.nextChanges(100), cache)
    expect(reads).toBe(0)
  })

  test('when keys are written, then no unstorage driver rewrites them', () => {
    const model = createStateModel(3)
    const { nodes } = updateStateRoot(createRecords(), EMPTY_TRIE_ROOT, model.nextChanges(40))
    expect(nodes.length).toBeGreaterThan(10)
    for (const { key } of nodes) expect(key).toMatch(/^t(:[0-9a-z]+)+$/)
  })
})
