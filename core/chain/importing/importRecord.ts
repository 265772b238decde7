import type { Address } from '../../bytes/bytes.ts'
import { equalBytes } from '../../bytes/bytes.ts'
import { BLOOM_BYTES, joinBlooms, logsBloom } from '../../block/codec/bloom.ts'
import { encodeReceipt } from '../../block/codec/receipt.ts'
import { keccak256 } from '../../crypto/crypto.ts'
import type { Account, AccountChange, StateChanges, StateReader } from '../../state/account.ts'
import type { BlockCommit, BlockRecord, ChainHead } from '../../store/store.ts'
import { orderedTrieRoot } from '../../trie/ordered.ts'
import { updateStateRoot } from '../../trie/state/stateRoot.ts'
import { ancestry } from '../rules/header.ts'
import { InvalidBlock, requireSameBytes, requireSameNumber } from '../rules/invalidBlock.ts'
import {
  type ChainContext,
  checkBody,
  checkHeader,
  hashOfHeader,
  headerContext,
  withSenders,
} from './validation.ts'

/** A block with its results, from a snapshot: nothing of it is trusted. */
export type GivenRecord = Pick<BlockRecord, 'block' | 'receipts'> & { readonly changes: StateChanges }

const isSameAccount = (a: Account | undefined, b: Account | undefined): boolean =>
  a === undefined || b === undefined
    ? a === b
    : a.nonce === b.nonce &&
      a.balance === b.balance &&
      a.incarnation === b.incarnation &&
      equalBytes(a.codeHash, b.codeHash) &&
      equalBytes(a.storageRoot, b.storageRoot)

const requireBefore = (
  { block }: GivenRecord,
  state: StateReader,
  { address, before, after, slots }: AccountChange,
): void => {
  const refuse = (what: string): never => {
    throw new InvalidBlock(block.header, 'state-root', 'changes of the state before the block', what)
  }
  const current = state.account(address)
  if (!isSameAccount(before, current)) refuse('another account before it')
  const isReset = after !== undefined && after.incarnation === block.header.number
  if (after !== undefined && !isReset && after.incarnation !== current?.incarnation)
    refuse('another incarnation of an account')
  if (isReset || after === undefined) return
  for (const { slot, before: value } of slots)
    if (!equalBytes(value, state.storage(address, after, slot))) refuse('another slot before it')
}

/** The state root covers the values after the block; those before it, for later reads, are compared with the state. */
const checkChanges = (record: GivenRecord, state: StateReader): void => {
  for (const change of record.changes.accounts) requireBefore(record, state, change)
  for (const { codeHash, code } of record.changes.codes)
    requireSameBytes(record.block.header, 'state-root', keccak256(code), codeHash)
}

/** Changes that no gas pays for: rewards, withdrawals, system contracts. */
const UNPAID_CHANGES_MAX = 1_024
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
    checkChanges(record, store.stateAt(head.header.number))
    return updateStateRoot(store.nodes(), head.header.stateRoot, record.changes)
  })
  requireSameBytes(block.header, 'state-root', update.root, block.header.stateRoot)
  return {
    block,
    hash: hashOfHeader(chain.configuration, block.header),
    totalDifficulty: head.totalDifficulty + block.header.difficulty,
    senders: recovered.map(({ sender }): Address => sender),
    receipts: record.receipts,
    changes: update.changes,
    nodes: update.nodes,
  }
}
