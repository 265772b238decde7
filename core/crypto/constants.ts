import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Hash } from '../bytes/bytes.ts'

/** The code hash of an account without code: keccak of no bytes. */
export const EMPTY_CODE_HASH: Hash = keccak_256(new Uint8Array(0))

/** The root of a trie without entries: keccak of the RLP of the empty string. */
export const EMPTY_TRIE_ROOT: Hash = keccak_256(Uint8Array.of(0x80))

/** The ommers hash of a block without ommers: keccak of the RLP of the empty list. */
export const EMPTY_LIST_HASH: Hash = keccak_256(Uint8Array.of(0xc0))
