import { EMPTY_LIST_HASH } from '../../crypto/constants.ts'
import { keccak256 } from '../../crypto/crypto.ts'
import type { ChainConfiguration, Rules } from '../../genesis/configuration.ts'
import { forkIsAtLeast } from '../../genesis/fork.ts'
import { encodeRlp } from '../../rlp/rlp.ts'
import { runSteps, type Steps } from '../../steps.ts'
import { orderedTrieRoot, orderedTrieRootSteps } from '../../trie/ordered.ts'
import type { Block, Withdrawal } from '../../block/block.ts'
import { encodedBlockLength } from '../../block/codec/block.ts'
import { headerItem } from '../../block/codec/header.ts'
import { withdrawalItem } from '../../block/codec/withdrawal.ts'
import type { Header } from '../../block/header.ts'
import type { Transaction } from '../../block/transaction.ts'
import { InvalidBlock, requirePresence, requireSameBytes } from './invalidBlock.ts'

/** EIP-7934: the network's limit of 10 MiB without 2 MiB for the rest of the message. */
export const OSAKA_BLOCK_BYTES_MAX = 8_388_608
/** Yellow Paper 4.3.4. */
const OMMERS_MAX = 2

type BodyContext = {
  readonly configuration: ChainConfiguration
  /** The rules at this block. */
  readonly rules: Rules
  readonly block: Block
}

/** A rule of bodies. @throws InvalidBlock */
type BodyRule = (context: BodyContext) => void

export const ommersHashOf = (ommers: readonly Header[]): Uint8Array =>
  ommers.length === 0 ? EMPTY_LIST_HASH : keccak256(encodeRlp(ommers.map(headerItem)))

/** The transactions root; yields between many transactions. */
export const transactionsRootSteps = (transactions: Block['transactions']): Steps<Uint8Array> =>
  orderedTrieRootSteps(transactions.length, index => (transactions[index] as Transaction).encoded)

/** As `transactionsRootSteps`, without yielding. */
export const transactionsRootOf = (transactions: Block['transactions']): Uint8Array =>
  runSteps(transactionsRootSteps(transactions))

export const withdrawalsRootOf = (withdrawals: readonly Withdrawal[]): Uint8Array =>
  orderedTrieRoot(withdrawals.map(withdrawal => encodeRlp(withdrawalItem(withdrawal))))

/** EIP-7934, from Osaka. */
const blockSize: BodyRule = ({ block, rules }) => {
  if (!forkIsAtLeast(rules.fork, 'osaka')) return
  const size = encodedBlockLength(block)
  if (size > OSAKA_BLOCK_BYTES_MAX)
    throw new InvalidBlock(block.header, 'block-size', `at most ${OSAKA_BLOCK_BYTES_MAX} bytes`, `${size}`)
}

/** Checks the transactions root; yields between many transactions. @throws InvalidBlock */
export function* checkTransactionsRoot({ header, transactions }: Block): Steps<void> {
  const root = yield* transactionsRootSteps(transactions)
  requireSameBytes(header, 'transactions-root', root, header.transactionsRoot)
}

const ommersHash: BodyRule = ({ block }) =>
  requireSameBytes(block.header, 'ommers-hash', ommersHashOf(block.ommers), block.header.ommersHash)

/** Only proof of work has ommers. */
const ommersCount: BodyRule = ({ block, rules, configuration }) => {
  const hasWork = configuration.consensus.kind === 'ethash' && !forkIsAtLeast(rules.fork, 'paris')
  const most = hasWork ? OMMERS_MAX : 0
  if (block.ommers.length > most)
    throw new InvalidBlock(block.header, 'ommers-count', `at most ${most}`, String(block.ommers.length))
}

/** EIP-4895: a list from Shanghai on, even if it is empty. */
const withdrawalsPresence: BodyRule = ({ block, rules }) =>
  requirePresence(
    block.header,
    'withdrawals-presence',
    forkIsAtLeast(rules.fork, 'shanghai'),
    block.withdrawals !== undefined,
    'withdrawals',
  )

/** A QBFT block has no withdrawals, because there is no beacon chain. */
const withdrawalsApplicable: BodyRule = ({ block, configuration }) => {
  const count = block.withdrawals?.length ?? 0
  if (configuration.consensus.kind === 'qbft' && count > 0)
    throw new InvalidBlock(
      block.header,
      'withdrawals-not-applicable',
      'an empty list',
      `${count} withdrawals`,
    )
}

const withdrawalsRoot: BodyRule = ({ block }) => {
  if (block.withdrawals === undefined || block.header.withdrawalsRoot === undefined) return
  requireSameBytes(
    block.header,
    'withdrawals-root',
    withdrawalsRootOf(block.withdrawals),
    block.header.withdrawalsRoot,
  )
}

/** The body rules checked before execution, except the transactions root and the validity of ommers (ommers.ts). */
export const BODY_RULES: readonly BodyRule[] = [
  blockSize,
  ommersHash,
  ommersCount,
  withdrawalsPresence,
  withdrawalsApplicable,
  withdrawalsRoot,
]
