import type { Hash } from '../../bytes/bytes.ts'
import { keccak256 } from '../../crypto/crypto.ts'
import { encodeRlp, type RlpInput, type RlpItem, RlpError, rlpBytes, rlpList } from '../../rlp/rlp.ts'
import { decodeItems } from '../../rlp/rawItem.ts'
import type { Header } from '../header.ts'
import { withDecodeErrors } from './error.ts'
import { rlpUint64, rlpUint256 } from './scalar.ts'

const FIELDS_MIN = 15
const FIELDS_MAX = 21

/** The header as RLP input: the first fifteen fields, then the fields of later forks up to the first absent one. */
export const headerItem = (header: Header): RlpInput[] => {
  const items: RlpInput[] = [
    header.parentHash,
    header.ommersHash,
    header.coinbase,
    header.stateRoot,
    header.transactionsRoot,
    header.receiptsRoot,
    header.logsBloom,
    header.difficulty,
    header.number,
    header.gasLimit,
    header.gasUsed,
    header.timestamp,
    header.extraData,
    header.mixHash,
    header.nonce,
  ]
  const tail = [
    header.baseFeePerGas,
    header.withdrawalsRoot,
    header.blobGasUsed,
    header.excessBlobGas,
    header.parentBeaconBlockRoot,
    header.requestsHash,
  ]
  for (const field of tail) {
    if (field === undefined) break
    items.push(field)
  }
  return items
}

/** Header RLP: the fields in Yellow Paper order, followed by those of EIP-1559, 4895, 4844, 4788 and 7685. */
export const encodeHeader = (header: Header): Uint8Array => encodeRlp(headerItem(header))

/** keccak of the header's unmodified RLP: the block hash on every chain but QBFT (see blockHash.ts). */
export const rawHeaderHash = (header: Header): Hash => keccak256(encodeHeader(header))

// Copies, because a header is kept much longer than the bytes it was decoded from.
const copy = (item: RlpItem | undefined, what: string, length?: number): Uint8Array =>
  rlpBytes(item, what, length).slice()

/** Decodes a header from an RLP item into copies. @throws DecodeError */
export const decodeHeaderItem = (item: RlpItem | undefined): Header =>
  withDecodeErrors('INVALID_HEADER', 'header', () => {
    const items = rlpList(item, 'it')
    if (items.length < FIELDS_MIN || items.length > FIELDS_MAX)
      throw new RlpError(`${FIELDS_MIN} to ${FIELDS_MAX} fields expected, not ${items.length}`)
    const has = (index: number): boolean => index < items.length
    return {
      parentHash: copy(items[0], 'parentHash', 32),
      ommersHash: copy(items[1], 'ommersHash', 32),
      coinbase: copy(items[2], 'coinbase', 20),
      stateRoot: copy(items[3], 'stateRoot', 32),
      transactionsRoot: copy(items[4], 'transactionsRoot', 32),
      receiptsRoot: copy(items[5], 'receiptsRoot', 32),
      logsBloom: copy(items[6], 'logsBloom', 256),
      difficulty: rlpUint256(items[7], 'difficulty'),
      number: rlpUint64(items[8], 'number'),
      gasLimit: rlpUint64(items[9], 'gasLimit'),
      gasUsed: rlpUint64(items[10], 'gasUsed'),
      timestamp: rlpUint64(items[11], 'timestamp'),
      extraData: copy(items[12], 'extraData'),
      mixHash: copy(items[13], 'mixHash', 32),
      nonce: copy(items[14], 'nonce', 8),
      baseFeePerGas: has(15) ? rlpUint256(items[15], 'baseFeePerGas') : undefined,
      withdrawalsRoot: has(16) ? copy(items[16], 'withdrawalsRoot', 32) : undefined,
      blobGasUsed: has(17) ? rlpUint64(items[17], 'blobGasUsed') : undefined,
      excessBlobGas: has(18) ? rlpUint64(items[18], 'excessBlobGas') : undefined,
      parentBeaconBlockRoot: has(19) ? copy(items[19], 'parentBeaconBlockRoot', 32) : undefined,
      requestsHash: has(20) ? copy(items[20], 'requestsHash', 32) : undefined,
    }
  })

/** Decodes a header into copies. @throws DecodeError */
export const decodeHeader = (bytes: Uint8Array): Header =>
  decodeHeaderItem(
    // The list is an item, too.
    withDecodeErrors('INVALID_HEADER', 'header', () => decodeItems(bytes, 'it', FIELDS_MAX + 1)),
  )
