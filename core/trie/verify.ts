import { equalBytes, type Hash } from '../bytes/bytes.ts'
import { EMPTY_TRIE_ROOT } from '../crypto/constants.ts'
import { keccak256 } from '../crypto/crypto.ts'
import { decodeRlp, type RlpItem } from '../rlp/rlp.ts'
import { nibbleAt } from './nodes/nibbles.ts'

/** The path of a 32-byte key has at most one node per nibble and a leaf; a longer proof is refused before hashing. */
export const PROOF_NODES_MAX = 65

/**
 * The value that a proof proves for a key under a root; undefined when it proves absence. `key` is the trie's key: the
 * keccak256 hash of the address or slot.
 * @throws InvalidProof when the nodes are not the path from the root to the key.
 * @throws RlpError when a node is not RLP.
 */
export const verifyProof = (
  root: Hash,
  key: Uint8Array,
  proof: readonly Uint8Array[],
): Uint8Array | undefined => {
  if (proof.length > PROOF_NODES_MAX) throw new InvalidProof(`more than ${PROOF_NODES_MAX} nodes`)
  if (proof.length === 0 && equalBytes(root, EMPTY_TRIE_ROOT)) return undefined
  let used = 0
  const open = (reference: RlpItem): RlpItem[] => {
    if (Array.isArray(reference)) return reference
    const bytes = proof[used++]
    if (bytes === undefined) throw new InvalidProof('it ends before the key does')
    if (!equalBytes(keccak256(bytes), reference)) throw new InvalidProof(`node ${used} has another hash`)
    const node = decodeRlp(bytes)
    if (!Array.isArray(node)) throw new InvalidProof(`node ${used} is not a list`)
    return node
  }
  const finish = (value: Uint8Array | undefined): Uint8Array | undefined => {
    if (used < proof.length) throw new InvalidProof('it has nodes that are not on the path to the key')
    return value
  }
  const end = 2 * key.length
  let depth = 0
  let reference: RlpItem = root
  for (;;) {
    const node = open(reference)
    if (node.length === 17) {
      const item = node[depth === end ? 16 : nibbleAt(key, depth)] as RlpItem
      if (depth === end || item.length === 0) return finish(valueOf(item))
      depth++
      reference = item
      continue
    }
    const [path, item] = node
    if (node.length !== 2 || !(path instanceof Uint8Array) || item === undefined)
      throw new InvalidProof('a node is not a branch, an extension or a leaf')
    const next = follow(path, key, depth)
    if (next === undefined) return finish(undefined)
    if (((path[0] as number) & 0x20) !== 0) return finish(next === end ? valueOf(item) : undefined)
    depth = next
    reference = item
  }
}

const valueOf = (item: RlpItem): Uint8Array | undefined => {
  if (!(item instanceof Uint8Array)) throw new InvalidProof('a value is a list')
  return item.length === 0 ? undefined : item
}

/** The depth after a hex-prefix path; undefined when the key diverges from it (Yellow Paper appendix C). */
const follow = (path: Uint8Array, key: Uint8Array, depth: number): number | undefined => {
  if (path.length === 0 || (path[0] as number) >= 0x40)
    throw new InvalidProof('a path is not hex-prefix encoded')
  const end = 2 * key.length
  let at = depth
  for (let i = ((path[0] as number) & 0x10) !== 0 ? 1 : 2; i < 2 * path.length; i++, at++)
    if (at >= end || nibbleAt(path, i) !== nibbleAt(key, at)) return undefined
  return at
}

/** The nodes do not prove the key's value or absence under that root. */
export class InvalidProof extends Error {
  override readonly name = 'InvalidProof'
  readonly code = 'INVALID_PROOF'
  constructor(why: string) {
    super(`the proof is invalid: ${why}`)
  }
}
