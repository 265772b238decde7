import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'bun:test'
import { concatBytes, EMPTY_BYTES } from '../../../../core/bytes/bytes.ts'
import { fromHex } from '../../../../core/bytes/hex.ts'
import { keccak256, publicKeyOf } from '../../../../core/crypto/crypto.ts'
import { loadWasmEngine } from '../../../../core/crypto/wasm/engine.ts'
import { useCryptoEngine } from '../../../../core/crypto/crypto.ts'
import { nobleEngine } from '../../../../core/crypto/noble.ts'
import { RlpxError } from '../../../../p2p/devp2p/rlpx/error.ts'
import { createFrameReader, createFrameWriter, type Frame } from '../../../../p2p/devp2p/rlpx/frames.ts'
import { deriveSecrets } from '../../../../p2p/devp2p/rlpx/secrets.ts'
import * as vectors from './vectors.ts'

const MAX = 16 * 1024 * 1024

const secretsOf = (isDialer: boolean) => {
  const dialer = { ephemeralKey: vectors.DIALER_EPHEMERAL_KEY, nonce: vectors.DIALER_NONCE }
  const listener = { ephemeralKey: vectors.LISTENER_EPHEMERAL_KEY, nonce: vectors.LISTENER_NONCE }
  const [own, remote] = isDialer ? [dialer, listener] : [listener, dialer]
  return deriveSecrets({
    isDialer,
    own,
    remoteEphemeralPublicKey: publicKeyOf(remote.ephemeralKey),
    remoteNonce: remote.nonce,
    auth: vectors.AUTH_4,
    ack: vectors.ACK_4,
  })
}

const readAll = (bytes: Uint8Array, pieceBytes: number, sizeMax = MAX): Frame[] => {
  const reader = createFrameReader(secretsOf(false), sizeMax)
  const frames: Frame[] = []
  for (let at = 0; at < bytes.length; at += pieceBytes)
    reader.push(bytes.subarray(at, at + pieceBytes), frame => frames.push(frame))
  return frames
}

test("given go-ethereum's golden frame, when it is written and read, then the bytes are the same", () => {
  const ones = new Uint8Array(32).fill(1)
  const fake = { update: () => undefined, digest: () => ones }
  const key = keccak256(EMPTY_BYTES)
  const secrets = { aes: key, mac: key, egress: fake, ingress: fake }
  const golden = fromHex(
    '00828ddae471818bb0bfa6b551d1cb4201010101010101010101010101010101ba628a4ba590cb43f7848f41c438288501010101010101010101010101010101',
  )
  expect(createFrameWriter(secrets)(8, fromHex('c401020304'))).toEqual(golden)
  const frames: Frame[] = []
  createFrameReader(secrets, MAX).push(golden, frame => frames.push(frame))
  expect(frames).toEqual([{ id: 8, payload: fromHex('c401020304') }])
})

describe('given frames', () => {
  const sent: readonly Frame[] = [0, 1, 14, 15, 16, 17, 255, 5000].map((length, id) => ({
    id,
    payload: new Uint8Array(randomBytes(length)),
  }))
  const encode = (): Uint8Array => {
    const write = createFrameWriter(secretsOf(true))
    return concatBytes(...sent.map(({ id, payload }) => write(id, payload)))
  }

  test.each([1, 7, 16, 33, 100_000])(
    'when they come in pieces of %d bytes, then they are whole',
    pieceBytes => {
      expect(readAll(encode(), pieceBytes)).toEqual([...sent])
    },
  )

  test('when the WebAssembly engine hashes, then they are whole, too', async () => {
    useCryptoEngine(await loadWasmEngine(randomBytes(32)))
    try {
      expect(readAll(encode(), 100)).toEqual([...sent])
    } finally {
      useCryptoEngine(nobleEngine)
    }
  })

  test('when any bit is flipped, then the connection ends', () => {
    const bytes = encode()
    for (let at = 0; at < 300; at += 3) {
      const damaged = bytes.slice()
      damaged[at] = (damaged[at] as number) ^ (1 << (at % 8))
      expect(() => readAll(damaged, 1000)).toThrow(RlpxError)
    }
  })

  test('when they are replayed or out of order, then the connection ends', () => {
    const write = createFrameWriter(secretsOf(true))
    const [first, second] = [write(1, EMPTY_BYTES), write(2, EMPTY_BYTES)]
    expect(() => readAll(concatBytes(first, first), 1000)).toThrow('MAC')
    expect(() => readAll(concatBytes(second, first), 1000)).toThrow('MAC')
  })

  test('when they are larger than allowed, then they are refused before their body arrives', () => {
    const bytes = createFrameWriter(secretsOf(true))(1, new Uint8Array(2048))
    expect(() => readAll(bytes.subarray(0, 32), 32, 2048)).toThrow('of 2048 at most')
  })
})
