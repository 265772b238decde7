import { type Address, EMPTY_BYTES } from '../../bytes/bytes.ts'
import { bigintToFixedBytes, bytesToBigint } from '../../bytes/integer.ts'
import { decodeItems } from '../../rlp/rawItem.ts'
import {
  encodeRlp,
  RlpError,
  type RlpInput,
  type RlpItem,
  rlpBytes,
  rlpList,
  rlpScalar,
} from '../../rlp/rlp.ts'
import type { Header } from '../header.ts'
import { DecodeError, withDecodeErrors } from './error.ts'
import { assertSeal, type Seal } from './seal.ts'

/** A proposer's vote on the validator set, in the block that it proposed. */
export type Vote = { readonly recipient: Address; readonly type: 'add' | 'drop' }

/**
 * The content of the extraData of a QBFT block, or of an IBFT 2.0 block in the history of a chain that moved to QBFT. The
 * two are told apart by their bytes: IBFT 2.0 writes the round in four bytes, of which the first is 0 in every round that
 * a network can reach.
 */
export type QbftExtraData = {
  /** Given for IBFT 2.0's encoding, absent for QBFT's. */
  readonly encoding?: 'ibft2'

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

/** Length of the vanity data that this node writes, as Besu. */
export const VANITY_BYTES = 32
/** Besu and GoQuorum store a round as a positive 32-bit integer. */
const ROUND_MAX = 0x7fff_ffffn
/** Bytes of a round in IBFT 2.0's encoding. */
const IBFT2_ROUND_BYTES = 4
const ADD = Uint8Array.of(0xff)
const IBFT2_DROP = Uint8Array.of(0)

const encode = (extraData: QbftExtraData, round: number, seals: readonly Seal[]): Uint8Array => {
  const { vanity, validators, vote } = extraData
  const voteItem: RlpInput =
    vote === undefined ? [] : [vote.recipient, vote.type === 'add' ? ADD : EMPTY_BYTES]
  return encodeRlp([vanity, validators, voteItem, round, seals])
}

/** IBFT 2.0 leaves out what QBFT replaces by round 0 and by an empty list (Besu's `IbftExtraDataCodec`). */
const encodeIbft2 = (extraData: QbftExtraData, content: 'all' | 'round' | 'neither'): Uint8Array => {
  const { vanity, validators, vote, round, seals } = extraData
  const voteItem: RlpInput =
    vote === undefined ? EMPTY_BYTES : [vote.recipient, vote.type === 'add' ? ADD : IBFT2_DROP]
  return encodeRlp([
    vanity,
    validators,
    voteItem,
    ...(content === 'neither' ? [] : [bigintToFixedBytes(BigInt(round), IBFT2_ROUND_BYTES)]),
    ...(content === 'all' ? [seals] : []),
  ])
}

/** RLP `[vanity, validators, vote, round, seals]`, as in a block. */
export const encodeExtraData = (extraData: QbftExtraData): Uint8Array =>
  extraData.encoding === 'ibft2'
    ? encodeIbft2(extraData, 'all')
    : encode(extraData, extraData.round, extraData.seals)

/** With an empty list of seals: the form that proposal digests and commit seals cover. */
export const encodeExtraDataWithoutSeals = (extraData: QbftExtraData): Uint8Array =>
  extraData.encoding === 'ibft2' ? encodeIbft2(extraData, 'round') : encode(extraData, extraData.round, [])

/** With round 0 and an empty list of seals: the form that the on-chain block hash covers. */
export const encodeExtraDataWithoutSealsAndRound = (extraData: QbftExtraData): Uint8Array =>
  extraData.encoding === 'ibft2' ? encodeIbft2(extraData, 'neither') : encode(extraData, 0, [])

/** Which forms are read: the one that the encoder writes, or each that Besu reads. */
type Forms = 'written' | 'besu'

const decodeVoteType = (type: Uint8Array, isIbft2: boolean, forms: Forms): Vote['type'] => {
  if (type.length === 1 && type[0] === 0xff) return 'add'
  const hasZero = type.length === 1 && type[0] === 0
  if (isIbft2 ? hasZero : type.length === 0 || (hasZero && forms === 'besu')) return 'drop'
  throw new RlpError(`vote type must be 0xff (add), or ${isIbft2 ? '0x00' : 'empty'} (drop)`)
}

const decodeVote = (item: RlpItem | undefined, isIbft2: boolean, forms: Forms): Vote | undefined => {
  if (isIbft2 && item instanceof Uint8Array && item.length === 0) return undefined
  const parts = rlpList(item, 'vote')
  if (parts.length === 0 && (!isIbft2 || forms === 'besu')) return undefined
  if (parts.length !== 2) throw new RlpError(`vote has 2 fields, not ${parts.length}`)
  const recipient = rlpBytes(parts[0], 'vote recipient', 20).slice()
  return { recipient, type: decodeVoteType(rlpBytes(parts[1], 'vote type'), isIbft2, forms) }
}

const isIbft2Round = (item: RlpItem | undefined): boolean =>
  item instanceof Uint8Array && item.length === IBFT2_ROUND_BYTES && item[0] === 0

const decodeRound = (item: RlpItem | undefined): number => {
  const round = rlpScalar(item, 'round', 4)
  if (round > ROUND_MAX) throw new RlpError(`round ${round} is above ${ROUND_MAX}`)
  return Number(round)
}

/** Items beside validators and seals, with some of a genesis block that Besu ignores. */
const OTHER_ITEMS_MAX = 64
/** Of a validator, the shortest item of which there may be many. */
const VALIDATOR_ITEM_BYTES = 21

const itemsMaxOf = ({ length }: Uint8Array): number =>
  OTHER_ITEMS_MAX + Math.ceil(length / VALIDATOR_ITEM_BYTES)

const decode = (bytes: Uint8Array, forms: Forms): QbftExtraData => {
  if (bytes.length === 0)
    throw new DecodeError('INVALID_EXTRA_DATA', 'Invalid Bytes supplied - Bft Extra Data required.')
  return withDecodeErrors('INVALID_EXTRA_DATA', 'extraData', () => {
    const items = rlpList(decodeItems(bytes, 'it', itemsMaxOf(bytes)), 'it')
    if (items.length < 5 || (items.length > 5 && forms === 'written'))
      throw new RlpError(`5 fields expected, not ${items.length}`)
    const isIbft2 = isIbft2Round(items[3])
    return {
      ...(isIbft2 ? { encoding: 'ibft2' as const } : {}),
      vanity: rlpBytes(items[0], 'vanity').slice(),
      validators: rlpList(items[1], 'validators').map(item => rlpBytes(item, 'a validator', 20).slice()),
      vote: decodeVote(items[2], isIbft2, forms),
      round: isIbft2 ? Number(bytesToBigint(items[3] as Uint8Array)) : decodeRound(items[3]),
      seals: rlpList(items[4], 'seals').map(item => assertSeal(rlpBytes(item, 'a seal', 65)).slice()),
    }
  })
}

/**
 * Decodes the extraData of a QBFT or an IBFT 2.0 block into copies. Takes only what the encoder writes: neither the hash nor
 * the seals of a block cover anything else, so that each peer could add to it.
 * @throws DecodeError
 */
export const decodeExtraData = (bytes: Uint8Array): QbftExtraData => decode(bytes, 'written')

/**
 * As `decodeExtraData`, but as Besu: items after the fifth are ignored, and a vote has several forms. For genesis blocks, whose
 * hash covers every byte.
 * @throws DecodeError
 */
export const decodeGenesisExtraData = (bytes: Uint8Array): QbftExtraData => decode(bytes, 'besu')

/** Longer extraData is decoded each time: a peer's block may have a million seals, each an object in memory. */
const KEPT_BYTES_MAX = 64 * 1024

const known = new WeakMap<object, QbftExtraData>()

/**
 * The decoded extraData of a header, once for each header: the rules, its hashes and the validators after it all need it.
 * @throws DecodeError
 */
export const extraDataOf = (header: Pick<Header, 'extraData' | 'number'>): QbftExtraData => {
  const before = known.get(header)
  if (before !== undefined) return before
  const extraData = decode(header.extraData, header.number === 0n ? 'besu' : 'written')
  if (header.extraData.length <= KEPT_BYTES_MAX) known.set(header, extraData)
  return extraData
}
