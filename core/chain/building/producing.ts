import { equalBytes, type Hash } from '../../bytes/bytes.ts'
import { toHex } from '../../bytes/hex.ts'
import { rulesAt } from '../../genesis/forkSchedule.ts'
import { type QbftConsensus, qbftOfBlock } from '../../genesis/qbftSchedule.ts'
import { runStepsYielding } from '../../steps.ts'
import type { BlockCommit, ChainHead } from '../../store/store.ts'
import { executedHeader, proposalHeader } from './building.ts'
import { chooseCandidates, recordCandidates } from './candidates.ts'
import type { Block } from '../../block/block.ts'
import { ExecutionStopped } from '../execution/bounds.ts'
import type { BuildOptions, BuiltBlock, VerifyOptions } from '../chain.ts'
import { qbftBlockHash } from '../../block/codec/blockHash.ts'
import { ChainError } from '../error.ts'
import { type ExecutionResult, sendersOf } from '../execution/execution.ts'
import type { Header } from '../../block/header.ts'
import { commitOf, executeChecked, executeOn } from '../importing/importing.ts'
import { transactionsRootSteps } from '../rules/body.ts'
import type { QbftHeaderContext } from '../rules/context.ts'
import { ancestry } from '../rules/header.ts'
import { InvalidBlock } from '../rules/invalidBlock.ts'
import { QBFT_PROPOSAL_HEADER_RULES, QBFT_UNSEALED_HEADER_RULES, qbftExtraDataOf } from '../rules/qbft.ts'
import { commitSeals } from '../rules/seals.ts'
import { withTransition } from '../rules/transitionReading.ts'
import { type ChainContext, headerContext, rulesOfHeader } from '../importing/validation.ts'

const qbftOf = ({ configuration }: ChainContext): QbftConsensus => {
  if (configuration.consensus.kind === 'qbft') return configuration.consensus
  throw new ChainError('MAKES_NO_BLOCKS', 'this chain is not QBFT: it imports blocks and builds none')
}

/** The context of the QBFT header rules. A header must follow `parent` to have validators. @throws InvalidBlock */
const qbftContext = async (
  chain: ChainContext,
  header: Header,
  parent: ChainHead,
  nowMs = 0,
): Promise<QbftHeaderContext> => {
  const parameters = qbftOfBlock(qbftOf(chain), header, parent.header)
  const context = headerContext(chain, header, parent, nowMs)
  ancestry(context)
  const extraData = qbftExtraDataOf(header)
  return { ...context, extraData, parameters, validators: await chain.validators(header.number) }
}

/** The header of the next block before its transactions are known, checked against the rules. @throws InvalidBlock */
const checkedProposal = async (
  chain: ChainContext,
  parent: ChainHead,
  options: BuildOptions,
): Promise<QbftHeaderContext> => {
  const { configuration, genesis } = chain
  const number = parent.header.number + 1n
  const proposal = proposalHeader({
    configuration,
    rules: rulesAt(configuration, number, options.timestamp),
    parameters: qbftOfBlock(qbftOf(chain), { number, timestamp: options.timestamp }, parent.header),
    parent,
    parentRules: rulesOfHeader(configuration, parent.header),
    genesisBaseFeePerGas: genesis.header.baseFeePerGas,
    validators: await chain.validators(number),
    options,
  })
  const context = await qbftContext(chain, proposal, parent)
  // A block that its own proposer would refuse must not be executed or sealed.
  for (const rule of QBFT_UNSEALED_HEADER_RULES) rule(context)
  return context
}

type Built = { readonly built: BuiltBlock; readonly result: ExecutionResult }

