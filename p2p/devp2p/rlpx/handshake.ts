import type { Socket } from 'node:net'
import type { Random } from './ecies.ts'
import { createAck, createAuth, createHandshakeSecret, openAck, openAuth } from './handshakePackets.ts'
import { RlpxError } from './error.ts'
import { readPacket } from './readPacket.ts'
import { deriveSecrets, type Secrets } from './secrets.ts'

export type HandshakeOptions = {
  /** The node key, 32 bytes. */
  readonly privateKey: Uint8Array
  readonly random: Random
}

/** A finished handshake; the socket is paused. */
export type Handshaken = {
  /** The node key of the other side, which it has proven to hold; 64 bytes. */
  readonly publicKey: Uint8Array
  readonly secrets: Secrets
  /** Bytes that arrived after the handshake. */
  readonly rest: Uint8Array
}

/** Dials: sends auth, reads ack. @throws RlpxError */
export const dialHandshake = async (
  socket: Socket,
  publicKey: Uint8Array,
  { privateKey, random }: HandshakeOptions,
): Promise<Handshaken> => {
  const own = createHandshakeSecret(random)
  const auth = createAuth(privateKey, publicKey, own, random)
  socket.write(auth)
  const { packet, rest } = await readPacket(socket)
  const { ephemeralPublicKey, nonce } = openAck(privateKey, packet)
  const secrets = deriveSecrets({
    isDialer: true,
    own,
    remoteEphemeralPublicKey: ephemeralPublicKey,
    remoteNonce: nonce,
    auth,
    ack: packet,
  })
  return { publicKey, secrets, rest }
}

/** Steps of an accepted connection before anything is computed for it. */
export type AcceptSteps = {
  /** The first bytes arrived. */
  readonly onFirst?: () => void
  /** The packet is complete. False refuses it before the curve arithmetic, which takes milliseconds. */
  readonly admits?: () => boolean
}

/** Listens: reads auth, sends ack. @throws RlpxError */
export const acceptHandshake = async (
  socket: Socket,
  { privateKey, random }: HandshakeOptions,
  { onFirst, admits }: AcceptSteps = {},
): Promise<Handshaken> => {
  const { packet, rest } = await readPacket(socket, onFirst)
  if (admits?.() === false) throw new RlpxError('its address connects too often')
  const { publicKey, ephemeralPublicKey, nonce } = openAuth(privateKey, packet)
  const own = createHandshakeSecret(random)
  const ack = createAck(publicKey, own, random)
  socket.write(ack)
  const secrets = deriveSecrets({
    isDialer: false,
    own,
    remoteEphemeralPublicKey: ephemeralPublicKey,
    remoteNonce: nonce,
    auth: packet,
    ack,
  })
  return { publicKey, secrets, rest }
}
