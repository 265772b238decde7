import type { Address, Hash } from '../../bytes/bytes.ts'
import { keccak256 } from '../../crypto/crypto.ts'
import { ACCOUNT_KEYS, storageKeys } from './account.ts'
import { branchRlp, encodeNode } from '../nodes/encoding.ts'
import { childOf, loadRoot, MISSING, missingEntriesOf, readRun } from '../nodes/load.ts'
import { followedNibbles, nibbleAt } from '../nodes/nibbles.ts'
import type { TrieNodeReader } from '../nodes/node.ts'

/** RLP of the trie nodes on the path from the root to a key, as in `eth_getProof`: without nodes embedded in others. */
export type TrieProof = { readonly proof: readonly Uint8Array[] }

/**
 * Proves an account or its absence (EIP-1186). An empty trie has an empty proof.
 * @throws TrieCorruption when a record differs from what its parent refers to.
 * @throws MissingEntries when an asynchronous store must load records first.
 */
export const accountProof = (nodes: TrieNodeReader, stateRoot: Hash, address: Address): TrieProof =>
  proofOf(nodes, ACCOUNT_KEYS, stateRoot, keccak256(address))

/** Proves a 32-byte slot of an account's storage, or that it is zero; errors as `accountProof`. */
export const storageProof = (
  nodes: TrieNodeReader,
  address: Address,
  account: { readonly incarnation: bigint; readonly storageRoot: Hash },
  slot: Uint8Array,
): TrieProof =>
  proofOf(nodes, storageKeys(address, account.incarnation), account.storageRoot, keccak256(slot))

/** Proves a key of any trie, given its record key prefix. */
export const proofOf = (nodes: TrieNodeReader, keyPrefix: string, root: Hash, key: Uint8Array): TrieProof => {
  const run = readRun(nodes, keyPrefix)
  const proof: Uint8Array[] = []
  const add = (rlp: Uint8Array): void => {
    // A node below the root that is shorter than a hash is embedded in its parent.
    if (proof.length === 0 || rlp.length >= 32) proof.push(rlp)
  }
  let depth = 0
  let node = loadRoot(run, root)
  while (node !== undefined && node !== MISSING) {
    add(encodeNode(node, depth))
    if (node.kind === 'leaf') break
    const { prefix } = node
    if (followedNibbles(key, depth, prefix) < prefix.length) break
    if (prefix.length > 0) add(branchRlp(node))
    depth += prefix.length + 1
    node = childOf(run, node, nibbleAt(key, depth - 1), key, depth)
  }
  if (node === MISSING) throw missingEntriesOf(run)
  return { proof }
}