const build = async (chain: ChainContext, parent: ChainHead, options: BuildOptions): Promise<Built> => {
  const { header: proposal, rules } = await checkedProposal(chain, parent, options)
  const replay = recordCandidates(options)
  const withdrawals = proposal.withdrawalsRoot === undefined ? undefined : []
  const { result, source } = await executeOn(
    chain,
    parent,
    { rules, header: proposal, ommers: [], withdrawals },
    () => chooseCandidates(replay(), options, proposal.baseFeePerGas),
  )
  const transactions = result.executed.map(({ transaction }) => transaction)
  const transactionsRoot = await runStepsYielding(transactionsRootSteps(transactions), chain.pause)
  const header = executedHeader(proposal, result, transactionsRoot)
  const built: BuiltBlock = {
    block: { header, transactions, ommers: [], withdrawals },
    senders: sendersOf(result.executed),
    receipts: result.receipts,
    rejected: source.rejected,
    stopped: source.stoppedTransactions,
  }
  return { built, result }
}

const verify = async (
  chain: ChainContext,
  parent: ChainHead,
  block: Block,
  { nowMs, giveUp }: VerifyOptions,
): Promise<Built> => {
  const check = async (by: ChainContext): Promise<ExecutionResult> => {
    const context = await qbftContext(by, block.header, parent, nowMs)
    for (const rule of QBFT_PROPOSAL_HEADER_RULES) rule(context)
    return executeChecked(by, parent, block, context, usage => {
      const reason = giveUp?.(usage)
      if (reason !== undefined) throw new ExecutionStopped(reason)
    })
  }
  try {
    const result = await check(chain)
    const built: BuiltBlock = {
      block,
      senders: sendersOf(result.executed),
      receipts: result.receipts,
      rejected: [],
      stopped: [],
    }
    return { built, result }
  } catch (error) {
    const context = { configuration: chain.configuration, header: block.header, parent }
    throw await withTransition(context, error, configuration => check({ ...chain, configuration }))
  }
}

/** Returns the on-chain hash. @throws InvalidBlock unless the header is that of the built block with a quorum of seals */
const checkSealed = async (
  chain: ChainContext,
  parent: ChainHead,
  built: BuiltBlock,
  header: Header,
): Promise<Hash> => {
  // The on-chain hash covers all fields except seals and round.
  qbftExtraDataOf(header)
  const hash = qbftBlockHash(header)
  const expected = qbftBlockHash(built.block.header)
  if (!equalBytes(hash, expected))
    throw new InvalidBlock(
      header,
      'extra-data',
      `block ${toHex(expected)} with seals`,
      `block ${toHex(hash)}`,
    )
  commitSeals(await qbftContext(chain, header, parent))
  return hash
}

/** Builds, verifies and seals the blocks of one chain. The execution result of a built block lives as long as the block. */
export type Producer = {
  /** Builds the next block on `parent`. @throws InvalidBlock */
  readonly build: (parent: ChainHead, options: BuildOptions) => Promise<BuiltBlock>
  /** Checks and executes another validator's proposal as if it were sealed. @throws InvalidBlock */
  readonly verify: (parent: ChainHead, block: Block, options: VerifyOptions) => Promise<BuiltBlock>
  /** The commit of a built block with its sealed header. @throws InvalidBlock, ChainError `NOT_BUILT_HERE` */
  readonly seal: (parent: ChainHead, built: BuiltBlock, header: Header) => Promise<BlockCommit>
}

export const createProducer = (chain: ChainContext): Producer => {
  const results = new WeakMap<BuiltBlock, ExecutionResult>()
  const keep = ({ built, result }: Built): BuiltBlock => {
    results.set(built, result)
    return built
  }
  return {
    build: async (parent, options) => keep(await build(chain, parent, options)),
    verify: async (parent, block, options) => keep(await verify(chain, parent, block, options)),
    seal: async (parent, built, header) => {
      const result = results.get(built)
      if (result === undefined)
        throw new ChainError(
          'NOT_BUILT_HERE',
          'only a block from buildBlock or verifyBlock can be committed this way; import other blocks',
        )
      const hash = await checkSealed(chain, parent, built, header)
      return commitOf({ ...built.block, header }, hash, parent, result)
    },
  }
}
