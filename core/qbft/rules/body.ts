import { equalBytes } from '../../bytes/bytes.ts'
import type { Block } from '../../block/block.ts'
import { ommersHashOf, transactionsRootSteps, withdrawalsRootOf } from '../../chain/rules/body.ts'
import type { Steps } from '../../steps.ts'
import { type RuleViolation, violation } from './rule.ts'

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
 * The body matches the header. Signatures and block hashes cover only the header: a validator could send the block on which
 * others are locked with a different body, so that they treat the block as invalid or propose the wrong body. `known` are
 * blocks that passed this rule: comparing with them is cheaper. Yields between many transactions.
 */
export function* bodyRule(block: Block, known: readonly Block[] = []): Steps<RuleViolation | undefined> {
  const isOfHeader =
    (yield* areTransactionsOfHeader(block, known)) &&
    equalBytes(ommersHashOf(block.ommers), block.header.ommersHash) &&
    areWithdrawalsOfHeader(block)
  return isOfHeader ? undefined : violation('invalid-block', 'the body does not match the header')
}
