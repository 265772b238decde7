import { equalBytes } from '../../bytes/bytes.ts'
import type { Block } from '../../chain/block.ts'
import { ommersHashOf, transactionsRootSteps, withdrawalsRootOf } from '../../chain/rules/body.ts'
import type { Steps } from '../../steps.ts'
import { type Broken, broken } from './rule.ts'

const haveSameBytes = (one: Block, other: Block): boolean =>
  one.transactions.length === other.transactions.length &&
  one.transactions.every(({ encoded }, index) =>
    equalBytes(encoded, other.transactions[index]?.encoded ?? new Uint8Array(0)),
  )

function* areTransactionsOfHeader(block: Block, known: readonly Block[]): Steps<boolean> {
  const { transactionsRoot } = block.header
  const isKnown = known.some(
    other => equalBytes(other.header.transactionsRoot, transactionsRoot) && haveSameBytes(block, other),
  )
  return isKnown || equalBytes(yield* transactionsRootSteps(block.transactions), transactionsRoot)
}

const areWithdrawalsOfHeader = ({ header, withdrawals }: Block): boolean =>
  withdrawals === undefined || header.withdrawalsRoot === undefined
    ? withdrawals === header.withdrawalsRoot
    : equalBytes(withdrawalsRootOf(withdrawals), header.withdrawalsRoot)

/**
 * The body is the one that the header names. What validators sign and what blocks are known by covers the header alone: one
 * of them could send a block that the others are locked on with another body, and have it thought invalid or proposed
 * again. `known` are blocks for which the rule holds: comparing with them costs less. Yields amid many transactions.
 */
export function* bodyRule(block: Block, known: readonly Block[] = []): Steps<Broken | undefined> {
  const isOfHeader =
    (yield* areTransactionsOfHeader(block, known)) &&
    equalBytes(ommersHashOf(block.ommers), block.header.ommersHash) &&
    areWithdrawalsOfHeader(block)
  return isOfHeader ? undefined : broken('invalid-block', 'a body that is not the header’s')
}
