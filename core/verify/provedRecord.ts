import type { YieldTurn } from '../scheduler.ts'
import { type Address, equalBytes } from '../bytes/bytes.ts'
import type { Block } from '../block/block.ts'
import { qbftBlockHash } from '../block/codec/blockHash.ts'
import { rawHeaderHash } from '../block/codec/header.ts'
import { encodeReceipt } from '../block/codec/receipt.ts'
import { recoverSender } from '../block/codec/signature.ts'
import type { Header } from '../block/header.ts'
import type { Receipt } from '../block/receipt.ts'
import { derivedReceipts } from '../chain/execution/derivedReceipts.ts'
import { ommersHashOf, transactionsRootSteps, withdrawalsRootOf } from '../chain/rules/body.ts'
import type { ChainConfiguration } from '../genesis/configuration.ts'
import { rulesAt } from '../genesis/forkSchedule.ts'
import { runStepsYielding } from '../steps.ts'
import type { BlockRecord } from '../store/store.ts'
import { orderedTrieRootSteps } from '../trie/ordered.ts'
import { NotProved } from './notProved.ts'

/** Signatures recovered between two pauses: some milliseconds. */
const SENDERS_AT_ONCE = 16

export type ProveRecordOptions = {
  readonly configuration: ChainConfiguration
  /** Difficulty of block 0. */
  readonly genesisDifficulty: bigint
  readonly pause: YieldTurn
}

const requireBody = async (
  { block, receipts }: BlockRecord,
  header: Header,
  { pause }: ProveRecordOptions,
): Promise<void> => {
  const what = `block ${header.number}`
  const { transactions, ommers, withdrawals } = block
  if (
    !equalBytes(await runStepsYielding(transactionsRootSteps(transactions), pause), header.transactionsRoot)
  )
    throw new NotProved(what, 'its transactions do not have the transactionsRoot')
  if (!equalBytes(ommersHashOf(ommers), header.ommersHash))
    throw new NotProved(what, 'its ommers do not have the ommersHash')
  if (withdrawals !== undefined || header.withdrawalsRoot !== undefined)
    if (
      withdrawals === undefined ||
      header.withdrawalsRoot === undefined ||
      !equalBytes(withdrawalsRootOf(withdrawals), header.withdrawalsRoot)
    )
      throw new NotProved(what, 'its withdrawals do not have the withdrawalsRoot')
  if (receipts.length !== transactions.length)
    throw new NotProved(what, 'it does not have one receipt for each transaction')
  const root = await runStepsYielding(
    orderedTrieRootSteps(receipts.length, index => encodeReceipt(receipts[index] as Receipt)),
    pause,
  )
  if (!equalBytes(root, header.receiptsRoot))
    throw new NotProved(what, 'its receipts do not have the receiptsRoot')
}

const recoverAll = async (block: Block, pause: YieldTurn): Promise<readonly Address[]> => {
  const senders: Address[] = []
  for (const transaction of block.transactions) {
    const sender = recoverSender(transaction)
    if (sender === undefined)
      throw new NotProved(`block ${block.header.number}`, 'a transaction has no valid signature')
    senders.push(sender)
    if (senders.length % SENDERS_AT_ONCE === 0) await pause()
  }
  return senders
}

/**
 * Verifies the record of a block with its proved header: transactions, ommers, withdrawals and receipts by their roots,
 * senders by their signatures. All other fields are recomputed.
 * @throws NotProved
 */
export const proveRecord = async (
  record: BlockRecord,
  header: Header,
  options: ProveRecordOptions,
): Promise<BlockRecord> => {
  if (!equalBytes(rawHeaderHash(record.block.header), rawHeaderHash(header)))
    throw new NotProved(`block ${header.number}`, 'its record has another header')
  await requireBody(record, header, options)
  const senders = await recoverAll(record.block, options.pause)
  return {
    block: record.block,
    hash: header.number === 0n ? rawHeaderHash(header) : qbftBlockHash(header),
    // Each block of a QBFT chain has the difficulty 1.
    totalDifficulty: options.genesisDifficulty + header.number,
    senders,
    // A revert reason cannot be recomputed.
    receipts: derivedReceipts(
      record.block,
      record.receipts,
      senders,
      rulesAt(options.configuration, header.number, header.timestamp),
    ).map(receipt => ({ ...receipt, revertReason: undefined })),
  }
}
