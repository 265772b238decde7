import { BLOOM_BYTES } from '../../block/codec/bloom.ts'
import { type Log, NO_LOGS, type Receipt } from '../../block/receipt.ts'
import type { TransactionType } from '../../block/transaction.ts'
import type { Steps } from '../../steps.ts'
import { READING_STEP_ITEMS, SEGMENT_STEP_ITEMS } from '../limits.ts'
import { isLong, writeBlobSteps } from './longBytes.ts'
import { MalformedRecord, type Reader } from './reader.ts'
import type { Writer } from './writer.ts'

/** Most set bits of a bloom that is stored as their positions; with more bits the bloom itself is shorter. */
const BLOOM_POSITIONS_MAX = 127
const RAW_BLOOM = 255

/** Writes the positions of the set bits, because a receipt's bloom usually has at most a dozen of them. */
const writeBloom = (writer: Writer, bloom: Uint8Array): void => {
  const positions: number[] = []
  for (let i = 0; i < BLOOM_BYTES && positions.length <= BLOOM_POSITIONS_MAX; i++) {
    const byte = bloom[i] as number
    for (let bit = 0; byte >> bit !== 0; bit++) if (((byte >> bit) & 1) === 1) positions.push(i * 8 + bit)
  }
  if (positions.length > BLOOM_POSITIONS_MAX) {
    writer.byte(RAW_BLOOM)
    writer.raw(bloom)
    return
  }
  writer.byte(positions.length)
  for (const position of positions) {
    writer.byte(position >> 8)
    writer.byte(position & 255)
  }
}

const readRawBloom = (reader: Reader): Uint8Array => {
  const bloom = reader.raw(BLOOM_BYTES)
  let bits = 0
  for (const byte of bloom) for (let rest = byte; rest > 0; rest &= rest - 1) bits++
  if (bits <= BLOOM_POSITIONS_MAX)
    throw new MalformedRecord('a bloom of few bits that is not written as positions')
  return bloom
}

const readBloom = (reader: Reader): Uint8Array => {
  const count = reader.byte()
  if (count === RAW_BLOOM) return readRawBloom(reader)
  if (count > BLOOM_POSITIONS_MAX) throw new MalformedRecord('a bloom of too many positions')
  const bloom = new Uint8Array(BLOOM_BYTES)
  for (let i = 0, last = -1; i < count; i++) {
    const position = reader.byte() * 256 + reader.byte()
    if (position <= last || position >= 8 * BLOOM_BYTES) throw new MalformedRecord('a bloom out of order')
    last = position
    bloom[position >> 3] = (bloom[position >> 3] as number) | (1 << (position & 7))
  }
  return bloom
}

const FAILED = 0
const SUCCEEDED = 1
const POST_STATE = 2
const OUTCOME_BITS = 3
const HAS_CONTRACT = 4
const HAS_BLOBS = 8
const HAS_REVERT_REASON = 16
const FLAGS_MAX = 31
/** Of transactions. */
const TYPE_MAX = 4

const outcome = ({ status, postStateRoot }: Receipt): number =>
  postStateRoot !== undefined ? POST_STATE : status === true ? SUCCEEDED : FAILED

/** Writes the fields before the data. */
const writeLogStart = (writer: Writer, log: Log): void => {
  writer.raw(log.address)
  writer.byte(log.topics.length)
  for (const topic of log.topics) writer.raw(topic)
}

const readLog = (reader: Reader): Log => {
  const address = reader.raw(20)
  const topics: Uint8Array[] = []
  for (let count = reader.byte(); count > 0; count--) topics.push(reader.raw(32))
  return { address, topics, data: reader.blob() }
}

const hasBlobs = (receipt: Receipt): boolean => receipt.blobGasUsed !== 0n || receipt.blobGasPrice !== 0n

/** Writes the fields before the logs. */
const writeStart = (writer: Writer, receipt: Receipt): void => {
  writer.byte(receipt.type)
  writer.byte(
    outcome(receipt) |
      (receipt.contractAddress === undefined ? 0 : HAS_CONTRACT) |
      (hasBlobs(receipt) ? HAS_BLOBS : 0) |
      (receipt.revertReason === undefined ? 0 : HAS_REVERT_REASON),
  )
  if (receipt.postStateRoot !== undefined) writer.raw(receipt.postStateRoot)
  writer.integer(receipt.cumulativeGasUsed)
  writeBloom(writer, receipt.logsBloom)
  writer.varint(receipt.logs.length)
}

/** Writes the fields after the logs and before the revert reason. */
const writeEnd = (writer: Writer, receipt: Receipt): void => {
  writer.integer(receipt.gasUsed)
  writer.integer(receipt.effectiveGasPrice)
  if (receipt.contractAddress !== undefined) writer.raw(receipt.contractAddress)
  if (hasBlobs(receipt)) {
    writer.integer(receipt.blobGasUsed)
    writer.integer(receipt.blobGasPrice)
  }
}

