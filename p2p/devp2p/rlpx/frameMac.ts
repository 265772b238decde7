import { createCipheriv } from 'node:crypto'
import type { HashState } from '../../../core/crypto/engine.ts'
import { xorBytes } from './handshakePackets.ts'

export const MAC_BYTES = 16

/** The running MAC of one direction of a connection (rlpx.md, "MAC"). */
export type FrameMac = {
  /** Absorbs the 16 bytes of an encrypted header and returns their MAC. */
  header(ciphertext: Uint8Array): Uint8Array
  /** Absorbs a part of an encrypted body. */
  absorb(ciphertext: Uint8Array): void
  /** The MAC of the body whose last part was absorbed. */
  body(): Uint8Array
}

export const createFrameMac = (key: Uint8Array, hash: HashState): FrameMac => {
  // One object for the whole connection: ECB keeps no state between blocks.
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  const digest = (): Uint8Array => hash.digest().subarray(0, MAC_BYTES)
  const mix = (mask: Uint8Array): Uint8Array => {
    hash.update(xorBytes(cipher.update(digest()), mask))
    return digest()
  }
  return {
    header: mix,
    absorb: ciphertext => hash.update(ciphertext),
    body: () => mix(digest()),
  }
}
