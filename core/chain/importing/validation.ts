import type { YieldTurn } from '../../scheduler.ts'
import type { Address, Hash } from '../../bytes/bytes.ts'
import type { InvalidTransaction } from '../../evm/transaction/result.ts'
import type { ChainConfiguration, Rules } from '../../genesis/configuration.ts'
import { rulesAt } from '../../genesis/forkSchedule.ts'
import { qbftOfBlock } from '../../genesis/qbftSchedule.ts'
import type { BlockRecord, ChainHead, ChainStore } from '../../store/store.ts'
import { runStepsYielding } from '../../steps.ts'
import { EMPTY_LIST_HASH } from '../../crypto/constants.ts'
import { equalBytes } from '../../bytes/bytes.ts'
import type { Block } from '../../block/block.ts'
import { blockHash } from '../../block/codec/blockHash.ts'
import { recoverSender } from '../../block/codec/signature.ts'
import type { TransactionSource } from '../execution/execution.ts'
import type { Header } from '../../block/header.ts'
import type { EditList } from '../../state/edits.ts'
import { BODY_RULES, checkTransactionsRoot } from '../rules/body.ts'
import type { HeaderContext } from '../rules/context.ts'
import { ethashHeaderRules } from '../rules/ethash.ts'
import { InvalidBlock } from '../rules/invalidBlock.ts'
import { checkOmmers, OMMER_GENERATIONS_MAX } from '../rules/ommers.ts'
import { QBFT_HEADER_RULES, qbftExtraDataOf } from '../rules/qbft.ts'
import type { RecoveredTransaction, Transaction } from '../../block/transaction.ts'

/** Recovers the senders of many transactions; undefined for an invalid signature. */
export type RecoverSenders = (
  transactions: readonly Transaction[],
) => Promise<readonly (Address | undefined)[]>

/** Recovers the senders one after the other on this thread. */
export const recoverHere: RecoverSenders = transactions => Promise.resolve(transactions.map(recoverSender))

export type ChainContext = {
  readonly configuration: ChainConfiguration
  readonly store: ChainStore
  readonly genesis: ChainHead
  readonly validators: (number: bigint) => Promise<readonly Address[]>
  readonly recoverSenders: RecoverSenders
  /** Resolves when other work has run. */
  readonly pause: YieldTurn
  /** True when execution should pause for other work. */
  readonly isPauseDue: () => boolean
  /** Memory that the execution of a block may take. */
  readonly executionBytesMax: number
  /** Changes to the state after block `number` that no transaction made: the next block begins with them. */
  readonly editsAfter: (number: bigint) => EditList
}

/** The rules at the block with this header. */
export const rulesOfHeader = (configuration: ChainConfiguration, header: Header): Rules =>
  rulesAt(configuration, header.number, header.timestamp, header.difficulty)

/** The on-chain hash. @throws InvalidBlock when the extraData of a QBFT block cannot be decoded */
export const hashOfHeader = (configuration: ChainConfiguration, header: Header): Hash => {
  if (configuration.consensus.kind === 'qbft' && header.number > 0n) qbftExtraDataOf(header)
  return blockHash(configuration.consensus, header)
}

const hasOmmers = ({ header }: ChainHead): boolean => !equalBytes(header.ommersHash, EMPTY_LIST_HASH)

/** The context in which the rules check a header on `parent`. */
export const headerContext = (
  { configuration, genesis }: ChainContext,
  header: Header,
  parent: ChainHead,
  nowMs: number,
): HeaderContext => ({
  configuration,
  rules: rulesOfHeader(configuration, header),
  header,
  parent,
  parentRules: rulesOfHeader(configuration, parent.header),
  parentHasOmmers: hasOmmers(parent),
  genesisBaseFeePerGas: genesis.header.baseFeePerGas,
  nowMs,
})

/** Checks all header rules except ancestry, which comes first. @throws InvalidBlock */
export const checkHeader = async (chain: ChainContext, context: HeaderContext): Promise<void> => {
  const { header, configuration } = context
  if (configuration.consensus.kind === 'qbft') {
    const qbft = {
      ...context,
      extraData: qbftExtraDataOf(header),
      parameters: qbftOfBlock(configuration.consensus, header, context.parent.header),
      validators: await chain.validators(header.number),
    }
    for (const rule of QBFT_HEADER_RULES) rule(qbft)
  } else for (const rule of ethashHeaderRules(context)) rule(context)
}

const ancestorsOf = async (store: ChainStore, number: bigint): Promise<readonly BlockRecord[]> => {
  const ancestors: BlockRecord[] = []
  for (let back = 1n; back <= BigInt(OMMER_GENERATIONS_MAX) && back <= number; back++) {
    const record = await store.record(number - back)
    if (record !== undefined) ancestors.push(record)
  }
  return ancestors
}

/** Checks all body rules that do not need execution. @throws InvalidBlock */
export const checkBody = async (chain: ChainContext, block: Block, context: HeaderContext): Promise<void> => {
  const { configuration, rules, genesisBaseFeePerGas, nowMs } = context
  for (const rule of BODY_RULES) rule({ configuration, rules, block })
  await runStepsYielding(checkTransactionsRoot(block), chain.pause)
  if (block.ommers.length === 0) return
  const ancestors = await ancestorsOf(chain.store, block.header.number)
  checkOmmers({ configuration, block, ancestors, genesisBaseFeePerGas, nowMs })
}

/** The block's transactions with their senders. @throws InvalidBlock for an invalid signature */
export const withSenders = async (
  chain: ChainContext,
  { header, transactions }: Block,
): Promise<readonly RecoveredTransaction[]> => {
  const senders = await chain.recoverSenders(transactions)
  return transactions.map((transaction, index) => {
    const sender = senders[index]
    if (sender === undefined)
      throw new InvalidBlock(
        header,
        'transaction-signature',
        'valid signatures',
        `transaction ${index} without a sender`,
      )
    return { transaction, sender }
  })
}

/** The transactions of a body, all of which must be valid. */
export const bodySource = (header: Header, recovered: readonly RecoveredTransaction[]): TransactionSource => {
  let index = 0
  return {
    next: () => recovered[index++],
    refuse(_, reason: InvalidTransaction) {
      throw new InvalidBlock(
        header,
        'transaction',
        'valid transactions',
        `transaction ${index - 1}: ${reason.message} (${reason.code})`,
        { cause: reason },
      )
    },
  }
}
