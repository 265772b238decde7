import { describe, expect, test } from 'bun:test'
import type { Address } from '../../../../core/bytes/bytes.ts'
import { fromHex, toBareHex } from '../../../../core/bytes/hex.ts'
import { qbftBlockHash } from '../../../../core/block/codec/blockHash.ts'
import { DecodeError } from '../../../../core/block/codec/error.ts'
import { sealSigner } from '../../../../core/block/codec/seal.ts'
import { keccak256 } from '../../../../core/crypto/crypto.ts'
import { decodeMessage, encodeMessage } from '../../../../core/qbft/codec/message.ts'
import { proposalDigest, withRound, withSeals } from '../../../../core/qbft/codec/roundOfBlock.ts'
import {
  type CommitMessage,
  type Dialect,
  QBFT_CODES,
  type QbftMessage,
  type WireMessage,
} from '../../../../core/qbft/message.ts'
import { authorOf, signingDigest } from '../../../../core/qbft/signatures.ts'
import { BLOCK_ONE } from '../../block/codec/qbftVectors.ts'
import { VALIDATORS } from '../../chain/support/keys.ts'
import {
  BLOCK,
  BLOCK_OF_ROUND_ONE,
  commitBy,
  DIGEST,
  prepareBy,
  proposalBy,
  roundChangeBy,
  signedRoundChangeBy,
} from './messages.ts'
import { OFFICIAL, OFFICIAL_SEALER, SIGNED, STALE } from './messageVectors.ts'

const [V0, V1, V2, V3] = VALIDATORS
const DIALECTS: readonly Dialect[] = ['legacy', 'blockAccessList']
const hex = toBareHex
const reread = ({ code, data }: WireMessage): QbftMessage => decodeMessage(code, data)
const digestOf = (message: QbftMessage): string =>
  hex(signingDigest(QBFT_CODES[message.kind], message.signed.payloadBytes))
const author = (message: QbftMessage): Address | undefined =>
  authorOf(QBFT_CODES[message.kind], message.signed)

