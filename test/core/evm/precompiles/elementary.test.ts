import { describe, expect, test } from 'bun:test'
import { blake2b } from '@noble/hashes/blake2.js'
import { p256 } from '@noble/curves/nist.js'
import { concatBytes } from '../../../../core/bytes/bytes.ts'
import { fromHex, toBareHex } from '../../../../core/bytes/hex.ts'
import { SECP256K1_ORDER } from '../../../../core/crypto/recovery.ts'
import { contractAt, outputOf, word } from './support.ts'

describe('given ECRECOVER', () => {
  const contract = contractAt(1)
  const hash = fromHex('18c547e4f7b0f325ad1e56f57e26c745b09a3e503d86e00e5255ff7f715d3d1c')
  const r = fromHex('73b1693892219d736caba55bdb67216e485557ea6b6af75f37096c9aa6a5a75f')
  const s = fromHex('eeb940b1d03b21e36b0e47e79769f095fe2ab855bd91e3a38756b7d75a9c4549')
  const SIGNER = '000000000000000000000000a94f5374fce5edbc8e2a8697c15331677e6ebf0b'

  test('when a signature is valid, high s included, then it gives the signer as a word', () => {
    expect(outputOf(contract, hash, word(28), r, s)).toBe(SIGNER)
    expect(contract.gas(new Uint8Array(0))).toBe(3000)
  })

  test('when the input is short, then zeros follow; bytes after the fourth word are ignored', () => {
    expect(outputOf(contract, hash, word(28), r, s, new Uint8Array(7).fill(9))).toBe(SIGNER)
    expect(outputOf(contract, hash, word(28), r, s.subarray(0, 31))).not.toBe(SIGNER)
    expect(outputOf(contract)).toBe('')
  })

  test('when nothing is recovered, then it gives no bytes and does not fail', () => {
    for (const v of [0n, 1n, 26n, 29n, 28n + 2n ** 8n, 28n + 2n ** 248n])
      expect(outputOf(contract, hash, word(v), r, s)).toBe('')
    for (const value of [0n, SECP256K1_ORDER, 2n ** 256n - 1n]) {
      expect(outputOf(contract, hash, word(28), word(value), s)).toBe('')
      expect(outputOf(contract, hash, word(28), r, word(value))).toBe('')
    }
  })
})

describe('given SHA256, RIPEMD160 and ID', () => {
  test('when they run, then they give the functions’ results', () => {
    expect(outputOf(contractAt(2))).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    expect(outputOf(contractAt(3))).toBe('0000000000000000000000009c1185a5c5e9fc54612808977ee8f548b2258d31')
    expect(outputOf(contractAt(4), Uint8Array.of(1, 2, 3))).toBe('010203')
  })

  test('when memory changes after ID, then its copy does not', () => {
    const input = Uint8Array.of(1)
    const output = contractAt(4).run(input)
    input[0] = 2
    expect(output).toEqual(Uint8Array.of(1))
  })

  test('when they are priced, then a part of a word counts whole', () => {
    const costs = [2, 3, 4].map(number =>
      [0, 1, 32, 33].map(length => contractAt(number).gas(new Uint8Array(length))),
    )
    expect(costs).toEqual([
      [60, 72, 72, 84],
      [600, 720, 720, 840],
      [15, 18, 18, 21],
    ])
  })
})

describe('given BLAKE2F', () => {
  const contract = contractAt(9)
  const state = fromHex(
    '48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b',
  )
  const message = new Uint8Array(128)
  message.set(new TextEncoder().encode('abc'))
  const counters = Uint8Array.of(3, ...new Uint8Array(15))
  const input = (rounds: number, final = 1): Uint8Array =>
    concatBytes(word(rounds).subarray(28), state, message, counters, Uint8Array.of(final))

  test('when twelve rounds run over one last block, then it is BLAKE2b', () => {
    expect(outputOf(contract, input(12))).toBe(toBareHex(blake2b(new TextEncoder().encode('abc'))))
  })

  test('when rounds and final flag vary, then the results are EIP-152’s test vectors 4, 6 and 7', () => {
    expect(outputOf(contract, input(0))).toBe(
      '08c9bcf367e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d282e6ad7f520e511f6c3e2b8c68059b9442be0454267ce079217e1319cde05b',
    )
    expect(outputOf(contract, input(12, 0))).toBe(
      '75ab69d3190a562c51aef8d88f1c2775876944407270c42c9844252c26d2875298743e7f6d5ea2f2d3e8d226039cd31b4e426ac4f2d3d666a610c2116fde4735',
    )
    expect(outputOf(contract, input(1))).toBe(
      'b63a380cb2897d521994a85234ee2c181b5f844d2c624c002677e9703449d2fba551b3a8333bcdf5f2f7e08993d53923de3d64fcc68c034e717b9293fed7a421',
    )
  })

  test('when it is priced, then a round costs one gas', () => {
    expect(contract.gas(input(0))).toBe(0)
    expect(contract.gas(input(12))).toBe(12)
    expect(contract.gas(input(0xffffffff))).toBe(0xffffffff)
  })

  test('when length or flag are invalid, then it fails', () => {
    expect(outputOf(contract)).toBe('fails')
    expect(outputOf(contract, input(1).subarray(1))).toBe('fails')
    expect(outputOf(contract, input(1), Uint8Array.of(0))).toBe('fails')
    expect(outputOf(contract, input(1, 2))).toBe('fails')
  })
})

describe('given P256VERIFY', () => {
  const contract = contractAt(0x100)
  const key = word(12345)
  const hash = word(67890)
  const publicKey = p256.getPublicKey(key, false).subarray(1)
  const signature = p256.sign(hash, key, { prehash: false, lowS: false })
  const r = signature.subarray(0, 32)
  const s = signature.subarray(32)
  const ONE = toBareHex(word(1))

  test('when a signature holds, with either s, then it answers one', () => {
    expect(outputOf(contract, hash, r, s, publicKey)).toBe(ONE)
    const other = p256.Point.Fn.ORDER - BigInt(`0x${toBareHex(s)}`)
    expect(outputOf(contract, hash, r, word(other), publicKey)).toBe(ONE)
    expect(contract.gas(new Uint8Array(0))).toBe(6900)
  })

  test('when it gets any other input, then it answers no bytes and does not fail', () => {
    expect(outputOf(contract)).toBe('')
    expect(outputOf(contract, hash, r, s, publicKey, Uint8Array.of(0))).toBe('')
    expect(outputOf(contract, word(1), r, s, publicKey)).toBe('')
    for (const value of [0n, p256.Point.Fn.ORDER, 2n ** 256n - 1n]) {
      expect(outputOf(contract, hash, word(value), s, publicKey)).toBe('')
      expect(outputOf(contract, hash, r, word(value), publicKey)).toBe('')
    }
    expect(outputOf(contract, hash, r, s, word(0), word(0))).toBe('')
    expect(outputOf(contract, hash, r, s, word(1), word(1))).toBe('')
    expect(outputOf(contract, hash, r, s, word(p256.Point.Fp.ORDER), word(1))).toBe('')
  })
})
