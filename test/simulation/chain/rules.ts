import { type Address, equalBytes } from '../../../core/bytes/bytes.ts'
import type { Block } from '../../../core/block/block.ts'
import { transactionsRootOf } from '../../../core/chain/rules/body.ts'
import type { HeaderRule, QbftHeaderContext } from '../../../core/chain/rules/context.ts'
import { ancestry } from '../../../core/chain/rules/header.ts'
import { InvalidBlock } from '../../../core/chain/rules/invalidBlock.ts'
import {
  QBFT_HEADER_RULES,
  QBFT_PROPOSAL_HEADER_RULES,
  qbftExtraDataOf,
} from '../../../core/chain/rules/qbft.ts'
import { EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import { rulesAt } from '../../../core/genesis/forkSchedule.ts'
import { qbftOfBlock } from '../../../core/genesis/qbftSchedule.ts'
import type { ChainHead } from '../../../core/store/store.ts'
import type { SimulatedGenesis } from './genesis.ts'

/** The block that another one stands on. */
export type ParentBlock = ChainHead

const contextOf = (
  { configuration, consensus }: SimulatedGenesis,
  parent: ParentBlock,
  validators: readonly Address[],
  { header }: Block,
  nowMs: number,
): QbftHeaderContext => ({
  configuration,
  rules: rulesAt(configuration, header.number, header.timestamp),
  header,
  parent,
  parentRules: rulesAt(configuration, parent.header.number, parent.header.timestamp),
  parentHasOmmers: false,
  genesisBaseFeePerGas: undefined,
  nowMs,
  extraData: qbftExtraDataOf(header),
  parameters: qbftOfBlock(consensus, header, parent.header),
  validators,
})

/** Stands for execution, of which the state root is the result: here nothing ever changes it. */
const checkExecution = ({ header, transactions }: Block): void => {
  if (!equalBytes(header.stateRoot, EMPTY_TRIE_ROOT))
    throw new InvalidBlock(header, 'state-root', 'the empty one', 'another')
  if (!equalBytes(header.transactionsRoot, transactionsRootOf(transactions)))
    throw new InvalidBlock(header, 'transactions-root', 'that of the body', 'another')
}

const checkBy =
  (rules: readonly HeaderRule<QbftHeaderContext>[]) =>
  (
    genesis: SimulatedGenesis,
    parent: ParentBlock,
    validators: readonly Address[],
    block: Block,
    nowMs: number,
  ): void => {
    const context = contextOf(genesis, parent, validators, block, nowMs)
    ancestry(context)
    for (const rule of rules) rule(context)
    checkExecution(block)
  }

/** A proposed block against the product's own rules for one. @throws InvalidBlock */
export const checkProposed = checkBy(QBFT_PROPOSAL_HEADER_RULES)

/** The same for one that claims to be final. @throws InvalidBlock */
export const checkSealed = checkBy(QBFT_HEADER_RULES)
