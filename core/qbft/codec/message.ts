import { DecodeError, decoding, decodingSteps } from '../../chain/codec/error.ts'
import { type RawItem, rawItems } from '../../rlp/rawItem.ts'
import { inOneGo, type Steps } from '../../steps.ts'
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

/** 16 MiB - 1, the greatest frame of devp2p: proposals and round changes carry whole blocks. */
export const MESSAGE_BYTES_MAX = 0xff_ffff

/** What a message says of itself first: who may say it, and when, is judged before more of it is read. */
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
  if (data.length > MESSAGE_BYTES_MAX)
    throw new DecodeError(
      'INVALID_MESSAGE',
      `message has ${data.length} bytes, at most ${MESSAGE_BYTES_MAX} are read`,
    )
  return code as QbftCode
}

/** Where the signed part of a message stands. */
const signedPart = (code: QbftCode, data: Uint8Array): RawItem => {
  if (code === QBFT_CODES.prepare || code === QBFT_CODES.commit) return data
  const [min, max] = code === QBFT_CODES.proposal ? [2, 2] : [3, 4]
  return rawItems(data, NAMES[code], min, max)[0] as RawItem
}

const KINDS = {
  proposal: 'proposal',
  prepare: 'prepare',
  commit: 'commit',
  'round change': 'round-change',
} as const

/** Height, round and signature of a message: a few items, however long it is. @throws DecodeError and nothing else */
export const openMessage = (code: number, data: Uint8Array): OpenedMessage => {
  const known = knownCode(code, data)
  const name = NAMES[known]
  return decoding('INVALID_MESSAGE', name, () => ({
    kind: KINDS[name],
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
 * A message from its bytes, in either dialect. Strict: items missing or left over are refused, and so are more than
 * JUSTIFICATION_ITEMS_MAX signed ones in a list. Digests, signatures, signed payloads and transactions are views of
 * `data`, which must not change afterwards: whoever keeps one of them much longer than the message copies it. Block
 * headers are copies. Nothing is verified but form; extraData of blocks decodes. Yields amid a block.
 * @throws DecodeError and nothing else
 */
export function* decodeMessageSteps(code: number, data: Uint8Array): Steps<QbftMessage> {
  const known = knownCode(code, data)
  return yield* decodingSteps('INVALID_MESSAGE', NAMES[known], decodeKnown(known, data))
}

/** The same in one go. @throws DecodeError and nothing else */
export const decodeMessage = (code: number, data: Uint8Array): QbftMessage =>
  inOneGo(decodeMessageSteps(code, data))

const encodeData = (message: QbftMessage, dialect: Dialect): Uint8Array => {
  if (message.kind === 'prepare') return encodePrepare(message)
  if (message.kind === 'commit') return encodeCommit(message)
  return message.kind === 'proposal' ? encodeProposal(message) : encodeRoundChange(message, dialect)
}

/**
 * The message as it crosses the network; signed payloads as they were signed. The dialect of a proposal is thus the one
 * its payload was encoded and signed in.
 */
export const encodeMessage = (message: QbftMessage, dialect: Dialect): WireMessage => ({
  code: QBFT_CODES[message.kind],
  data: encodeData(message, dialect),
})
