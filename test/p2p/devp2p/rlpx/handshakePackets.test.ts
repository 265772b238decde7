import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'bun:test'
import { publicKeyOf } from '../../../../core/crypto/crypto.ts'
import { RlpxError } from '../../../../p2p/devp2p/rlpx/error.ts'
import { createAck, createAuth, openAck, openAuth } from '../../../../p2p/devp2p/rlpx/handshakePackets.ts'
import { deriveSecrets } from '../../../../p2p/devp2p/rlpx/secrets.ts'
import * as vectors from './vectors.ts'

const auths = [
  ['version 4', vectors.AUTH_4],
  ['version 56 with further items', vectors.AUTH_56],
] as const
const acks = [
  ['version 4', vectors.ACK_4],
  ['version 57 with further items', vectors.ACK_57],
] as const

describe("given EIP-8's vectors", () => {
  test.each(auths)(
    'when the auth packet of %s is read, then it has the dialer, its nonce and its ephemeral key',
    (_, packet) => {
      expect(openAuth(vectors.LISTENER_KEY, packet)).toEqual({
        publicKey: publicKeyOf(vectors.DIALER_KEY),
        ephemeralPublicKey: publicKeyOf(vectors.DIALER_EPHEMERAL_KEY),
        nonce: vectors.DIALER_NONCE,
      })
    },
  )

  test.each(acks)(
    'when the ack packet of %s is read, then it has ephemeral key and nonce of the listener',
    (_, packet) => {
      expect(openAck(vectors.DIALER_KEY, packet)).toEqual({
        ephemeralPublicKey: publicKeyOf(vectors.LISTENER_EPHEMERAL_KEY),
        nonce: vectors.LISTENER_NONCE,
      })
    },
  )

  test('when both sides derive secrets, then they are the published ones', () => {
    const packets = { auth: vectors.AUTH_4, ack: vectors.ACK_4 }
    const listener = deriveSecrets({
      isDialer: false,
      own: { ephemeralKey: vectors.LISTENER_EPHEMERAL_KEY, nonce: vectors.LISTENER_NONCE },
      remoteEphemeralPublicKey: publicKeyOf(vectors.DIALER_EPHEMERAL_KEY),
      remoteNonce: vectors.DIALER_NONCE,
      ...packets,
    })
    const dialer = deriveSecrets({
      isDialer: true,
      own: { ephemeralKey: vectors.DIALER_EPHEMERAL_KEY, nonce: vectors.DIALER_NONCE },
      remoteEphemeralPublicKey: publicKeyOf(vectors.LISTENER_EPHEMERAL_KEY),
      remoteNonce: vectors.LISTENER_NONCE,
      ...packets,
    })
    for (const { aes, mac } of [listener, dialer])
      expect({ aes, mac }).toEqual({ aes: vectors.AES_SECRET, mac: vectors.MAC_SECRET })
    for (const hash of [listener.ingress, dialer.egress]) {
      hash.update(new TextEncoder().encode('foo'))
      expect(hash.digest()).toEqual(vectors.INGRESS_AFTER_FOO)
    }
    expect(listener.egress.digest()).toEqual(dialer.ingress.digest())
  })
})

describe('given packets of this node', () => {
  const secret = { ephemeralKey: vectors.DIALER_EPHEMERAL_KEY, nonce: vectors.DIALER_NONCE }
  const auth = (): Uint8Array =>
    createAuth(vectors.DIALER_KEY, publicKeyOf(vectors.LISTENER_KEY), secret, randomBytes)

  test('when the other side reads them, then they are longer than what GoQuorum admits for the form before EIP-8', () => {
    const ack = createAck(publicKeyOf(vectors.DIALER_KEY), secret, randomBytes)
    expect(openAuth(vectors.LISTENER_KEY, auth()).nonce).toEqual(vectors.DIALER_NONCE)
    expect(openAck(vectors.DIALER_KEY, ack).nonce).toEqual(vectors.DIALER_NONCE)
    expect(auth().length).toBeGreaterThan(309)
    expect(ack.length).toBeGreaterThan(212)
  })

  test('when any bit is flipped, then they are refused with the same error', () => {
    const packet = auth()
    const errors = new Set<string>()
    for (let at = 0; at < packet.length; at += 7) {
      const damaged = packet.slice()
      damaged[at] = (damaged[at] as number) ^ (1 << (at % 8))
      try {
        openAuth(vectors.LISTENER_KEY, damaged)
        errors.add(`accepted with byte ${at} flipped`)
      } catch (error) {
        expect(error).toBeInstanceOf(RlpxError)
        errors.add((error as Error).message)
      }
    }
    expect([...errors]).toEqual(['the handshake failed'])
  })

  test('when the ephemeral key is not a point of the curve, then they are refused', () => {
    const packet = auth()
    packet.fill(1, 3, 67)
    expect(() => openAuth(vectors.LISTENER_KEY, packet)).toThrow(RlpxError)
  })

  test('when they are cut off anywhere, then they are refused', () => {
    const packet = auth()
    for (let length = 0; length < packet.length; length += 13)
      expect(() => openAuth(vectors.LISTENER_KEY, packet.subarray(0, length))).toThrow(RlpxError)
  })
})
