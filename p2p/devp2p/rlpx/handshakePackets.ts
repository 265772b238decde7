import { concatBytes } from '../../../core/bytes/bytes.ts'
import { publicKeyOf, recoverPublicKey, sign } from '../../../core/crypto/crypto.ts'
import { signatureFromBytes65, signatureToBytes65 } from '../../../core/crypto/recovery.ts'
import { encodeRlp, type RlpInput, RlpError, rlpBytes } from '../../../core/rlp/rlp.ts'
import { firstRawItem, iterateRawItems, rawString } from '../../../core/rlp/rawItem.ts'
import { decryptEcies, ECIES_OVERHEAD_BYTES, encryptEcies, type Random, sharedSecret } from './ecies.ts'
import { RlpxError } from './error.ts'

/** Bytes of the size before a packet. */
export const SIZE_BYTES = 2
/** Maximum bytes after the size: no client sends more than 700. */
export const PACKET_BYTES_MAX = 2048

const HANDSHAKE_VERSION = 4
/** Items of a body that are read; later versions may have more. */
const ITEMS = 4
/**
 * GoQuorum takes a packet of less than 307 bytes for one from before EIP-8; the padding keeps every packet above, by a random
 * length so that packets have no fixed size.
 */
const PADDING_MIN = 100
const PADDING_RANGE = 200

/** What one side of a handshake learns of the other. */
export type Auth = {
  /** 64 bytes, proven by the signature and the encryption. */
  readonly publicKey: Uint8Array
  readonly ephemeralPublicKey: Uint8Array
  readonly nonce: Uint8Array
}
export type Ack = Omit<Auth, 'publicKey'>

/** A key pair and nonce made for one handshake. */
export type HandshakeSecret = { readonly ephemeralKey: Uint8Array; readonly nonce: Uint8Array }

export const createHandshakeSecret = (random: Random): HandshakeSecret => ({
  ephemeralKey: random(32),
  nonce: random(32),
})

export const xorBytes = (a: Uint8Array, b: Uint8Array): Uint8Array =>
  a.map((byte, index) => byte ^ (b[index] as number))

/** `size (2 bytes) || ecies(body || padding)`; the size is authenticated. */
const sealPacket = (publicKey: Uint8Array, body: RlpInput, random: Random): Uint8Array => {
  const [first = 0] = random(1)
  const padding = random(PADDING_MIN + (first % PADDING_RANGE))
  const message = concatBytes(encodeRlp(body), padding)
  const length = message.length + ECIES_OVERHEAD_BYTES
  const size = Uint8Array.of(length >> 8, length & 255)
  return concatBytes(size, encryptEcies(publicKey, message, size, random))
}

/** The first items of the body; further ones and the padding are ignored (EIP-8). */
const openPacket = (privateKey: Uint8Array, packet: Uint8Array, count: number): Uint8Array[] => {
  const message = decryptEcies(privateKey, packet.subarray(SIZE_BYTES), packet.subarray(0, SIZE_BYTES))
  try {
    const items: Uint8Array[] = []
    for (const item of iterateRawItems(firstRawItem(message), 'a handshake')) {
      if (items.length === count) break
      items.push(rawString(item, 'an item of the handshake'))
    }
    return items
  } catch (cause) {
    if (cause instanceof RlpError) throw new RlpxError('the handshake failed', { cause })
    throw cause
  }
}

const sized = (bytes: Uint8Array | undefined, length: number): Uint8Array => {
  try {
    return rlpBytes(bytes, 'an item of the handshake', length).slice()
  } catch (cause) {
    throw new RlpxError('the handshake failed', { cause })
  }
}

/** The first packet of the dialer, with its size (rlpx.md, EIP-8). */
export const createAuth = (
  privateKey: Uint8Array,
  remotePublicKey: Uint8Array,
  { ephemeralKey, nonce }: HandshakeSecret,
  random: Random,
): Uint8Array => {
  const digest = xorBytes(sharedSecret(privateKey, remotePublicKey), nonce)
  const signature = signatureToBytes65(sign(digest, ephemeralKey))
  const body = [signature, publicKeyOf(privateKey), nonce, HANDSHAKE_VERSION]
  return sealPacket(remotePublicKey, body, random)
}

/** Decodes an auth packet with its size prefix. @throws RlpxError */
export const openAuth = (privateKey: Uint8Array, packet: Uint8Array): Auth => {
  const [signed, key, nonce] = openPacket(privateKey, packet, ITEMS)
  const publicKey = sized(key, 64)
  const auth = { publicKey, nonce: sized(nonce, 32) }
  const signature = signatureFromBytes65(sized(signed, 65))
  const digest = xorBytes(sharedSecret(privateKey, publicKey), auth.nonce)
  const ephemeralPublicKey = signature === undefined ? undefined : recoverPublicKey(digest, signature)
  if (ephemeralPublicKey === undefined) throw new RlpxError('the handshake failed')
  return { ...auth, ephemeralPublicKey }
}

/** The answer of the listener, with its size. */
export const createAck = (
  remotePublicKey: Uint8Array,
  { ephemeralKey, nonce }: HandshakeSecret,
  random: Random,
): Uint8Array => sealPacket(remotePublicKey, [publicKeyOf(ephemeralKey), nonce, HANDSHAKE_VERSION], random)

/** Decodes an ack packet with its size prefix. @throws RlpxError */
export const openAck = (privateKey: Uint8Array, packet: Uint8Array): Ack => {
  const [key, nonce] = openPacket(privateKey, packet, ITEMS)
  return { ephemeralPublicKey: sized(key, 64), nonce: sized(nonce, 32) }
}