describe('given messages of known keys', () => {
  test('when a prepare is encoded, then the bytes are known', () => {
    const message: QbftMessage = { kind: 'prepare', signed: prepareBy(V1) }
    for (const dialect of DIALECTS) {
      const wire = encodeMessage(message, dialect)
      expect(hex(wire.data)).toBe(SIGNED.prepare.bytes)
      expect(reread(wire)).toEqual(message)
    }
    expect(digestOf(message)).toBe(SIGNED.prepare.digest)
    expect(author(message)).toEqual(V1.address)
  })

  test('when a commit is encoded, then the bytes are known, with its seal', () => {
    const message = commitBy(V2)
    expect(hex(message.signed.payload.commitSeal)).toBe(BLOCK_ONE.roundZero.seals[2] as string)
    for (const dialect of DIALECTS) {
      const wire = encodeMessage(message, dialect)
      expect(hex(wire.data)).toBe(SIGNED.commit.bytes)
      expect(reread(wire)).toEqual(message)
    }
    expect(digestOf(message)).toBe(SIGNED.commit.digest)
    expect(author(message)).toEqual(V2.address)
  })

  test.each(DIALECTS)(
    'when an unprepared round change (%s) is encoded, then the bytes are known',
    dialect => {
      const message = roundChangeBy(V3, 1)
      const wire = encodeMessage(message, dialect)
      expect(hex(wire.data)).toBe(SIGNED.unpreparedRoundChange[dialect])
      expect(reread(wire)).toEqual(message)
      expect(digestOf(reread(wire))).toBe(SIGNED.unpreparedRoundChange.digest)
      expect(author(reread(wire))).toEqual(V3.address)
    },
  )

  test.each(DIALECTS)('when a prepared round change (%s) is encoded, then the bytes are known', dialect => {
    const prepares = [V0, V1, V2].map(key => prepareBy(key))
    const message = roundChangeBy(V3, 1, { block: BLOCK, round: 0, digest: DIGEST, prepares })
    const wire = encodeMessage(message, dialect)
    const { length, keccak } = SIGNED.preparedRoundChange[dialect]
    expect(wire.data.length).toBe(length)
    expect(hex(keccak256(wire.data))).toBe(keccak)
    expect(reread(wire)).toEqual(message)
    expect(digestOf(reread(wire))).toBe(SIGNED.preparedRoundChange.digest)
    expect(author(reread(wire))).toEqual(V3.address)
  })

  const unprepared = [V0, V1, V2].map(key => signedRoundChangeBy(key, 1))
  const prepared = [V0, V1, V2].map(key => signedRoundChangeBy(key, 1, { round: 0, digest: DIGEST }))
  const prepares = [V0, V1, V2].map(key => prepareBy(key))

  test.each(DIALECTS)('when the proposal of round 0 (%s) is encoded, then the bytes are known', dialect => {
    const message = proposalBy(V0, 0, BLOCK, { dialect })
    expectProposal(message, SIGNED.firstProposal[dialect], V0.address)
  })

  test.each(DIALECTS)(
    'when a proposal of a new block in round 1 (%s) is encoded, then the bytes are known',
    dialect => {
      const message = proposalBy(V1, 1, BLOCK_OF_ROUND_ONE, { dialect, roundChanges: unprepared })
      expect(hex(proposalDigest(BLOCK_OF_ROUND_ONE))).toBe(BLOCK_ONE.roundOne.sealHash)
      expectProposal(message, SIGNED.newProposal[dialect], V1.address)
    },
  )

  test.each(DIALECTS)(
    'when the same block is proposed again in round 1 (%s), then the bytes are known',
    dialect => {
      const block = withRound(BLOCK, 1)
      expect(hex(proposalDigest(block))).toBe(SIGNED.secondProposal.proposalDigest)
      expect(hex(qbftBlockHash(block.header))).toBe(BLOCK_ONE.roundZero.blockHash)
      const message = proposalBy(V1, 1, block, { dialect, roundChanges: prepared, prepares })
      expectProposal(message, SIGNED.secondProposal[dialect], V1.address)
    },
  )

  const expectProposal = (
    message: QbftMessage,
    vector: { readonly digest: string; readonly length: number; readonly keccak: string },
    by: Address,
  ): void => {
    // The dialect is that of the signed bytes, whatever the node's own dialect is.
    for (const dialect of DIALECTS) {
      const wire = encodeMessage(message, dialect)
      expect(wire.data.length).toBe(vector.length)
      expect(hex(keccak256(wire.data))).toBe(vector.keccak)
    }
    const read = reread(encodeMessage(message, 'legacy'))
    expect(read).toEqual(message)
    expect(digestOf(read)).toBe(vector.digest)
    expect(author(read)).toEqual(by)
  }

  test('when a justification grows, then a prepare takes 105 bytes, a round change 73 or 107', () => {
    const size = (options: Parameters<typeof proposalBy>[3]): number =>
      encodeMessage(proposalBy(V1, 1, BLOCK_OF_ROUND_ONE, options), 'legacy').data.length
    // From three on, so that the prefix of no list grows.
    const [more] = prepares
    const [plain] = unprepared
    const [locked] = prepared
    const step = (options: object, longer: object): number => size(longer) - size(options)
    expect(step({ prepares }, { prepares: [...prepares, more] })).toBe(105)
    expect(step({ roundChanges: prepared }, { roundChanges: [...prepared, locked] })).toBe(107)
    const four = [...unprepared, plain]
    expect(step({ roundChanges: four }, { roundChanges: [...four, plain] })).toBe(73)
  })
})

describe('given the round and the seals in a block', () => {
  test('when they are added and removed, then nothing else changes, nor the on-chain hash', () => {
    const seals = BLOCK_ONE.roundZero.seals.map(fromHex)
    const sealed = withSeals(BLOCK, 7, seals)
    expect(withRound(sealed, 0)).toEqual(BLOCK)
    expect(qbftBlockHash(sealed.header)).toEqual(qbftBlockHash(BLOCK.header))
    expect(proposalDigest(sealed)).toEqual(proposalDigest(withRound(BLOCK, 7)))
    expect(proposalDigest(sealed)).not.toEqual(DIGEST)
    expect(hex(DIGEST)).toBe(BLOCK_ONE.roundZero.sealHash)
  })
})

describe('given the official messages', () => {
  test.each(OFFICIAL)(
    'when %s is decoded and encoded, then the bytes are the same',
    (_name, code, length, bytes) => {
      const data = fromHex(bytes)
      expect(data.length).toBe(length)
      expect(hex(encodeMessage(decodeMessage(code, data), 'legacy').data)).toBe(bytes)
    },
  )

  test('when the commit seal is recovered, then it is a validator’s over the bare digest', () => {
    const [, code, , bytes] = OFFICIAL[1] as (typeof OFFICIAL)[number]
    const { payload } = (decodeMessage(code, fromHex(bytes)) as CommitMessage).signed
    expect(hex(sealSigner(payload.digest, payload.commitSeal) as Address)).toBe(OFFICIAL_SEALER)
  })

  test.each(STALE)(
    'when they are of an earlier revision, with %s, then they are refused',
    (_name, code, bytes) => {
      expect(() => decodeMessage(code, fromHex(bytes))).toThrow(DecodeError)
    },
  )
})
