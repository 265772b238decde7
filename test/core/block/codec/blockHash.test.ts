import { describe, expect, test } from 'bun:test'
import { fromHex, toBareHex } from '../../../../core/bytes/hex.ts'
import { encodeBlock } from '../../../../core/block/codec/block.ts'
import {
  blockHash,
  QBFT_MIX_HASH,
  qbftBlockHash,
  qbftSealHash,
} from '../../../../core/block/codec/blockHash.ts'
import { decodeExtraData, encodeExtraData } from '../../../../core/block/codec/extraData.ts'
import { decodeHeader, encodeHeader, rawHeaderHash } from '../../../../core/block/codec/header.ts'
import { sealOfSignature, sealSigner } from '../../../../core/block/codec/seal.ts'
import type { Header } from '../../../../core/block/header.ts'
import { EMPTY_LIST_HASH } from '../../../../core/crypto/constants.ts'
import { addressOfPrivateKey, keccak256, sign } from '../../../../core/crypto/crypto.ts'
import { BLOCK_ONE, LONDON_BLOCK, ROUND_ONE } from './qbftVectors.ts'

const hex = toBareHex
const signersOf = (header: Header): string[] =>
  decodeExtraData(header.extraData).seals.map(seal =>
    hex(sealSigner(qbftSealHash(header), seal) as Uint8Array),
  )

describe('a live header committed in round 1', () => {
  const header = decodeHeader(fromHex(ROUND_ONE.header))

  test('comes back byte for byte', () => {
    expect(hex(encodeHeader(header))).toBe(ROUND_ONE.header)
    expect(header.mixHash).toEqual(QBFT_MIX_HASH)
    expect(decodeExtraData(header.extraData).validators.map(hex)).toEqual([...ROUND_ONE.validators])
  })

  test('keeps its round in the seal digest and drops it from the block hash', () => {
    expect(hex(qbftSealHash(header))).toBe(ROUND_ONE.sealHash)
    expect(hex(qbftBlockHash(header))).toBe(ROUND_ONE.blockHash)
    expect(hex(blockHash({ kind: 'qbft' }, header))).toBe(ROUND_ONE.blockHash)
    expect(hex(blockHash({ kind: 'ethash' }, header))).toBe(hex(rawHeaderHash(header)))
  })

  test('was sealed by its validators, in the order their commits came', () => {
    expect(signersOf(header)).toEqual([...ROUND_ONE.signers])
  })
})

describe('a live London block of one validator', () => {
  const bloom = Array.from({ length: 512 }, () => '0')
  for (const [index, digit] of LONDON_BLOCK.bloomDigits) bloom[index] = digit.toString(16)
  const header: Header = {
    parentHash: fromHex(LONDON_BLOCK.parentHash),
    ommersHash: EMPTY_LIST_HASH,
    coinbase: fromHex(LONDON_BLOCK.miner),
    stateRoot: fromHex(LONDON_BLOCK.stateRoot),
    transactionsRoot: fromHex(LONDON_BLOCK.transactionsRoot),
    receiptsRoot: fromHex(LONDON_BLOCK.receiptsRoot),
    logsBloom: fromHex(bloom.join('')),
    difficulty: 1n,
    number: LONDON_BLOCK.number,
    gasLimit: LONDON_BLOCK.gasLimit,
    gasUsed: LONDON_BLOCK.gasUsed,
    timestamp: LONDON_BLOCK.timestamp,
    extraData: fromHex(LONDON_BLOCK.extraData),
    mixHash: QBFT_MIX_HASH,
    nonce: new Uint8Array(8),
    baseFeePerGas: 0n,
    withdrawalsRoot: undefined,
    blobGasUsed: undefined,
    excessBlobGas: undefined,
    parentBeaconBlockRoot: undefined,
    requestsHash: undefined,
  }

  test('has one digest for block hash and seal in round 0, and it is not that of the raw header', () => {
    expect(hex(qbftBlockHash(header))).toBe(LONDON_BLOCK.hash)
    expect(hex(qbftSealHash(header))).toBe(LONDON_BLOCK.hash)
    expect(hex(rawHeaderHash(header))).toBe(LONDON_BLOCK.rawHash)
    expect(signersOf(header)).toEqual([LONDON_BLOCK.miner])
  })
})

describe('block 1 of four validators with known keys', () => {
  const roundZero = decodeHeader(fromHex(BLOCK_ONE.header))
  const empty = decodeExtraData(roundZero.extraData)
  const sealed = (header: Header, round: number, seals: readonly string[]): Header => ({
    ...header,
    extraData: encodeExtraData({ ...empty, round, seals: seals.slice(0, 3).map(fromHex) }),
  })

  test('validators are the addresses of the keys, and sign as any node would', () => {
    BLOCK_ONE.keys.forEach((key, index) => {
      expect(hex(addressOfPrivateKey(fromHex(key)))).toBe(BLOCK_ONE.validators[index] as string)
      for (const { sealHash, seals } of [BLOCK_ONE.roundZero, BLOCK_ONE.roundOne])
        expect(hex(sealOfSignature(sign(fromHex(sealHash), fromHex(key))))).toBe(seals[index] as string)
    })
  })

  test('in round 0', () => {
    expect(hex(qbftSealHash(roundZero))).toBe(BLOCK_ONE.roundZero.sealHash)
    const header = sealed(roundZero, 0, BLOCK_ONE.roundZero.seals)
    expect(hex(qbftBlockHash(header))).toBe(BLOCK_ONE.roundZero.blockHash)
    expect(hex(rawHeaderHash(header))).toBe(BLOCK_ONE.roundZero.rawHash)
    expect(signersOf(header)).toEqual(BLOCK_ONE.validators.slice(0, 3))
    const block = { header: roundZero, transactions: [], ommers: [], withdrawals: undefined }
    expect(encodeBlock(block)).toHaveLength(633)
    expect(hex(keccak256(encodeBlock(block)))).toBe(BLOCK_ONE.blockKeccak)
  })

  test('in round 1', () => {
    const { coinbase, timestamp, seals } = BLOCK_ONE.roundOne
    const header = sealed({ ...roundZero, coinbase: fromHex(coinbase), timestamp }, 1, seals)
    expect(hex(qbftSealHash(header))).toBe(BLOCK_ONE.roundOne.sealHash)
    expect(hex(qbftBlockHash(header))).toBe(BLOCK_ONE.roundOne.blockHash)
    expect(hex(rawHeaderHash(header))).toBe(BLOCK_ONE.roundOne.rawHash)
    expect(signersOf(header)).toEqual(BLOCK_ONE.validators.slice(0, 3))
  })

  test('of round 0 proposed again in round 1 keeps its hash and gets another digest', () => {
    const again = sealed(roundZero, 1, [])
    expect(hex(qbftSealHash(again))).toBe(BLOCK_ONE.proposedAgain)
    expect(hex(qbftBlockHash(again))).toBe(BLOCK_ONE.roundZero.blockHash)
  })

  test('number 0 is hashed as it stands', () => {
    const genesis = { ...roundZero, number: 0n, extraData: fromHex('00') }
    expect(qbftBlockHash(genesis)).toEqual(rawHeaderHash(genesis))
    expect(qbftSealHash(genesis)).toEqual(rawHeaderHash(genesis))
  })
})
