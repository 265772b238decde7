import { keccak256 } from '../crypto/crypto.ts'

/** Bytes of the checksum that stands before every stored value. */
const CHECKSUM_BYTES = 8

/**
 * keccak of the key and the value. Keys are ASCII. Arrays of their own size: on small ones a view costs more than a copy.
 */
const checksumOf = (key: string, value: Uint8Array): Uint8Array => {
  const input = new Uint8Array(key.length + value.length)
  for (let i = 0; i < key.length; i++) input[i] = key.charCodeAt(i)
  input.set(value, key.length)
  return keccak256(input)
}

/** The value as it is stored: behind the first eight bytes of keccak(key, value), so a value under a wrong key fails too. */
export const withChecksum = (key: string, value: Uint8Array): Uint8Array => {
  const checksum = checksumOf(key, value)
  const stored = new Uint8Array(CHECKSUM_BYTES + value.length)
  for (let i = 0; i < CHECKSUM_BYTES; i++) stored[i] = checksum[i] as number
  stored.set(value, CHECKSUM_BYTES)
  return stored
}

/** The value in what was stored, copied out, or undefined when its checksum is wrong. */
export const checkedValue = (key: string, stored: Uint8Array): Uint8Array | undefined => {
  if (stored.length < CHECKSUM_BYTES) return undefined
  const value = stored.slice(CHECKSUM_BYTES)
  const checksum = checksumOf(key, value)
  for (let i = 0; i < CHECKSUM_BYTES; i++) if (checksum[i] !== stored[i]) return undefined
  return value
}

/** @throws StoreCorruption when the checksum is wrong. `block` is the height that was read. */
export const verifiedValue = (key: string, stored: Uint8Array, block: number): Uint8Array => {
  const value = checkedValue(key, stored)
  if (value === undefined) throw new StoreCorruption(key, block, 'its checksum does not match')
  return value
}

/** Something stored is not what was written. Nothing of it was served. */
export class StoreCorruption extends Error {
  override readonly name = 'StoreCorruption'
  readonly code = 'STORE_CORRUPTION'
  readonly key: string
  /** The block the record belongs to, or for a record of all blocks the height that was read. */
  readonly block: number
  constructor(key: string, block: number, reason: string) {
    const help = key.startsWith('segment:')
      ? 'restore the data directory from a backup or another node'
      : 'stop the node, delete the views (they are rebuilt from the segments) and start it again'
    super(`stored record ${key} of block ${block} is damaged: ${reason}; ${help}`)
    this.key = key
    this.block = block
  }
}