/** Yields between many. */
function* readLogs(reader: Reader): Steps<readonly Log[]> {
  let count = reader.varint()
  if (count === 0) return NO_LOGS
  const logs: Log[] = []
  for (; count > 0; count--) {
    logs.push(readLog(reader))
    if (logs.length % READING_STEP_ITEMS === 0) yield
  }
  return logs
}

function* readReceipt(reader: Reader): Steps<Receipt> {
  const type = reader.byte() as TransactionType
  const flags = reader.byte()
  const result = flags & OUTCOME_BITS
  if (type > TYPE_MAX || flags > FLAGS_MAX || result > POST_STATE)
    throw new MalformedRecord(`no receipt has type ${type} and flags ${flags}`)
  const postStateRoot = result === POST_STATE ? reader.raw(32) : undefined
  const cumulativeGasUsed = reader.integer()
  const logsBloom = readBloom(reader)
  const logs = yield* readLogs(reader)
  const gasUsed = reader.integer()
  const effectiveGasPrice = reader.integer()
  const contractAddress = (flags & HAS_CONTRACT) === 0 ? undefined : reader.raw(20)
  const blobs = (flags & HAS_BLOBS) !== 0
  const blobGasUsed = blobs ? reader.integer() : 0n
  const blobGasPrice = blobs ? reader.integer() : 0n
  if (blobs && blobGasUsed === 0n && blobGasPrice === 0n)
    throw new MalformedRecord('a receipt with blobs that has none')
  return {
    type,
    status: postStateRoot === undefined ? result === SUCCEEDED : undefined,
    postStateRoot,
    cumulativeGasUsed,
    logsBloom,
    logs,
    gasUsed,
    effectiveGasPrice,
    contractAddress,
    blobGasUsed,
    blobGasPrice,
    revertReason: (flags & HAS_REVERT_REASON) === 0 ? undefined : reader.blob(),
  }
}

/**
 * Writes receipts with all fields derived during execution, so that a read does not execute again. Yields between many
 * items, and when the writer has `stepBytes`: the caller may then take the written bytes.
 */
export function* writeReceipts(writer: Writer, receipts: readonly Receipt[], stepBytes: number): Steps<void> {
  writer.varint(receipts.length)
  let written = 0
  for (const receipt of receipts) {
    writeStart(writer, receipt)
    for (const log of receipt.logs) {
      writeLogStart(writer, log)
      if (isLong(log.data)) yield* writeBlobSteps(writer, log.data)
      else writer.blob(log.data)
      if (++written % SEGMENT_STEP_ITEMS === 0 || writer.length >= stepBytes) yield
    }
    writeEnd(writer, receipt)
    if (receipt.revertReason !== undefined) yield* writeBlobSteps(writer, receipt.revertReason)
    if (++written % SEGMENT_STEP_ITEMS === 0 || writer.length >= stepBytes) yield
  }
}

/** Reads receipts; their byte fields are views of the input. Yields every SEGMENT_STEP_ITEMS. */
export function* readReceiptsSteps(reader: Reader): Steps<readonly Receipt[]> {
  const receipts: Receipt[] = []
  for (let count = reader.varint(); count > 0; count--) {
    receipts.push(yield* readReceipt(reader))
    if (receipts.length % READING_STEP_ITEMS === 0) yield
  }
  return receipts
}

const skipInteger = (reader: Reader): void => {
  reader.raw(reader.byte())
}

/** As `readReceipt`, but skips all fields except the logs. */
function* readLogsOfReceipt(reader: Reader): Steps<Pick<Receipt, 'logs'>> {
  reader.byte()
  const flags = reader.byte()
  if ((flags & OUTCOME_BITS) === POST_STATE) reader.raw(32)
  skipInteger(reader)
  const bloom = reader.byte()
  reader.raw(bloom === RAW_BLOOM ? BLOOM_BYTES : 2 * bloom)
  const logs = yield* readLogs(reader)
  skipInteger(reader)
  skipInteger(reader)
  if ((flags & HAS_CONTRACT) !== 0) reader.raw(20)
  if ((flags & HAS_BLOBS) !== 0) {
    skipInteger(reader)
    skipInteger(reader)
  }
  if ((flags & HAS_REVERT_REASON) !== 0) reader.blob()
  return { logs }
}

/** Reads only the logs of receipts, in a third of the time. Yields between many items. */
export function* readReceiptLogsSteps(reader: Reader): Steps<readonly Pick<Receipt, 'logs'>[]> {
  const receipts: Pick<Receipt, 'logs'>[] = []
  for (let count = reader.varint(); count > 0; count--) {
    receipts.push(yield* readLogsOfReceipt(reader))
    if (receipts.length % READING_STEP_ITEMS === 0) yield
  }
  return receipts
}
