import { concatBytes } from '../../../core/bytes/bytes.ts'
import { createKeccak256, keccak256 } from '../../../core/crypto/crypto.ts'
import type { HashState } from '../../../core/crypto/engine.ts'
import { sharedSecret } from './ecies.ts'
import { type HandshakeSecret, xorBytes } from './handshakePackets.ts'

/** What both sides of a connection derive from its handshake. */
export type Secrets = {
  /** Key of AES-256-CTR, both directions. */
  readonly aes: Uint8Array
  /** Key of AES-256-ECB within the MAC. */
  readonly mac: Uint8Array
  /** Running hashes of what is sent and of what is received. */
  readonly egress: HashState
  readonly ingress: HashState
}

export type HandshakeResult = {
  readonly isDialer: boolean
  readonly own: HandshakeSecret
  readonly remoteEphemeralPublicKey: Uint8Array
  readonly remoteNonce: Uint8Array
  /** The packets as they were on the wire, with their sizes. */
  readonly auth: Uint8Array
  readonly ack: Uint8Array
}

const startHash = (...parts: readonly Uint8Array[]): HashState => {
  const hash = createKeccak256()
  for (const part of parts) hash.update(part)
  return hash
}

/** The secrets of a finished handshake (rlpx.md, "Initial Handshake"). @throws RlpxError */
export const deriveSecrets = (result: HandshakeResult): Secrets => {
  const { isDialer, own, remoteEphemeralPublicKey, remoteNonce, auth, ack } = result
  const dialerNonce = isDialer ? own.nonce : remoteNonce
  const listenerNonce = isDialer ? remoteNonce : own.nonce
  const ephemeral = sharedSecret(own.ephemeralKey, remoteEphemeralPublicKey)
  const shared = keccak256(concatBytes(ephemeral, keccak256(concatBytes(listenerNonce, dialerNonce))))
  const aes = keccak256(concatBytes(ephemeral, shared))
  const mac = keccak256(concatBytes(ephemeral, aes))
  const ofDialer = startHash(xorBytes(mac, listenerNonce), auth)
  const ofListener = startHash(xorBytes(mac, dialerNonce), ack)
  return isDialer
    ? { aes, mac, egress: ofDialer, ingress: ofListener }
    : { aes, mac, egress: ofListener, ingress: ofDialer }
}
