import { type Address, compareBytes } from '../../../../core/bytes/bytes.ts'
import { fromHex } from '../../../../core/bytes/hex.ts'
import type { Seal } from '../../../../core/block/codec/seal.ts'
import { addressOfPrivateKey, sign } from '../../../../core/crypto/crypto.ts'
import { sealOfSignature } from '../../../../core/block/codec/seal.ts'
import type { Key } from '../../chain/support/keys.ts'

const keyOf = (scalar: number): Key => {
  const privateKey = fromHex(scalar.toString(16).padStart(64, '0'))
  return { privateKey, address: addressOfPrivateKey(privateKey) }
}

const made = new Map<number, Key>()
const known = (scalar: number): Key => {
  const key = made.get(scalar) ?? keyOf(scalar)
  made.set(scalar, key)
  return key
}

/** Keys of validators, ascending by address, as in a block. */
export const networkKeys = (count: number): readonly Key[] =>
  Array.from({ length: count }, (_, index) => known(0x3000 + index)).sort((a, b) =>
    compareBytes(a.address, b.address),
  )

/** A key of no validator. */
export const STRANGER: Key = keyOf(0x4000)

export const addressesOf = (keys: readonly Key[]): readonly Address[] => keys.map(({ address }) => address)

export const signWith =
  ({ privateKey }: Key) =>
  (digest: Uint8Array): Seal =>
    sealOfSignature(sign(digest, privateKey))

/** An element that must exist. */
export const at = <Item>(list: readonly Item[], index: number): Item => {
  const item = list.at(index)
  if (item === undefined) throw new RangeError(`${list.length} items have none at ${index}`)
  return item
}
