import { secp256k1 } from '@noble/curves/secp256k1.js'
import { concatBytes } from '../../../core/bytes/bytes.ts'
import { keccak256, publicKeyOf, sign } from '../../../core/crypto/crypto.ts'
import { encodeRlp, type RlpInput } from '../../../core/rlp/rlp.ts'
import type { ForkId } from '../eth/forkId.ts'
import { addressBytes, type Endpoint, isUnspecified } from './endpoint.ts'

const bytesOfText = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The node record of EIP-778, of some 180 bytes, with the `eth` entry of EIP-2124, by which others know the chain before they dial. */
export const encodeRecord = (
  privateKey: Uint8Array,
  sequence: bigint,
  { host, udp, tcp }: Endpoint,
  forkId: ForkId,
): Uint8Array => {
  const compressed = secp256k1.Point.fromBytes(
    concatBytes(Uint8Array.of(4), publicKeyOf(privateKey)),
  ).toBytes(true)
  const address = addressBytes(host)
  const isKnown = !isUnspecified(address.join('.'))
  const isIp4 = address.length === 4
  // Sorted by key.
  const content: RlpInput[] = [
    sequence,
    bytesOfText('eth'),
    [[forkId.hash, forkId.next]],
    bytesOfText('id'),
    bytesOfText('v4'),
    ...(isKnown ? [bytesOfText(isIp4 ? 'ip' : 'ip6'), address] : []),
    bytesOfText('secp256k1'),
    compressed,
    bytesOfText('tcp'),
    tcp,
    bytesOfText('udp'),
    udp,
  ]
  const { r, s } = sign(keccak256(encodeRlp(content)), privateKey)
  return encodeRlp([concatBytes(r, s), ...content])
}
