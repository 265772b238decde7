import { concatBytes } from '../../core/bytes/bytes.ts'
import { DecodeError } from '../../core/block/codec/error.ts'
import { keccak256 } from '../../core/crypto/crypto.ts'
import { decodeMessage, encodeMessage } from '../../core/qbft/codec/message.ts'
import {
  decodePositionRequest,
  decodePosition,
  encodePosition,
  POSITION_ONLY_REQUEST,
  POSITION_REQUEST,
} from '../../core/qbft/codec/position.ts'
import { type Dialect, QBFT_CODES, type QbftMessage } from '../../core/qbft/message.ts'
import type { RestartRecord } from '../../core/qbft/restart/restartRecord.ts'
import {
  decodeRestartRecord,
  encodeRestartRecord,
  RestartRecordError,
} from '../../core/qbft/restart/restartRecordCodec.ts'
import { rawItems } from '../../core/rlp/rawItem.ts'
import { VALIDATORS } from '../core/chain/support/keys.ts'
import {
  BLOCK,
  BLOCK_OF_ROUND_ONE,
  commitBy,
  DIGEST,
  prepareBy,
  proposalBy,
  roundChangeBy,
  signedRoundChangeBy,
} from '../core/qbft/codec/messages.ts'
import type { Codec } from './codec.ts'

const [V0, V1, V2] = VALIDATORS
const PREPARES = [V0, V1, V2].map(key => prepareBy(key))
const CERTIFICATE = { round: 0, digest: DIGEST, block: BLOCK, prepares: PREPARES }
const ROUND_CHANGES = [signedRoundChangeBy(V0, 1), signedRoundChangeBy(V1, 1, { round: 0, digest: DIGEST })]

const MESSAGES: readonly QbftMessage[] = [
  proposalBy(V0, 0, BLOCK),
  proposalBy(V1, 1, BLOCK_OF_ROUND_ONE, { roundChanges: ROUND_CHANGES, prepares: PREPARES }),
  { kind: 'prepare', signed: prepareBy(V0) },
  commitBy(V0),
  roundChangeBy(V0, 1),
  roundChangeBy(V0, 1, CERTIFICATE),
]

/** The dialect that the message is written in: one adds a block access list, which a signature covers in proposals alone. */
const dialectOf = (code: number, data: Uint8Array): Dialect =>
  code === QBFT_CODES['round-change'] && rawItems(data, 'it', 1, 9).length === 4
    ? 'blockAccessList'
    : 'legacy'

const messageCodec = (message: QbftMessage, dialect: Dialect, name: string): Codec => {
  const { code, data } = encodeMessage(message, dialect)
  return {
    name,
    files: [
      'block',
      'blockAccessList',
      'commit',
      'field',
      'message',
      'prepare',
      'proposal',
      'roundChange',
      'signed',
    ].map(file => `core/qbft/codec/${file}.ts`),
    samples: [data],
    reencode: bytes => {
      const decoded = decodeMessage(code, bytes)
      return encodeMessage(decoded, dialectOf(code, bytes)).data
    },
    errors: [DecodeError],
  }
}

const RECORDS: readonly RestartRecord[] = [
  {
    sequence: 5n,
    round: 0,
    proposed: DIGEST,
    prepared: undefined,
    committed: undefined,
    certificate: { block: BLOCK, round: 0, digest: DIGEST, prepares: PREPARES },
  },
  {
    sequence: 5n,
    round: 0,
    proposed: undefined,
    prepared: DIGEST,
    committed: DIGEST,
    certificate: undefined,
  },
]

/** Of a restart record: its version and its checksum. */
const RECORD_HEAD_BYTES = 9

/** The record of this content with the checksum of a complete one. */
const withHead = (content: Uint8Array): Uint8Array => {
  const versioned = concatBytes(Uint8Array.of(1), content)
  return concatBytes(Uint8Array.of(1), keccak256(versioned).subarray(0, 8), content)
}

export const CONSENSUS_CODECS: readonly Codec[] = [
  ...MESSAGES.map((message, index) => messageCodec(message, 'legacy', `${message.kind} ${index}`)),
  messageCodec(
    proposalBy(V0, 0, BLOCK, { dialect: 'blockAccessList' }),
    'blockAccessList',
    'proposal of the other dialect',
  ),
  messageCodec(roundChangeBy(V0, 1, CERTIFICATE), 'blockAccessList', 'round change of the other dialect'),
  {
    name: 'position',
    files: ['core/qbft/codec/position.ts'],
    samples: [
      encodePosition({ sequence: 300n, round: -1 }).data,
      encodePosition({ sequence: 1n, round: 5 }).data,
    ],
    reencode: bytes => encodePosition(decodePosition(bytes)).data,
    errors: [DecodeError],
  },
  {
    name: 'position request',
    files: ['core/qbft/codec/position.ts'],
    samples: [POSITION_REQUEST.data, POSITION_ONLY_REQUEST.data],
    reencode: bytes => (decodePositionRequest(bytes) ? POSITION_REQUEST : POSITION_ONLY_REQUEST).data,
    errors: [DecodeError],
  },
  {
    name: 'restart record',
    files: ['core/qbft/restart/restartRecordCodec.ts'],
    samples: RECORDS.map(record => encodeRestartRecord(record).subarray(RECORD_HEAD_BYTES)),
    reencode: bytes => encodeRestartRecord(decodeRestartRecord(withHead(bytes))).subarray(RECORD_HEAD_BYTES),
    errors: [RestartRecordError],
  },
]
