import { concatBytes, equalBytes, type Hash } from '../../../core/bytes/bytes.ts'
import { keccak256, recoverPublicKey, sign } from '../../../core/crypto/crypto.ts'
import { signatureFromBytes65, signatureToBytes65 } from '../../../core/crypto/recovery.ts'
import { firstRawItem, type RawItem } from '../../../core/rlp/rawItem.ts'
import { DiscoveryError } from './error.ts'

/** Largest packet that is sent (discv4.md), and that is read: Besu accepts more than it sends, too. */
const PACKET_BYTES_MAX = 1280

const HASH_BYTES = 32
const SIGNATURE_BYTES = 65
const TYPE_AT = HASH_BYTES + SIGNATURE_BYTES

/** A packet whose hash and signature hold. */
export type Packet = {
  readonly type: number
  /** The encoded list; what followed it is ignored (EIP-8). */
  readonly content: RawItem
  readonly hash: Hash
  /** The node key of the sender, 64 bytes. */
  readonly publicKey: Uint8Array
}

/** `hash || signature || type || content`, with the hash of the packet for its answer. */
export const encodePacket = (
  privateKey: Uint8Array,
  type: number,
  content: Uint8Array,
): { readonly bytes: Uint8Array; readonly hash: Hash } => {
  const signed = concatBytes(Uint8Array.of(type), content)
  const signature = signatureToBytes65(sign(keccak256(signed), privateKey))
  const rest = concatBytes(signature, signed)
  const hash = keccak256(rest)
  return { bytes: concatBytes(hash, rest), hash }
}

/** @throws DiscoveryError when the hash or the signature is wrong, RlpError when the content is not RLP */
export const decodePacket = (bytes: Uint8Array): Packet => {
  if (bytes.length <= TYPE_AT || bytes.length > PACKET_BYTES_MAX)
    throw new DiscoveryError(`a packet of ${bytes.length} bytes`)
  const hash = bytes.slice(0, HASH_BYTES)
  if (!equalBytes(keccak256(bytes.subarray(HASH_BYTES)), hash)) throw new DiscoveryError('a wrong hash')
  const signature = signatureFromBytes65(bytes.subarray(HASH_BYTES, TYPE_AT))
  const publicKey =
    signature === undefined ? undefined : recoverPublicKey(keccak256(bytes.subarray(TYPE_AT)), signature)
  if (publicKey === undefined) throw new DiscoveryError('a wrong signature')
  const content = firstRawItem(bytes.subarray(TYPE_AT + 1))
  return { type: bytes[TYPE_AT] as number, content, hash, publicKey }
}
