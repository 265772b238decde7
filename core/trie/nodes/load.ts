import { equalBytes, type Hash } from '../../bytes/bytes.ts'
import { toHex } from '../../bytes/hex.ts'
import { EMPTY_TRIE_ROOT } from '../../crypto/constants.ts'
import { keccak256 } from '../../crypto/crypto.ts'
import { MissingEntries } from '../../state/account.ts'
import { encodeNode, referenceEnd, referenceStart, writeReference } from './encoding.ts'
import { HEX_DIGITS, pathOf } from './nibbles.ts'
import { type Branch, INSIDE, type Node, STORED, type TrieNodeReader, type TrieNodeWrite } from './node.ts'
import { decodeRecord, readInside } from './readRecord.ts'

/** Stands for a node whose record must be loaded first; its key was added to `missing`. */
export const MISSING = 'missing'

/** The state of one pass over a trie. */
export type TrieRun = {
  readonly nodes: TrieNodeReader
  /** Prefix of the record keys of this trie. */
  readonly keyPrefix: string
  /** Receives changed records; undefined for a trie that is never stored. */
  readonly writes: TrieNodeWrite[] | undefined
  /** Keys that an asynchronous store must load before the run can succeed. */
  readonly missing: string[]
  /** Number of branches loaded or created, which the cache counts. */
  branches: number
}

/**
 * The key of the record at a path. It has only lower-case letters, digits and inner colons: unstorage rewrites all other
 * characters. The `n` keeps the root's key from ending in a colon.
 */
export const recordKey = (keyPrefix: string, path: string): string => `${keyPrefix}n${path}`

/** Reads the records of an empty trie. */
export const NO_NODES: TrieNodeReader = { get: () => undefined }

/** A run that only reads the trie with this record key prefix. */
export const readRun = (nodes: TrieNodeReader, keyPrefix: string): TrieRun => ({
  nodes,
  keyPrefix,
  writes: undefined,
  missing: [],
  branches: 0,
})
/** A run over a trie that starts empty and is not stored. */
export const memoryRun = (): TrieRun => readRun(NO_NODES, '')
/** The error that asks for the records that a run misses. */
export const missingEntriesOf = ({ missing }: TrieRun): MissingEntries =>
  new MissingEntries([...new Set(missing)])

const read = (run: TrieRun, key: string): Uint8Array | undefined | typeof MISSING => {
  try {
    return run.nodes.get(key)
  } catch (error) {
    if (!(error instanceof MissingEntries)) throw error
    // The other paths are still followed, so that one round of loading fetches all records known to be needed.
    for (const missing of error.keys) run.missing.push(missing)
    return MISSING
  }
}

/** The root hash of a trie; EMPTY_TRIE_ROOT for an empty one. */
export const rootHash = (root: Node | undefined): Hash =>
  root === undefined ? EMPTY_TRIE_ROOT : keccak256(encodeNode(root, 0))

/** Loads the root node. @throws TrieCorruption when the stored record does not have that hash. */
export const loadRoot = (run: TrieRun, root: Hash): Node | undefined | typeof MISSING => {
  if (equalBytes(root, EMPTY_TRIE_ROOT)) return undefined
  const key = recordKey(run.keyPrefix, '')
  const record = read(run, key)
  if (record === MISSING) return MISSING
  const node = record === undefined ? undefined : decodeRecord(record)
  const found = node === undefined ? undefined : rootHash(node)
  if (node === undefined || found === undefined || !equalBytes(found, root))
    throw new TrieCorruption(key, root, found)
  run.branches++
  return node
}

const reference = new Uint8Array(33)

/** The reference, without the length byte if it is a hash. */
const withoutLengthByte = (bytes: Uint8Array): Uint8Array =>
  bytes.length === 33 ? bytes.slice(1) : bytes.slice()

/** The reference to this child, if it differs from the one in the branch. */
const mismatch = (branch: Branch, index: number, node: Node, depth: number): Uint8Array | undefined => {
  const length = writeReference(reference, 0, node, depth)
  const start = referenceStart(branch, index)
  for (let i = 0; i < length; i++)
    if (reference[i] !== branch.bytes[start + i]) return withoutLengthByte(reference.subarray(0, length))
  return undefined
}

const referenceTo = (branch: Branch, index: number): Uint8Array => {
  const start = referenceStart(branch, index)
  return withoutLengthByte(branch.bytes.subarray(start, referenceEnd(branch.bytes, start)))
}

/**
 * Child `index` of a branch, loaded and verified against its hash in the branch. `key` is any key whose nibbles lead to the
 * branch; the child starts at nibble `depth`.
 * @throws TrieCorruption when the child differs from what the branch refers to.
 */
export const childOf = (
  run: TrieRun,
  branch: Branch,
  index: number,
  key: Uint8Array,
  depth: number,
): Node | undefined | typeof MISSING => {
  const child = branch.children[index]
  if (child !== STORED && child !== INSIDE) return child
  let node: Node | undefined
  if (child === INSIDE) node = readInside(branch, index, key, depth)
  else {
    const record = read(run, recordKey(run.keyPrefix, pathOf(key, depth - 1) + HEX_DIGITS[index]))
    if (record === MISSING) return MISSING
    node = record === undefined ? undefined : decodeRecord(record)
  }
  const found = node === undefined ? undefined : mismatch(branch, index, node, depth)
  if (node === undefined || found !== undefined) {
    // An embedded child belongs to the record of its branch, whose path ends before the branch's extension.
    const path =
      child === INSIDE
        ? pathOf(key, depth - 1 - branch.prefix.length)
        : pathOf(key, depth - 1) + HEX_DIGITS[index]
    throw new TrieCorruption(recordKey(run.keyPrefix, path), referenceTo(branch, index), found)
  }
  // A leaf is not cached: it is in the bytes of the branch, and is usually read once.
  if (node.kind === 'leaf') return node
  run.branches++
  branch.children[index] = node
  return node
}

/** A trie record differs from what its parent refers to: the store is damaged. The record was not used. */
export class TrieCorruption extends Error {
  override readonly name = 'TrieCorruption'
  readonly code = 'TRIE_CORRUPTION'
  /** Key of the record; for an embedded node, of its path, whose longest stored prefix is the key of the record. */
  readonly key: string
  readonly expected: Uint8Array
  /** Undefined when there is no record, or it cannot be decoded. */
  readonly found: Uint8Array | undefined
  constructor(key: string, expected: Uint8Array, found: Uint8Array | undefined) {
    super(
      `trie record ${key} is damaged: expected ${toHex(expected)}, ` +
        `found ${found === undefined ? 'none that can be read' : toHex(found)}; rebuild the views from the segments`,
    )
    this.key = key
    this.expected = expected
    this.found = found
  }
}
