import { concatBytes, EMPTY_BYTES } from '../../bytes/bytes.ts'
import { bigintToBytes } from '../../bytes/integer.ts'
import { decodeItems } from '../../rlp/rawItem.ts'
import { encodeRlp, RlpError, type RlpItem, rlpBytes, rlpList } from '../../rlp/rlp.ts'
import {
  encodedLength,
  LIST_HEAD,
  STRING_HEAD,
  stringLength,
  writeHead,
  writeString,
} from '../../rlp/write.ts'
import type { Steps } from '../../steps.ts'
import type { Log, Receipt } from '../receipt.ts'
import { withDecodeErrors } from './error.ts'
import { rlpUint64 } from './scalar.ts'
import { transactionType } from './transaction.ts'

/** The fields of a receipt's consensus encoding. */
export type ConsensusReceipt = Pick<
  Receipt,
  'type' | 'status' | 'postStateRoot' | 'cumulativeGasUsed' | 'logsBloom' | 'logs'
>

const SUCCESS = Uint8Array.of(1)

const NO_LOGS = Uint8Array.of(LIST_HEAD)

const stringLengthOf = (content: Uint8Array): number => stringLength(content.length, content[0])

/**
 * EIP-2718 bytes of a receipt, as stored in the receipts trie: status (EIP-658) or post-state root first. `allocate` provides
 * the memory, because a block encodes thousands at once.
 */
export const encodeReceipt = (
  receipt: ConsensusReceipt,
  allocate: (length: number) => Uint8Array = newBytes,
): Uint8Array => {
  const { logs } = receipt
  const encodedLogs =
    logs.length === 0 ? NO_LOGS : encodeRlp(logs.map(log => [log.address, log.topics, log.data]))
  const { bytes, end } = writeReceiptHead(receipt, encodedLogs.length, encodedLogs.length, allocate)
  bytes.set(encodedLogs, end)
  return bytes
}

/** Writes the fields before the logs, whose encoding has `logsLength` bytes; leaves `room` bytes after them. */
const writeReceiptHead = (
  { type, postStateRoot, status, cumulativeGasUsed, logsBloom }: ConsensusReceipt,
  logsLength: number,
  room: number,
  allocate: (length: number) => Uint8Array,
): { readonly bytes: Uint8Array; readonly end: number } => {
  const first = postStateRoot ?? (status === true ? SUCCESS : EMPTY_BYTES)
  const gas = bigintToBytes(cumulativeGasUsed)
  const fields = stringLengthOf(first) + stringLengthOf(gas) + stringLengthOf(logsBloom)
  const start = type === 0 ? 0 : 1
  const bytes = allocate(start + encodedLength(fields + logsLength) - logsLength + room)
  if (type !== 0) bytes[0] = type
  let at = writeHead(bytes, start, LIST_HEAD, fields + logsLength)
  for (const content of [first, gas, logsBloom]) at = writeString(bytes, at, content)
  return { bytes, end: at }
}

const newBytes = (length: number): Uint8Array => new Uint8Array(length)

/** Logs, and bytes of logs, encoded between two yields: one to two milliseconds. */
const LOGS_AT_ONCE = 512
const LOG_BYTES_AT_ONCE = 128 * 1024

/** True for a receipt that takes long to encode. */
export const hasManyLogs = ({ logs }: Pick<Receipt, 'logs'>): boolean => {
  if (logs.length > LOGS_AT_ONCE) return true
  let bytes = 0
  for (const { data } of logs) bytes += data.length
  return bytes > LOG_BYTES_AT_ONCE
}

/** The encoding of a log in pieces: long data is not copied. */
const logPieces = ({ address, topics, data }: Log): readonly Uint8Array[] => {
  if (data.length <= LOG_BYTES_AT_ONCE) return [encodeRlp([address, topics, data])]
  const start = concatBytes(encodeRlp(address), encodeRlp(topics))
  const head = new Uint8Array(LOG_HEAD_BYTES_MAX + start.length)
  let at = writeHead(head, 0, LIST_HEAD, start.length + encodedLength(data.length))
  head.set(start, at)
  at = writeHead(head, at + start.length, STRING_HEAD, data.length)
  return [head.subarray(0, at), data]
}

