import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromHex, toHex } from '../../../core/bytes/hex.ts'
import { EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import type { TrieEntry } from '../../../core/trie/trie.ts'
import { archiveFolder } from '../../support/published/archive.ts'
import { createRecords, entry, updateStored } from './support.ts'

type Vector = { in: [string, string | null][] | Record<string, string | null>; root: string }

const bytes = (text: string): Uint8Array =>
  text.startsWith('0x') ? fromHex(text) : new TextEncoder().encode(text)

const folder = archiveFolder('TrieTests')

/** Whether the vector depends on the order of its entries, and whether keys are hashed. */
const FILES = [
  ['trietest.json', false],
  ['trieanyorder.json', false],
  ['trietest_secureTrie.json', true],
  ['trieanyorder_secureTrie.json', true],
  ['hex_encoded_securetrie_test.json', true],
] as const

const entriesOf = (vector: Vector, secure: boolean): TrieEntry[] =>
  (Array.isArray(vector.in) ? vector.in : Object.entries(vector.in)).map(([key, value]) =>
    entry(secure ? keccak256(bytes(key)) : bytes(key), value === null ? undefined : bytes(value)),
  )

describe.skipIf(folder === undefined)(
  'given the TrieTests of ethereum-tests (skipped without ../shared)',
  () => {
    for (const [file, secure] of FILES) {
      const vectors = JSON.parse(
        folder === undefined ? '{}' : readFileSync(join(folder, file), 'utf8'),
      ) as Record<string, Vector>
      for (const [name, vector] of Object.entries(vectors)) {
        const entries = entriesOf(vector, secure)

        test(`when ${file} ${name} runs entry by entry through stored records, then the root is right`, () => {
          const records = createRecords()
          const root = entries.reduce((root, each) => updateStored(records, root, [each]), EMPTY_TRIE_ROOT)
          expect(toHex(root)).toBe(vector.root)
        })

        test(`when ${file} ${name} runs in one batch, then the root is right`, () => {
          const last = new Map(entries.map(each => [toHex(each.key), each]))
          expect(toHex(updateStored(createRecords(), EMPTY_TRIE_ROOT, [...last.values()]))).toBe(vector.root)
        })
      }
    }
  },
)
