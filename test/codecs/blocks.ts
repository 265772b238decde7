import { decodeBlock, decodeBlockHeader, encodeBlock } from '../../core/block/codec/block.ts'
import { encodeEnvelope } from '../../core/block/codec/envelope.ts'
import { DecodeError } from '../../core/block/codec/error.ts'
import { decodeExtraData, decodeGenesisExtraData, encodeExtraData } from '../../core/block/codec/extraData.ts'
import { decodeHeader, encodeHeader } from '../../core/block/codec/header.ts'
import { decodeNetworkTransaction } from '../../core/block/codec/networkTransaction.ts'
import { decodeReceipt, encodeReceipt } from '../../core/block/codec/receipt.ts'
import { decodeTransaction, encodeTransaction } from '../../core/block/codec/transaction.ts'
import { signedItems } from '../../core/block/codec/transactionItem.ts'
import { decodeRlp, encodeRlp, RlpError, type RlpInput } from '../../core/rlp/rlp.ts'
import type { Codec } from './codec.ts'
import { BLOCK_BYTES, BLOCKS, EXTRA_DATA, RECEIPTS, TRANSACTIONS, transactionOfType } from './samples.ts'

const BLOB = transactionOfType(3)
const point = new Uint8Array(48)
const networkForm = (...parts: readonly RlpInput[]): Uint8Array =>
  encodeEnvelope(3, [signedItems(BLOB), ...parts])

const encodeNetworkForm = (bytes: Uint8Array): Uint8Array => {
  const { transaction, sidecar } = decodeNetworkTransaction(bytes)
  if (sidecar === undefined) return encodeTransaction(transaction)
  const { version, blobs, commitments, proofs } = sidecar
  const wrapper = version === 0 ? [] : [version]
  return encodeEnvelope(3, [signedItems(transaction), ...wrapper, blobs, commitments, proofs])
}

export const BLOCK_CODECS: readonly Codec[] = [
  {
    name: 'RLP',
    files: ['core/rlp/rlp.ts', 'core/rlp/rawItem.ts'],
    samples: [encodeRlp([1, [], new Uint8Array(0), [[300n], new Uint8Array(60)]])],
    reencode: bytes => encodeRlp(decodeRlp(bytes)),
    errors: [RlpError],
  },
  {
    name: 'extraData',
    files: ['core/block/codec/extraData.ts', 'core/block/codec/seal.ts'],
    samples: EXTRA_DATA,
    reencode: bytes => encodeExtraData(decodeExtraData(bytes)),
    errors: [DecodeError],
  },
  {
    name: 'extraData of a genesis block',
    files: ['core/block/codec/extraData.ts', 'core/block/codec/writtenExtraData.ts'],
    samples: EXTRA_DATA,
    reencode: bytes => encodeExtraData(decodeGenesisExtraData(bytes)),
    errors: [DecodeError],
    exception: {
      reason:
        'Besu takes further items and other forms of a vote; the genesis hash covers every byte, and the header keeps them',
      allows: () => true,
    },
  },
  {
    name: 'header',
    files: ['core/block/codec/header.ts', 'core/block/codec/scalar.ts'],
    samples: BLOCKS.map(({ header }) => encodeHeader(header)),
    reencode: bytes => encodeHeader(decodeHeader(bytes)),
    errors: [DecodeError],
  },
  {
    name: 'block',
    files: ['core/block/codec/block.ts', 'core/block/codec/withdrawal.ts', 'core/block/codec/error.ts'],
    samples: BLOCK_BYTES,
    reencode: bytes => encodeBlock(decodeBlock(bytes)),
    errors: [DecodeError],
  },
  {
    name: 'header of a block',
    files: ['core/block/codec/block.ts'],
    samples: BLOCK_BYTES,
    reencode: bytes => {
      decodeBlockHeader(bytes)
      return bytes
    },
    errors: [DecodeError],
    exception: {
      reason: 'only the header is read, to learn height and hash before the body is decoded',
      allows: () => true,
    },
  },
  {
    name: 'transaction',
    files: ['core/block/codec/transaction.ts'],
    samples: TRANSACTIONS.map(({ encoded }) => encoded),
    reencode: bytes => encodeTransaction(decodeTransaction(bytes)),
    errors: [DecodeError],
  },
  {
    name: 'transaction of the network',
    files: ['core/block/codec/networkTransaction.ts'],
    samples: [
      ...TRANSACTIONS.map(({ encoded }) => encoded),
      networkForm([new Uint8Array(131_072)], [point], [point]),
      networkForm(
        1,
        [new Uint8Array(131_072)],
        [point],
        Array.from({ length: 128 }, () => point),
      ),
    ],
    reencode: encodeNetworkForm,
    errors: [DecodeError],
  },
  {
    name: 'receipt',
    files: ['core/block/codec/receipt.ts'],
    samples: RECEIPTS.map(receipt => encodeReceipt(receipt)),
    reencode: bytes => encodeReceipt(decodeReceipt(bytes)),
    errors: [DecodeError],
  },
]
