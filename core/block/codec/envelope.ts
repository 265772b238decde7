import { encodeRlp, type RlpInput } from '../../rlp/rlp.ts'

/** EIP-2718: the RLP of the payload, preceded by the type unless that is 0. */
export const encodeEnvelope = (type: number, payload: RlpInput): Uint8Array => {
  const encoded = encodeRlp(payload)
  if (type === 0) return encoded
  const bytes = new Uint8Array(encoded.length + 1)
  bytes[0] = type
  bytes.set(encoded, 1)
  return bytes
}
