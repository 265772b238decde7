import { DecodeError, decoding } from '../../chain/codec/error.ts'
import { type Dialect, QBFT_CODES, type QbftMessage, type WireMessage } from '../message.ts'
import { decodeCommit, encodeCommit } from './commit.ts'
import { decodePrepare, encodePrepare } from './prepare.ts'
import { decodeProposal, encodeProposal } from './proposal.ts'
import { decodeRoundChange, encodeRoundChange } from './roundChange.ts'

/** 16 MiB - 1, the greatest frame of devp2p: proposals and round changes carry whole blocks. */
export const MESSAGE_BYTES_MAX = 0xff_ffff

const decodeKnown = (code: number, data: Uint8Array): QbftMessage => {
  switch (code) {
    case QBFT_CODES.proposal:
      return decoding('INVALID_MESSAGE', 'proposal', () => decodeProposal(data))
    case QBFT_CODES.prepare:
      return decoding('INVALID_MESSAGE', 'prepare', () => decodePrepare(data))
    case QBFT_CODES.commit:
      return decoding('INVALID_MESSAGE', 'commit', () => decodeCommit(data))
    case QBFT_CODES['round-change']:
      return decoding('INVALID_MESSAGE', 'round change', () => decodeRoundChange(data))
    default:
      throw new DecodeError('INVALID_MESSAGE', `no message has the code ${code}`)
  }
}

/**
 * A message from its bytes, in either dialect. Strict: items missing or left over are refused, and so are more than
 * JUSTIFICATION_ITEMS_MAX signed ones in a list. Digests, signatures, signed payloads and transactions are views of
 * `data`, which must not change afterwards: whoever keeps one of them much longer than the message copies it. Block
 * headers are copies. Nothing is verified but form; extraData of blocks decodes.
 * @throws DecodeError and nothing else
 */
export const decodeMessage = (code: number, data: Uint8Array): QbftMessage => {
  if (data.length > MESSAGE_BYTES_MAX)
    throw new DecodeError(
      'INVALID_MESSAGE',
      `message has ${data.length} bytes, at most ${MESSAGE_BYTES_MAX} are read`,
    )
  return decodeKnown(code, data)
}

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
