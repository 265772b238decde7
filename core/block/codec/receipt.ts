import { EMPTY_BYTES } from '../../bytes/bytes.ts'
import { bigintToBytes } from '../../bytes/integer.ts'
import { decodeRlp, encodeRlp, RlpError, type RlpItem, rlpBytes, rlpList } from '../../rlp/rlp.ts'
import { encodedLength, LIST_HEAD, stringLength, writeHead, writeString } from '../../rlp/write.ts'
import type { Steps } from '../../steps.ts'
import type { Log, Receipt } from '../receipt.ts'
import { decoding } from './error.ts'
import { rlpUint64 } from './scalar.ts'
import { transactionType } from './transaction.ts'

/** What a receipt's consensus encoding holds. */
export type ConsensusReceipt = Pick<
  Receipt,
  'type' | 'status' | 'postStateRoot' | 'cumulativeGasUsed' | 'logsBloom' | 'logs'
>

const SUCCESS = Uint8Array.of(1)

const NO_LOGS = Uint8Array.of(LIST_HEAD)

const stringLengthOf = (content: Uint8Array): number => stringLength(content.length, content[0])

/**
 * EIP-2718 bytes of a receipt, as the receipts trie holds it: status (EIP-658) or post-state root first. Written into what
 * `allocate` gives: a block makes thousands at once.
 */
export const encodeReceipt = (
  receipt: ConsensusReceipt,
  allocate?: (length: number) => Uint8Array,
): Uint8Array => {
  const { logs } = receipt
  const encodedLogs =
    logs.length === 0 ? NO_LOGS : encodeRlp(logs.map(log => [log.address, log.topics, log.data]))
  return joinReceipt(receipt, encodedLogs, allocate)
}

const joinReceipt = (
  { type, postStateRoot, status, cumulativeGasUsed, logsBloom }: ConsensusReceipt,
  encodedLogs: Uint8Array,
  allocate: (length: number) => Uint8Array = length => new Uint8Array(length),
): Uint8Array => {
  const first = postStateRoot ?? (status === true ? SUCCESS : EMPTY_BYTES)
  const gas = bigintToBytes(cumulativeGasUsed)
  const payload = stringLengthOf(first) + stringLengthOf(gas) + stringLengthOf(logsBloom) + encodedLogs.length
  const start = type === 0 ? 0 : 1
  const bytes = allocate(start + encodedLength(payload))
  if (type !== 0) bytes[0] = type
  let at = writeHead(bytes, start, LIST_HEAD, payload)
  for (const content of [first, gas, logsBloom]) at = writeString(bytes, at, content)
  bytes.set(encodedLogs, at)
  return bytes
}

/** Logs, and bytes of them, that are encoded before other work may have its turn: a millisecond or two. */
const LOGS_AT_ONCE = 512
const LOG_BYTES_AT_ONCE = 256 * 1024

/** True for a receipt that takes long to encode. */
export const hasManyLogs = ({ logs }: Pick<Receipt, 'logs'>): boolean => {
  if (logs.length > LOGS_AT_ONCE) return true
  let bytes = 0
  for (const { data } of logs) bytes += data.length
  return bytes > LOG_BYTES_AT_ONCE
}

/** The same in steps, for a receipt with many logs. */
export function* encodeReceiptSteps(
  receipt: ConsensusReceipt,
  allocate?: (length: number) => Uint8Array,
): Steps<Uint8Array> {
  const { logs } = receipt
  if (!hasManyLogs(receipt)) return encodeReceipt(receipt, allocate)
  const parts: Uint8Array[] = []
  let length = 0
  let sinceYield = 0
  for (const log of logs) {
    const part = encodeRlp([log.address, log.topics, log.data])
    parts.push(part)
    length += part.length
    sinceYield += part.length
    if (parts.length % LOGS_AT_ONCE !== 0 && sinceYield < LOG_BYTES_AT_ONCE) continue
    sinceYield = 0
    yield
  }
  const encodedLogs = new Uint8Array(encodedLength(length))
  let at = writeHead(encodedLogs, 0, LIST_HEAD, length)
  for (const [index, part] of parts.entries()) {
    encodedLogs.set(part, at)
    at += part.length
    if (index % LOGS_AT_ONCE === LOGS_AT_ONCE - 1 || part.length > LOG_BYTES_AT_ONCE) yield
  }
  return joinReceipt(receipt, encodedLogs, allocate)
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

/** A receipt from its EIP-2718 bytes; byte fields are views of `bytes`. @throws DecodeError */
export const decodeReceipt = (bytes: Uint8Array): ConsensusReceipt =>
  decoding('INVALID_RECEIPT', 'receipt', () => {
    const type = transactionType(bytes)
    const items = rlpList(decodeRlp(type === 0 ? bytes : bytes.subarray(1)), 'the payload')
    if (items.length !== 4) throw new RlpError(`4 fields expected, not ${items.length}`)
    return {
      type,
      ...decodeOutcome(items[0]),
      cumulativeGasUsed: rlpUint64(items[1], 'cumulativeGasUsed'),
      logsBloom: rlpBytes(items[2], 'logsBloom', 256),
      logs: rlpList(items[3], 'logs').map(decodeLog),
    }
  })
