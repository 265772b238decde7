import type { Address } from '../../bytes/bytes.ts'
import { BLOOM_BYTES, joinBlooms, logsBloom } from '../../block/codec/bloom.ts'
import { encodeReceipt } from '../../block/codec/receipt.ts'
import type { Receipt } from '../../block/receipt.ts'
import type { Transaction } from '../../block/transaction.ts'
import type { Rules } from '../../genesis/configuration.ts'
import type { StateChanges } from '../../state/account.ts'
import type { BlockCommit, BlockRecord, ChainHead } from '../../store/store.ts'
import { AUTHORIZATION_GAS, intrinsicGas } from '../../evm/gas/intrinsic.ts'
import { memoryGas } from '../../evm/interpreter/memory.ts'
import { orderedTrieRoot } from '../../trie/ordered.ts'
import { updateStateRoot } from '../../trie/state/stateRoot.ts'
import { derivedReceipts } from '../execution/derivedReceipts.ts'
import { ancestry } from '../rules/header.ts'
import { InvalidBlock, requireSameBytes, requireSameNumber } from '../rules/invalidBlock.ts'
import { checkGivenChanges } from './givenChanges.ts'
import {
  type ChainContext,
  checkBody,
  checkHeader,
  hashOfHeader,
  headerContext,
  withSenders,
} from './validation.ts'

/*
 * What holds each part of a record: the header its hash and its seals; the seals the list of validators; the body the roots of
 * the header; type, outcome, gas, bloom and logs of a receipt the root of the receipts; its other fields are recomputed, but
 * for the revert reason, which the gas bounds; the values after the block the state root, those before it the state; code its
 * hash. Hash, total difficulty and senders are computed, never read.
 */

/** A block with its results, from a snapshot: nothing of it is trusted. */
export type GivenRecord = Pick<BlockRecord, 'block' | 'receipts'> & { readonly changes: StateChanges }

/** Changes that no gas pays for: rewards, withdrawals, system contracts. */
const UNPAID_CHANGES_MAX = 1_024
/** Of a word of the memory of the EVM. */
const WORD_BYTES = 32
/** Below the price of any changed account or slot. */
const GAS_PER_CHANGE = 100n

/** Bounds the work of an untrusted record by what its sealed header says was paid. @throws InvalidBlock */
const requirePaid = ({ block: { header, withdrawals }, changes }: GivenRecord): void => {
  let count = changes.accounts.length
  for (const { slots } of changes.accounts) count += slots.length
  const most = header.gasUsed / GAS_PER_CHANGE + BigInt(UNPAID_CHANGES_MAX + (withdrawals?.length ?? 0))
  if (BigInt(count) > most)
    throw new InvalidBlock(header, 'state-root', `at most ${most} changes for its gas`, `${count} changes`)
}

/** Checks the receipts with the roots of the header. @throws InvalidBlock */
const checkReceipts = ({ block: { header, transactions }, receipts }: GivenRecord): void => {
  requireSameNumber(header, 'receipts-root', BigInt(receipts.length), BigInt(transactions.length))
  const blooms = receipts.map(({ logs, logsBloom: own }) => {
    const bloom = logs.length === 0 ? new Uint8Array(BLOOM_BYTES) : logsBloom(logs)
    requireSameBytes(header, 'logs-bloom', own, bloom)
    return bloom
  })
  requireSameBytes(header, 'logs-bloom', joinBlooms(blooms), header.logsBloom)
  const root = orderedTrieRoot(receipts.map(receipt => encodeReceipt(receipt)))
  requireSameBytes(header, 'receipts-root', root, header.receiptsRoot)
}

/** Gas that an execution which reverted can have used: a refund of its authorizations is not lost with it. */
const executionGas = (transaction: Transaction, { gasUsed }: Receipt, { fork }: Rules): number =>
  Number(gasUsed - intrinsicGas(fork, transaction)) + AUTHORIZATION_GAS * transaction.authorizationList.length

/**
 * The reason of a failed transaction is the word of who gave the record: no root covers it. One that the gas does not pay the
 * memory for is false, and is left out.
 */
const withPaidReason = (transaction: Transaction, receipt: Receipt, rules: Rules): Receipt => {
  const { status, revertReason } = receipt
  if (revertReason === undefined) return receipt
  const price = memoryGas(Math.ceil(revertReason.length / WORD_BYTES))
  const isPaid = status === false && price <= executionGas(transaction, receipt, rules)
  return isPaid ? receipt : { ...receipt, revertReason: undefined }
}

/**
 * Verifies a block of a sealed chain without executing it: header rules and seals, body, senders, receipts, and the state
 * root that its changes lead to. A quorum of its validators sealed these roots.
 * @returns what to commit
 * @throws InvalidBlock
 */
export const validateRecord = async (
  chain: ChainContext,
  head: ChainHead,
  record: GivenRecord,
  nowMs: number,
): Promise<BlockCommit> => {
  const { block } = record
  const context = headerContext(chain, block.header, head, nowMs)
  ancestry(context)
  await checkHeader(chain, context)
  await checkBody(chain, block, context)
  requirePaid(record)
  const recovered = await withSenders(chain, block)
  checkReceipts(record)
  const { store } = chain
  const update = await store.run(() => {
    checkGivenChanges(block.header, record.changes, context.rules, store.stateAt(head.header.number))
    return updateStateRoot(store.nodes(), head.header.stateRoot, record.changes)
  })
  requireSameBytes(block.header, 'state-root', update.root, block.header.stateRoot)
  const senders = recovered.map(({ sender }): Address => sender)
  return {
    block,
    hash: hashOfHeader(chain.configuration, block.header),
    totalDifficulty: head.totalDifficulty + block.header.difficulty,
    senders,
    receipts: derivedReceipts(block, record.receipts, senders, context.rules).map((receipt, index) =>
      withPaidReason(block.transactions[index] as Transaction, receipt, context.rules),
    ),
    changes: update.changes,
    nodes: update.nodes,
  }
}