/** Bytes of the headers of a log and of its data. */
const LOG_HEAD_BYTES_MAX = 10

/** The same bytes as `encodeReceipt` in pieces, for a receipt with many logs. Yields between them. */
export function* encodeReceiptSteps(receipt: ConsensusReceipt): Steps<readonly Uint8Array[]> {
  const pieces: Uint8Array[] = []
  let length = 0
  let small: Uint8Array[] = []
  let sinceYield = 0
  for (const log of receipt.logs) {
    for (const piece of logPieces(log)) {
      small.push(piece)
      length += piece.length
      sinceYield += Math.min(piece.length, LOG_BYTES_AT_ONCE)
    }
    if (small.length < LOGS_AT_ONCE && sinceYield < LOG_BYTES_AT_ONCE) continue
    sinceYield = 0
    pieces.push(...joinedPieces(small))
    small = []
    yield
  }
  pieces.push(...joinedPieces(small))
  const { bytes, end } = writeReceiptHead(receipt, encodedLength(length), LIST_HEAD_BYTES_MAX, newBytes)
  return [bytes.subarray(0, writeHead(bytes, end, LIST_HEAD, length)), ...pieces]
}

/** Bytes of the header of the list of logs. */
const LIST_HEAD_BYTES_MAX = 5

/** Joins small pieces, so that they are hashed with few calls; long pieces stay separate. */
const joinedPieces = (pieces: readonly Uint8Array[]): readonly Uint8Array[] => {
  const isShort = (piece: Uint8Array): boolean => piece.length <= LOG_BYTES_AT_ONCE
  return pieces.every(isShort) ? [concatBytes(...pieces)] : pieces
}

const decodeLog = (item: RlpItem): Log => {
  const parts = rlpList(item, 'a log')
  if (parts.length !== 3) throw new RlpError(`a log has 3 fields, not ${parts.length}`)
  return {
    address: rlpBytes(parts[0], 'log address', 20),
    topics: rlpList(parts[1], 'log topics').map(topic => rlpBytes(topic, 'a log topic', 32)),
    data: rlpBytes(parts[2], 'log data'),
  }
}

const decodeOutcome = (item: RlpItem | undefined): Pick<Receipt, 'status' | 'postStateRoot'> => {
  const bytes = rlpBytes(item, 'status')
  if (bytes.length === 32) return { status: undefined, postStateRoot: bytes }
  if (bytes.length === 0) return { status: false, postStateRoot: undefined }
  if (bytes.length === 1 && bytes[0] === 1) return { status: true, postStateRoot: undefined }
  throw new RlpError('status must be empty, 1 or a 32-byte state root')
}

/** Items of a receipt beside those of its logs, and the least bytes of these: a log without topics has 24 for four. */
const FIELDS_MAX = 8
const LOG_ITEM_BYTES_MIN = 6

const decodePayload = (raw: Uint8Array): RlpItem =>
  decodeItems(raw, 'the payload', FIELDS_MAX + Math.ceil(raw.length / LOG_ITEM_BYTES_MIN))

/** Decodes a receipt from its EIP-2718 bytes; byte fields are views of `bytes`. @throws DecodeError */
export const decodeReceipt = (bytes: Uint8Array): ConsensusReceipt =>
  withDecodeErrors('INVALID_RECEIPT', 'receipt', () => {
    const type = transactionType(bytes)
    const items = rlpList(decodePayload(type === 0 ? bytes : bytes.subarray(1)), 'the payload')
    if (items.length !== 4) throw new RlpError(`4 fields expected, not ${items.length}`)
    return {
      type,
      ...decodeOutcome(items[0]),
      cumulativeGasUsed: rlpUint64(items[1], 'cumulativeGasUsed'),
      logsBloom: rlpBytes(items[2], 'logsBloom', 256),
      logs: rlpList(items[3], 'logs').map(decodeLog),
    }
  })
