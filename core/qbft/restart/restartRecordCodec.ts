import { concatBytes, EMPTY_BYTES, equalBytes, type Hash } from '../../bytes/bytes.ts'
import { encodedBlockPiecesSteps } from '../../block/codec/block.ts'
import { DecodeError } from '../../block/codec/error.ts'
import { EMPTY_LIST, EMPTY_STRING, joinRlpList, rlpListPieces } from '../../rlp/list.ts'
import { keccak256Steps } from '../../crypto/keccakSteps.ts'
import { encodeRlp, RlpError } from '../../rlp/rlp.ts'
import { runSteps, type Steps } from '../../steps.ts'
import { decodeMessageBlock } from '../codec/block.ts'
import { decodeDigest, decodeRound, decodeSequence, isEmptyList } from '../codec/field.ts'
import { decodeSignedPrepares } from '../codec/prepare.ts'
import { type RawItem, rawItems } from '../../rlp/rawItem.ts'
import { encodeSignedList } from '../codec/signed.ts'
import type { PreparedCertificate } from '../message.ts'
import type { RestartRecord } from './restartRecord.ts'

const VERSION = 1
/**
 * Version 2 has one more item, set when this validator may have signed in the round before its record was durable. It is
 * still decoded, because all validators may be upgraded at once.
 */
const VERSION_WITH_DOUBT = 2
/** Bytes of the keccak hash over version and content that reveal a partly written value. */
const CHECKSUM_BYTES = 8
const CONTENT_START = 1 + CHECKSUM_BYTES

/** `checked` is the version followed by the content. */
function* checksumSteps(checked: Uint8Array): Steps<Uint8Array> {
  return (yield* keccak256Steps(checked)).subarray(0, CHECKSUM_BYTES)
}

function* certificatePieces(certificate: PreparedCertificate | undefined): Steps<readonly Uint8Array[]> {
  if (certificate === undefined) return [EMPTY_LIST]
  const { block, round, digest, prepares } = certificate
  return rlpListPieces([
    ...(yield* encodedBlockPiecesSteps(block)),
    encodeRlp(round),
    encodeRlp(digest),
    encodeSignedList(prepares),
  ])
}

const digestItem = (digest: Hash | undefined): Uint8Array => encodeRlp(digest ?? EMPTY_BYTES)

/**
 * The stored record: a version byte, the start of a checksum, and RLP `[sequence, round, proposed, prepared, committed,
 * certificate]` with empty items for absent values. Yields within the block of the certificate and before a long value is
 * hashed.
 */
export function* encodeRestartRecordSteps(record: RestartRecord): Steps<Uint8Array> {
  const content = rlpListPieces([
    encodeRlp(record.sequence),
    encodeRlp(record.round),
    digestItem(record.proposed),
    digestItem(record.prepared),
    digestItem(record.committed),
    ...(yield* certificatePieces(record.certificate)),
  ])
  const bytes = concatBytes(new Uint8Array(CONTENT_START), ...content)
  // The version is temporarily directly before the content, so that the checksum needs no copy of a large block.
  bytes[CONTENT_START - 1] = VERSION
  yield
  bytes.set(yield* checksumSteps(bytes.subarray(CONTENT_START - 1)), 1)
  bytes[0] = VERSION
  return bytes
}

/** As `encodeRestartRecordSteps`, without yielding. */
export const encodeRestartRecord = (record: RestartRecord): Uint8Array =>
  runSteps(encodeRestartRecordSteps(record))

const decodeDigestItem = (raw: RawItem | undefined): Hash | undefined =>
  raw !== undefined && equalBytes(raw, EMPTY_STRING) ? undefined : decodeDigest(raw)

const decodeCertificate = (raw: RawItem): PreparedCertificate | undefined => {
  if (isEmptyList(raw)) return undefined
  const [block, round, digest, prepares] = rawItems(raw, 'certificate', 4) as [
    RawItem,
    RawItem,
    RawItem,
    RawItem,
  ]
  return {
    block: runSteps(decodeMessageBlock(block)),
    round: decodeRound(round),
    digest: decodeDigest(digest),
    prepares: decodeSignedPrepares(prepares),
  }
}

const decodeContent = (content: Uint8Array): RestartRecord => {
  const [sequence, round, proposed, prepared, committed, certificate] = rawItems(content, 'it', 6)
  return {
    sequence: decodeSequence(sequence),
    round: decodeRound(round),
    proposed: decodeDigestItem(proposed),
    prepared: decodeDigestItem(prepared),
    committed: decodeDigestItem(committed),
    certificate: decodeCertificate(certificate as RawItem),
  }
}

/**
 * Decodes version 2. When the item is set and no prepare is recorded, this validator may have signed any value in that
 * round, but none in the next one.
 */
const decodeContentWithDoubt = (content: Uint8Array): RestartRecord => {
  const items = rawItems(content, 'it', 7)
  const record = decodeContent(joinRlpList(items.filter((_, index) => index !== 2)))
  const isInDoubt = decodeRound(items[2]) !== 0 && record.prepared === undefined
  return isInDoubt ? { ...record, round: record.round + 1, proposed: undefined } : record
}

/**
 * Decodes a record; digests, prepares and transactions are views of the bytes.
 * @throws RestartRecordError when it was partly written, or by another version
 */
export const decodeRestartRecord = (bytes: Uint8Array): RestartRecord => {
  const [version] = bytes
  if (version !== VERSION && version !== VERSION_WITH_DOUBT)
    throw new RestartRecordError(
      version === undefined
        ? 'it is empty'
        : `it has version ${version}, this program reads versions ${VERSION} and ${VERSION_WITH_DOUBT}`,
    )
  const content = bytes.subarray(CONTENT_START)
  const expected = runSteps(checksumSteps(concatBytes(Uint8Array.of(version), content)))
  if (!equalBytes(bytes.subarray(1, CONTENT_START), expected))
    throw new RestartRecordError('its checksum is wrong: it is damaged or was only partly written')
  try {
    return version === VERSION ? decodeContent(content) : decodeContentWithDoubt(content)
  } catch (error) {
    if (error instanceof RlpError || error instanceof DecodeError)
      throw new RestartRecordError(error.message, { cause: error })
    throw error
  }
}

/**
 * The last signatures of this validator are unknown, so it must not sign at the height of the record. Remove the record and
 * restart the validator after the network has produced one more block.
 */
export class RestartRecordError extends Error {
  override readonly name = 'RestartRecordError'
  readonly code = 'INVALID_RESTART_RECORD'
  constructor(detail: string, options: { readonly cause?: unknown } = {}) {
    super(
      `the restart record (the signatures of this validator) cannot be read: ${detail}. Wait until the network has produced one more block before this validator signs without it`,
      options,
    )
  }
}
