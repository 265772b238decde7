import { decodeRlp, encodeRlp, RlpError, type RlpItem, rlpList } from '../../rlp/rlp.ts'
import type { Block } from '../block.ts'
import type { Transaction } from '../transaction.ts'
import { decoding } from './error.ts'
import { decodeHeaderItem, encodeHeader, headerItem } from './header.ts'
import { joinRlpList } from './list.ts'
import { decodeTransactionItem } from './transaction.ts'
import { decodeWithdrawalItem, withdrawalItem } from './withdrawal.ts'

/** What a block holds beside its header. */
export type BlockBody = Omit<Block, 'header'>

/** A legacy transaction stands in the list as it is, a typed one as a byte string (EIP-2718). */
const encodedTransaction = ({ type, encoded }: Transaction): Uint8Array =>
  type === 0 ? encoded : encodeRlp(encoded)

const encodedBody = (body: BlockBody): Uint8Array[] => {
  const lists = [
    joinRlpList(body.transactions.map(encodedTransaction)),
    encodeRlp(body.ommers.map(headerItem)),
  ]
  if (body.withdrawals !== undefined) lists.push(encodeRlp(body.withdrawals.map(withdrawalItem)))
  return lists
}

/** Block RLP: `[header, transactions, ommers]`, from Shanghai on with a fourth list, the withdrawals. */
export const encodeBlock = (block: Block): Uint8Array =>
  joinRlpList([encodeHeader(block.header), ...encodedBody(block)])

/** `[transactions, ommers]`, from Shanghai on with a third list, the withdrawals. */
export const encodeBody = (body: BlockBody): Uint8Array => joinRlpList(encodedBody(body))

const decodeBodyItems = (items: readonly RlpItem[]): BlockBody => {
  const [transactions, ommers, withdrawals] = items
  if (items.length < 2 || items.length > 3) throw new RlpError(`a body of ${items.length} lists is not known`)
  return {
    transactions: rlpList(transactions, 'transactions').map((item, index) =>
      decoding('INVALID_TRANSACTION', `transaction ${index}`, () => decodeTransactionItem(item)),
    ),
    ommers: rlpList(ommers, 'ommers').map(decodeHeaderItem),
    withdrawals:
      withdrawals === undefined ? undefined : rlpList(withdrawals, 'withdrawals').map(decodeWithdrawalItem),
  }
}

/**
 * A block from its RLP. Header and ommers own their bytes; transactions and withdrawals are views of `bytes`, which must
 * not change afterwards: whoever keeps one of them much longer than the block copies it.
 * @throws DecodeError
 */
export const decodeBlock = (bytes: Uint8Array): Block =>
  decoding('INVALID_BLOCK', 'block', () => {
    const [header, ...body] = rlpList(decodeRlp(bytes), 'it')
    return { header: decodeHeaderItem(header), ...decodeBodyItems(body) }
  })

/** A body from its RLP; views of `bytes` as in `decodeBlock`. @throws DecodeError */
export const decodeBody = (bytes: Uint8Array): BlockBody =>
  decoding('INVALID_BLOCK', 'body', () => decodeBodyItems(rlpList(decodeRlp(bytes), 'it')))
