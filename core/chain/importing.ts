import type { Hash } from '../bytes/bytes.ts'
import type { BlockCommit, ChainHead } from '../store/store.ts'
import { inOneGo } from '../steps.ts'
import type { Block } from './block.ts'
import type { ImportOptions } from './chain.ts'
import { blockHashesAfter } from './environment.ts'
import { type ExecutionInput, type ExecutionResult, executionSteps, sendersOf } from './execution.ts'
import { SystemContractFailure } from './requests.ts'
import type { HeaderContext } from './rules/context.ts'
import { ancestry } from './rules/header.ts'
import { InvalidBlock } from './rules/invalidBlock.ts'
import { checkOutcome } from './rules/outcome.ts'
import {
  bodySource,
  type ChainContext,
  checkBody,
  checkHeader,
  hashOfHeader,
  headerContext,
  withSenders,
} from './validation.ts'

/** From so many transactions on, other work has its turn before the body is checked and after: each step costs some 4 us for each. */
const PAUSED_TRANSACTIONS = 200

/** Executes a block on `parent`, the head, pausing between slices; begins again, with a source of its own, when the store had to load. */
export const executeOn = async <Source extends ExecutionInput['transactions']>(
  { configuration, store, pause }: ChainContext,
  parent: ChainHead,
  block: Pick<ExecutionInput, 'rules' | 'header' | 'ommers' | 'withdrawals'>,
  begin: () => Source,
): Promise<{ readonly result: ExecutionResult; readonly source: Source }> => {
  const start = () => {
    const source = begin()
    const steps = executionSteps({
      ...block,
      configuration,
      transactions: source,
      parentStateRoot: parent.header.stateRoot,
      reader: store.stateAt(parent.header.number),
      nodes: store.nodes(),
      blockHash: blockHashesAfter(parent, number => store.recentHash(number)),
    })
    return { source, steps }
  }
  let run = start()
  let isInterrupted = false
  let hasMissed = false
  for (;;) {
    const step = await store.run(() => {
      // What the store had to load is at hand within this call alone, so from here on the block is executed in one go.
      if (isInterrupted) {
        hasMissed = true
        run = start()
      }
      isInterrupted = true
      const next = hasMissed ? ({ done: true, value: inOneGo(run.steps) } as const) : run.steps.next()
      isInterrupted = false
      return next
    })
    if (step.done === true) return { result: step.value, source: run.source }
    await pause()
  }
}

/** What the store keeps of a block that was executed on `parent`. */
export const commitOf = (
  block: Block,
  hash: Uint8Array,
  parent: ChainHead,
  result: ExecutionResult,
): BlockCommit => ({
  block,
  hash,
  totalDifficulty: parent.totalDifficulty + block.header.difficulty,
  senders: sendersOf(result.executed),
  receipts: result.receipts,
  changes: result.changes,
  nodes: result.nodes,
})

const asInvalid = (block: Block, cause: unknown): unknown =>
  cause instanceof SystemContractFailure
    ? new InvalidBlock(block.header, 'system-contract', 'working system contracts', cause.message, { cause })
    : cause

/** Holds a block whose header passed against the rules of bodies, executes it on `parent` and compares. @throws InvalidBlock */
export const executeChecked = async (
  chain: ChainContext,
  parent: ChainHead,
  block: Block,
  context: HeaderContext,
): Promise<ExecutionResult> => {
  const isLarge = block.transactions.length >= PAUSED_TRANSACTIONS
  if (isLarge) await chain.pause()
  await checkBody(chain, block, context)
  if (isLarge) await chain.pause()
  const sent = await withSenders(chain, block)
  try {
    const { result } = await executeOn(chain, parent, { ...block, rules: context.rules }, () =>
      bodySource(block.header, sent),
    )
    checkOutcome(block, result)
    return result
  } catch (error) {
    throw asInvalid(block, error)
  }
}

/** True for a block that is on the chain already. */
export const isKnown = async (
  { store }: ChainContext,
  head: ChainHead,
  number: bigint,
  hash: Hash,
): Promise<boolean> => number <= head.header.number && (await store.numberOfHash(hash)) === number

/**
 * Holds a block against every rule, executes it, and gives what is to be committed; undefined for one that is on the
 * chain already. @throws InvalidBlock
 */
export const validateBlock = async (
  chain: ChainContext,
  head: ChainHead,
  block: Block,
  { nowMs }: ImportOptions,
): Promise<BlockCommit | undefined> => {
  const { header } = block
  const hash = hashOfHeader(chain.configuration, header)
  if (await isKnown(chain, head, header.number, hash)) return undefined
  const context = headerContext(chain, header, head, nowMs)
  ancestry(context)
  await checkHeader(chain, context)
  return commitOf(block, hash, head, await executeChecked(chain, head, block, context))
}
