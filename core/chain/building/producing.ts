import { equalBytes } from '../../bytes/bytes.ts'
import { toHex } from '../../bytes/hex.ts'
import { type QbftConsensus, qbftAt, rulesAt } from '../../genesis/schedule.ts'
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
import { type ChainContext, headerContext, rulesOfHeader } from '../importing/validation.ts'

const qbftOf = ({ configuration }: ChainContext): QbftConsensus => {
  if (configuration.consensus.kind === 'qbft') return configuration.consensus
  throw new ChainError('MAKES_NO_BLOCKS', 'this chain is not QBFT: blocks are imported into it, never made')
}

/** What a block on `parent` is judged by; one that does not stand on it has no validators to be judged by. @throws InvalidBlock */
const qbftContext = async (
  chain: ChainContext,
  header: Header,
  parent: ChainHead,
  nowMs = 0,
): Promise<QbftHeaderContext> => {
  const parameters = qbftAt(qbftOf(chain), header.number)
  const context = headerContext(chain, header, parent, nowMs)
  ancestry(context)
  const extraData = qbftExtraDataOf(header)
  return { ...context, extraData, parameters, validators: await chain.validators(header.number) }
}

/** Builds, verifies and seals blocks of one chain; what executing gave is kept as long as the built block is. */
export const createProducer = (chain: ChainContext) => {
  const results = new WeakMap<BuiltBlock, ExecutionResult>()

  const build = async (parent: ChainHead, options: BuildOptions): Promise<BuiltBlock> => {
    const { configuration } = chain
    const number = parent.header.number + 1n
    const parameters = qbftAt(qbftOf(chain), number)
    const rules = rulesAt(configuration, number, options.timestamp)
    const proposal = proposalHeader({
      configuration,
      rules,
      parameters,
      parent,
      parentRules: rulesOfHeader(configuration, parent.header),
      genesisBaseFeePerGas: chain.genesis.header.baseFeePerGas,
      validators: await chain.validators(number),
      options,
    })
    // A block that its own maker would refuse must not be executed, let alone sealed.
    const context = await qbftContext(chain, proposal, parent)
    for (const rule of QBFT_UNSEALED_HEADER_RULES) rule(context)

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
    const built: BuiltBlock = {
      block: {
        header: executedHeader(proposal, result, transactionsRoot),
        transactions,
        ommers: [],
        withdrawals,
      },
      senders: sendersOf(result.executed),
      receipts: result.receipts,
      rejected: source.rejected,
      stopped: source.stoppedOnes,
    }
    results.set(built, result)
    return built
  }

  /** A block that another validator proposes, checked and executed on `parent` as if it were sealed. @throws InvalidBlock */
  const verify = async (
    parent: ChainHead,
    block: Block,
    { nowMs, giveUp }: VerifyOptions,
  ): Promise<BuiltBlock> => {
    const context = await qbftContext(chain, block.header, parent, nowMs)
    for (const rule of QBFT_PROPOSAL_HEADER_RULES) rule(context)
    const result = await executeChecked(chain, parent, block, context, () => {
      const reason = giveUp?.()
      if (reason !== undefined) throw new ExecutionStopped(reason)
    })
    const built: BuiltBlock = {
      block,
      senders: sendersOf(result.executed),
      receipts: result.receipts,
      rejected: [],
      stopped: [],
    }
    results.set(built, result)
    return built
  }

  /** What is to be committed of a built block once it is sealed. @throws InvalidBlock, ChainError `NOT_BUILT_HERE` */
  const seal = async (parent: ChainHead, built: BuiltBlock, header: Header): Promise<BlockCommit> => {
    const result = results.get(built)
    if (result === undefined)
      throw new ChainError(
        'NOT_BUILT_HERE',
        'only what buildBlock or verifyBlock gave can be committed so: import other blocks',
      )
    // The on-chain hash covers everything but seals and round.
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
    return commitOf({ ...built.block, header }, hash, parent, result)
  }

  return { build, verify, seal }
}
