import { expect, test } from 'bun:test'
import { bigintToFixedBytes, bytesToBigint } from '../../../core/bytes/integer.ts'
import { SECP256K1_ORDER } from '../../../core/crypto/recovery.ts'
import { QBFT_CODES, type SignedPrepare } from '../../../core/qbft/message.ts'
import { authorOf } from '../../../core/qbft/signatures.ts'
import { signPayload } from '../../support/signPayload.ts'
import { VALIDATORS } from '../chain/support/keys.ts'
import { prepareBy } from './codec/messages.ts'

const [V0] = VALIDATORS
const withSignature = (signed: SignedPrepare, change: (signature: Uint8Array) => void): SignedPrepare => {
  const signature = signed.signature.slice()
  change(signature)
  return { ...signed, signature }
}

test('given a signed payload, when its author is recovered, then it is the signer of that code', () => {
  const signed = prepareBy(V0)
  expect(authorOf(QBFT_CODES.prepare, signed)).toEqual(V0.address)
  expect(authorOf(QBFT_CODES.commit, signed)).not.toEqual(V0.address)
  expect(authorOf(QBFT_CODES.prepare, signed)).toEqual(V0.address)
})

test('given another payload, when its author is recovered, then it is another', () => {
  const signed = { ...prepareBy(V0), payloadBytes: prepareBy(V0, { round: 1 }).payloadBytes }
  expect(authorOf(QBFT_CODES.prepare, signed)).not.toEqual(V0.address)
})

test('given a signature with a high s, when its author is recovered, then there is none', () => {
  const high = withSignature(prepareBy(V0), signature => {
    const s = bytesToBigint(signature.subarray(32, 64))
    signature.set(bigintToFixedBytes(SECP256K1_ORDER - s, 32), 32)
    signature[64] = 1 - (signature[64] as number)
  })
  expect(authorOf(QBFT_CODES.prepare, high)).toBeUndefined()
})

test('given an invalid signature, when its author is recovered, then there is none', () => {
  const broken = [
    withSignature(prepareBy(V0), signature => signature.fill(0)),
    withSignature(prepareBy(V0), signature => signature.fill(0, 32, 64)),
    withSignature(prepareBy(V0), signature => signature.fill(0xff, 0, 32)),
    withSignature(prepareBy(V0), signature => signature.fill(27, 64)),
    withSignature(prepareBy(V0), signature => signature.fill(2, 64)),
  ]
  for (const signed of broken) expect(authorOf(QBFT_CODES.prepare, signed)).toBeUndefined()
})

test('given a signer that throws, when it signs, then the error is passed on', () => {
  const fails = (): never => {
    throw new Error('out of reach')
  }
  expect(() => signPayload(QBFT_CODES.prepare, {}, Uint8Array.of(0xc0), fails)).toThrow('out of reach')
})
