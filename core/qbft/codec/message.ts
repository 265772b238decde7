import { DecodeError, withDecodeErrors, withDecodeErrorsSteps } from '../../block/codec/error.ts'
import { type RawItem, rawItems } from '../../rlp/rawItem.ts'
import { runSteps, type Steps } from '../../steps.ts'
import {
  type Dialect,
  QBFT_CODES,
  type QbftCode,
  type QbftMessage,
  type RoundIdentifier,
  type Signed,
  type WireMessage,
} from '../message.ts'
import { decodeCommit, encodeCommit } from './commit.ts'
import { decodePrepare, encodePrepare } from './prepare.ts'
import { encodeProposal, openProposal, readProposal } from './proposal.ts'
import { encodeRoundChange, openRoundChange, readRoundChange } from './roundChange.ts'
import { openSigned } from './signed.ts'

/** 16 MiB - 1, the largest frame of devp2p: proposals and round changes contain whole blocks. */
export const QBFT_MESSAGE_BYTES_MAX = 0xff_ffff

/** The part of a message that is decoded first: author, height and round are checked before the rest is decoded. */
export type OpenedMessage = {
  readonly kind: QbftMessage['kind']
  readonly signed: Signed<RoundIdentifier>
}

const NAMES = {
  [QBFT_CODES.proposal]: 'proposal',
  [QBFT_CODES.prepare]: 'prepare',
  [QBFT_CODES.commit]: 'commit',
  [QBFT_CODES['round-change']]: 'round change',
} as const

const knownCode = (code: number, data: Uint8Array): QbftCode => {
  if (!(code in NAMES)) throw new DecodeError('INVALID_MESSAGE', `no message has the code ${code}`)
  if (data.length > QBFT_MESSAGE_BYTES_MAX)
    throw new DecodeError(
      'INVALID_MESSAGE',
      `message has ${data.length} bytes, at most ${QBFT_MESSAGE_BYTES_MAX} are read`,
    )
  return code as QbftCode
}

/** The bytes of the signed part of a message. */
const signedPart = (code: QbftCode, data: Uint8Array): RawItem => {
  if (code === QBFT_CODES.prepare || code === QBFT_CODES.commit) return data
  const [min, max] = code === QBFT_CODES.proposal ? [2, 2] : [3, 4]
  return rawItems(data, NAMES[code], min, max)[0] as RawItem
}

const KIND_OF_NAME = {
  proposal: 'proposal',
  prepare: 'prepare',
  commit: 'commit',
  'round change': 'round-change',
} as const

/**
 * Decodes height, round and signature of a message: a few items, whatever its size. @throws DecodeError and nothing else
 */
export const openMessage = (code: number, data: Uint8Array): OpenedMessage => {
  const known = knownCode(code, data)
  const name = NAMES[known]
  return withDecodeErrors('INVALID_MESSAGE', name, () => ({
    kind: KIND_OF_NAME[name],
    signed: openSigned(signedPart(known, data), `signed ${name}`),
  }))
}

function* decodeKnown(code: QbftCode, data: Uint8Array): Steps<QbftMessage> {
  switch (code) {
    case QBFT_CODES.proposal:
      return yield* readProposal(openProposal(data))
    case QBFT_CODES.prepare:
      return decodePrepare(data)
    case QBFT_CODES.commit:
      return decodeCommit(data)
    case QBFT_CODES['round-change']:
      return yield* readRoundChange(openRoundChange(data))
  }
}

/**
 * Decodes a message of either dialect. Strict: missing or extra items are refused, and so are lists of more than
 * JUSTIFICATION_ITEMS_MAX signed items. Digests, signatures, signed payloads and transactions are views of `data`, which
 * must not change afterwards; copy them to keep them much longer than the message. Block headers are copies. Only the form
 * is checked, including the extraData of blocks. Yields within a large block.
 * @throws DecodeError and nothing else
 */
export function* decodeMessageSteps(code: number, data: Uint8Array): Steps<QbftMessage> {
  const known = knownCode(code, data)
  return yield* withDecodeErrorsSteps('INVALID_MESSAGE', NAMES[known], decodeKnown(known, data))
}

/** As `decodeMessageSteps`, without yielding. @throws DecodeError and nothing else */
export const decodeMessage = (code: number, data: Uint8Array): QbftMessage =>
  runSteps(decodeMessageSteps(code, data))

const encodeData = (message: QbftMessage, dialect: Dialect): Uint8Array => {
  if (message.kind === 'prepare') return encodePrepare(message)
  if (message.kind === 'commit') return encodeCommit(message)
  return message.kind === 'proposal' ? encodeProposal(message) : encodeRoundChange(message, dialect)
}

/**
 * Encodes a message for the network. Signed payloads keep their signed bytes, so a proposal has the dialect in which its
 * payload was signed.
 */
export const encodeMessage = (message: QbftMessage, dialect: Dialect): WireMessage => ({
  code: QBFT_CODES[message.kind],
  data: encodeData(message, dialect),
})
