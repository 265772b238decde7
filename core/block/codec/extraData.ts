import { type Address, EMPTY_BYTES } from '../../bytes/bytes.ts'
import {
  decodeRlp,
  encodeRlp,
  RlpError,
  type RlpInput,
  type RlpItem,
  rlpBytes,
  rlpList,
  rlpScalar,
} from '../../rlp/rlp.ts'
import { DecodeError, withDecodeErrors } from './error.ts'
import { assertSeal, type Seal } from './seal.ts'

/** A proposer's vote on the validator set, in the block that it proposed. */
export type Vote = { readonly recipient: Address; readonly type: 'add' | 'drop' }

/** The content of the extraData of a QBFT block. */
export type QbftExtraData = {
  /** 32 bytes by convention; any length is accepted. */
  readonly vanity: Uint8Array
  /** Ascending from block 1 on; empty where a contract selects the validators. */
  readonly validators: readonly Address[]
  readonly vote: Vote | undefined
  /** The round of the committed proposal. */
  readonly round: number
  /** Commit seals, in no particular order. */
  readonly seals: readonly Seal[]
}

/** Besu and GoQuorum store a round as a positive 32-bit integer. */
const ROUND_MAX = 0x7fff_ffffn
const ADD = Uint8Array.of(0xff)

const encode = (extraData: QbftExtraData, round: number, seals: readonly Seal[]): Uint8Array => {
  const { vanity, validators, vote } = extraData
  const voteItem: RlpInput =
    vote === undefined ? [] : [vote.recipient, vote.type === 'add' ? ADD : EMPTY_BYTES]
  return encodeRlp([vanity, validators, voteItem, round, seals])
}

/** RLP `[vanity, validators, vote, round, seals]`, as in a block. */
export const encodeExtraData = (extraData: QbftExtraData): Uint8Array =>
  encode(extraData, extraData.round, extraData.seals)

/** With an empty list of seals: the form that proposal digests and commit seals cover. */
export const encodeExtraDataWithoutSeals = (extraData: QbftExtraData): Uint8Array =>
  encode(extraData, extraData.round, [])

/** With round 0 and an empty list of seals: the form that the on-chain block hash covers. */
export const encodeExtraDataWithoutSealsAndRound = (extraData: QbftExtraData): Uint8Array =>
  encode(extraData, 0, [])

const decodeVote = (item: RlpItem | undefined): Vote | undefined => {
  const parts = rlpList(item, 'vote')
  if (parts.length === 0) return undefined
  if (parts.length !== 2) throw new RlpError(`vote has 2 fields, not ${parts.length}`)
  const recipient = rlpBytes(parts[0], 'vote recipient', 20).slice()
  const type = rlpBytes(parts[1], 'vote type')
  if (type.length === 0 || (type.length === 1 && type[0] === 0)) return { recipient, type: 'drop' }
  if (type.length === 1 && type[0] === 0xff) return { recipient, type: 'add' }
  throw new RlpError('vote type must be 0xff (add), or empty or 0x00 (drop)')
}

const decodeRound = (item: RlpItem | undefined): number => {
  const round = rlpScalar(item, 'round', 4)
  if (round > ROUND_MAX) throw new RlpError(`round ${round} is above ${ROUND_MAX}`)
  return Number(round)
}

/**
 * Decodes the extraData of a QBFT block into copies. Strict, except that items after the fifth are ignored, as in Besu.
 * @throws DecodeError
 */
export const decodeExtraData = (bytes: Uint8Array): QbftExtraData => {
  if (bytes.length === 0)
    throw new DecodeError('INVALID_EXTRA_DATA', 'Invalid Bytes supplied - Bft Extra Data required.')
  return withDecodeErrors('INVALID_EXTRA_DATA', 'extraData', () => {
    const items = rlpList(decodeRlp(bytes), 'it')
    if (items.length < 5) throw new RlpError(`5 fields expected, not ${items.length}`)
    return {
      vanity: rlpBytes(items[0], 'vanity').slice(),
      validators: rlpList(items[1], 'validators').map(item => rlpBytes(item, 'a validator', 20).slice()),
      vote: decodeVote(items[2]),
      round: decodeRound(items[3]),
      seals: rlpList(items[4], 'seals').map(item => assertSeal(rlpBytes(item, 'a seal', 65)).slice()),
    }
  })
}
