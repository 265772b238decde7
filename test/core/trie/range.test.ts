import { describe, expect, test } from 'bun:test'
import { compareBytes } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import { EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import { ACCOUNT_KEYS, accountValue } from '../../../core/trie/state/account.ts'
import { trieLeaves } from '../../../core/trie/range.ts'
import { updateStateRoot } from '../../../core/trie/state/stateRoot.ts'
import { seededRandom } from '../../support/random.ts'
import { createStateModel } from './blocks.ts'
import { createRecords } from './support.ts'

const LAST = new Uint8Array(32).fill(0xff)
const FIRST = new Uint8Array(32)

describe('given the leaves of a state trie', () => {
  const model = createStateModel(3, 300)
  const records = createRecords()
  const { root, nodes, changes } = updateStateRoot(records, EMPTY_TRIE_ROOT, model.nextChanges(300))
  records.write(nodes)
  model.apply(changes)
  const expected = [...model.accounts.values()]
    .map(({ address, account }) => ({ key: keccak256(address), value: accountValue(account) }))
    .sort((a, b) => compareBytes(a.key, b.key))
  const leaves = (start: Uint8Array, most: number) => trieLeaves(records, ACCOUNT_KEYS, root, start, most)
  const keys = (all: readonly { readonly key: Uint8Array }[]): string[] => all.map(({ key }) => toHex(key))

  test('when all are read, then they are in the order of their keys', () => {
    expect(leaves(FIRST, 1000)).toEqual(expected)
  })

  test('when a start and a number are given, then they begin at or after it, and end there', () => {
    const random = seededRandom(5)
    const starts = [
      ...Array.from({ length: 200 }, () => random.bytes(32)),
      ...expected.slice(0, 50).map(({ key }) => key),
      LAST,
    ]
    for (const start of starts) {
      const from = expected.filter(({ key }) => compareBytes(key, start) >= 0)
      expect(keys(leaves(start, 7))).toEqual(keys(from.slice(0, 7)))
    }
  })

  test('when the trie is empty, then there are none', () => {
    expect(trieLeaves(createRecords(), ACCOUNT_KEYS, EMPTY_TRIE_ROOT, FIRST, 10)).toEqual([])
  })
})
