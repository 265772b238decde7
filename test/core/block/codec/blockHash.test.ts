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

describe('given a live header committed in round 1', () => {
  const header = decodeHeader(fromHex(ROUND_ONE.header))

  test('when it is decoded and encoded, then the bytes are the same', () => {
    expect(hex(encodeHeader(header))).toBe(ROUND_ONE.header)
    expect(header.mixHash).toEqual(QBFT_MIX_HASH)
    expect(decodeExtraData(header.extraData).validators.map(hex)).toEqual([...ROUND_ONE.validators])
  })

  test('when it is hashed, then the round is in the seal digest and not in the block hash', () => {
    expect(hex(qbftSealHash(header))).toBe(ROUND_ONE.sealHash)
    expect(hex(qbftBlockHash(header))).toBe(ROUND_ONE.blockHash)
    expect(hex(blockHash({ kind: 'qbft' }, header))).toBe(ROUND_ONE.blockHash)
    expect(hex(blockHash({ kind: 'ethash' }, header))).toBe(hex(rawHeaderHash(header)))
  })

  test('when its seals are recovered, then they are its validators’, in the order of their commits', () => {
    expect(signersOf(header)).toEqual([...ROUND_ONE.signers])
  })
})

describe('given a live London block of one validator', () => {
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

  test('when it is hashed, then block hash and seal digest of round 0 are equal, and not that of the raw header', () => {
    expect(hex(qbftBlockHash(header))).toBe(LONDON_BLOCK.hash)
    expect(hex(qbftSealHash(header))).toBe(LONDON_BLOCK.hash)
    expect(hex(rawHeaderHash(header))).toBe(LONDON_BLOCK.rawHash)
    expect(signersOf(header)).toEqual([LONDON_BLOCK.miner])
  })
})

describe('given block 1 of four validators with known keys', () => {
  const roundZero = decodeHeader(fromHex(BLOCK_ONE.header))
  const empty = decodeExtraData(roundZero.extraData)
  const sealed = (header: Header, round: number, seals: readonly string[]): Header => ({
    ...header,
    extraData: encodeExtraData({ ...empty, round, seals: seals.slice(0, 3).map(fromHex) }),
  })

  test('when addresses and signatures are derived, then they are those of the keys', () => {
    BLOCK_ONE.keys.forEach((key, index) => {
      expect(hex(addressOfPrivateKey(fromHex(key)))).toBe(BLOCK_ONE.validators[index] as string)
      for (const { sealHash, seals } of [BLOCK_ONE.roundZero, BLOCK_ONE.roundOne])
        expect(hex(sealOfSignature(sign(fromHex(sealHash), fromHex(key))))).toBe(seals[index] as string)
    })
  })

  test('when its round is 0, then the hashes are the known ones', () => {
    expect(hex(qbftSealHash(roundZero))).toBe(BLOCK_ONE.roundZero.sealHash)
    const header = sealed(roundZero, 0, BLOCK_ONE.roundZero.seals)
    expect(hex(qbftBlockHash(header))).toBe(BLOCK_ONE.roundZero.blockHash)
    expect(hex(rawHeaderHash(header))).toBe(BLOCK_ONE.roundZero.rawHash)
    expect(signersOf(header)).toEqual(BLOCK_ONE.validators.slice(0, 3))
    const block = { header: roundZero, transactions: [], ommers: [], withdrawals: undefined }
    expect(encodeBlock(block)).toHaveLength(633)
    expect(hex(keccak256(encodeBlock(block)))).toBe(BLOCK_ONE.blockKeccak)
  })

  test('when its round is 1, then the hashes are the known ones', () => {
    const { coinbase, timestamp, seals } = BLOCK_ONE.roundOne
    const header = sealed({ ...roundZero, coinbase: fromHex(coinbase), timestamp }, 1, seals)
    expect(hex(qbftSealHash(header))).toBe(BLOCK_ONE.roundOne.sealHash)
    expect(hex(qbftBlockHash(header))).toBe(BLOCK_ONE.roundOne.blockHash)
    expect(hex(rawHeaderHash(header))).toBe(BLOCK_ONE.roundOne.rawHash)
    expect(signersOf(header)).toEqual(BLOCK_ONE.validators.slice(0, 3))
  })

  test('when round 0 is proposed again in round 1, then its hash stays and its digest changes', () => {
    const again = sealed(roundZero, 1, [])
    expect(hex(qbftSealHash(again))).toBe(BLOCK_ONE.proposedAgain)
    expect(hex(qbftBlockHash(again))).toBe(BLOCK_ONE.roundZero.blockHash)
  })

  test('when its number is 0, then it is hashed unchanged', () => {
    const genesis = { ...roundZero, number: 0n, extraData: fromHex('00') }
    expect(qbftBlockHash(genesis)).toEqual(rawHeaderHash(genesis))
    expect(qbftSealHash(genesis)).toEqual(rawHeaderHash(genesis))
  })
})
