import { describe, expect, test } from 'bun:test'
import { toHex } from '../../../core/bytes/hex.ts'
import { EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import { encodeRlp } from '../../../core/rlp/rlp.ts'
import { orderedTrieRoot, orderedTrieRootSteps } from '../../../core/trie/ordered.ts'
import { runSteps, type Steps } from '../../../core/steps.ts'
import { seededRandom } from '../../support/random.ts'
import { createRecords, entry, updateStored } from './support.ts'

describe('given the root of an ordered list', () => {
  test('when it is empty, then it is the empty root', () => {
    expect(orderedTrieRoot([])).toEqual(EMPTY_TRIE_ROOT)
  })

  // Around 0x80 and 0x100 keys grow by a byte; items have every size from one byte to one above the buffers. Many are processed in
  // slices of 64.
  for (const count of [
    1, 2, 3, 16, 63, 64, 65, 127, 128, 129, 255, 256, 257, 300, 1000, 1024, 1025, 1280, 3000,
  ])
    test(`when it has ${count} items, then it is that of the trie from RLP(index) to item`, () => {
      const random = seededRandom(count)
      const items = Array.from({ length: count }, (_, i) =>
        random.bytes(i === 7 ? 70_000 : 1 + random.below(600)),
      )
      const entries = items.map((item, index) => entry(encodeRlp(index), item))
      expect(toHex(orderedTrieRoot(items))).toBe(
        toHex(updateStored(createRecords(), EMPTY_TRIE_ROOT, entries)),
      )
    })

  for (const count of [1, 2, 3, 17, 128, 129, 257, 300])
    test(`when some of ${count} items come in pieces, then it is the same`, () => {
      const random = seededRandom(count)
      const items = Array.from({ length: count }, () => random.bytes(60 + random.below(200)))
      function* inPieces(item: Uint8Array): Steps<readonly Uint8Array[]> {
        yield
        return [item.subarray(0, 30), item.subarray(30, 31), item.subarray(31)]
      }
      const steps = orderedTrieRootSteps(count, index => {
        const item = items[index] as Uint8Array
        return index % 3 === 0 ? inPieces(item) : item
      })
      expect(toHex(runSteps(steps))).toBe(toHex(orderedTrieRoot(items)))
    })

  test('when it has one item, then it is the hash of a leaf under the key 0x80', () => {
    // keccak of RLP([0x2080, item]): the trie of one entry is one leaf whose path is the whole key.
    const item = encodeRlp([0n, 1n, new Uint8Array(20).fill(1), 7n])
    const leaf = encodeRlp([Uint8Array.of(0x20, 0x80), item])
    expect(toHex(orderedTrieRoot([item]))).toBe(toHex(keccak256(leaf)))
  })
})
