import type { Hash } from '../../bytes/bytes.ts'
import type { BlockCommit, ChainHead } from '../../store/store.ts'
import { MEMORY_BYTES_MAX, MemoryUnavailable } from '../../evm/interpreter/memory.ts'
import { type Watch, withWatch } from '../../evm/interpreter/runLimit.ts'
import type { Block } from '../../block/block.ts'
import type { ImportOptions } from '../chain.ts'
import { CHECK_GAS } from '../execution/bounds.ts'
import { blockHashesAfter } from '../execution/environment.ts'
import {
  type ExecutionInput,
  type ExecutionResult,
  executionSteps,
  sendersOf,
} from '../execution/execution.ts'
import { SystemContractFailure } from '../execution/requests.ts'
import { createReadMemo, type ReadMemo } from './readMemo.ts'
import type { HeaderContext } from '../rules/context.ts'
import { ancestry } from '../rules/header.ts'
import { InvalidBlock } from '../rules/invalidBlock.ts'
import { checkOutcome } from '../rules/outcome.ts'
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

/**
 * Executes a block on `parent`, the head, with other work between the slices; begins again, with a source of its own, when the
 * store had to load. `giveUp` is asked again and again, and throws where the execution is to end.
 */
export const executeOn = async <Source extends ExecutionInput['transactions']>(
  { configuration, store, pause, isPauseDue }: ChainContext,
  parent: ChainHead,
  block: Pick<ExecutionInput, 'rules' | 'header' | 'ommers' | 'withdrawals'>,
  begin: () => Source,
  giveUp: () => void = goOn,
  /** For a parent below the head, whose trie is not there any more. */
  past?: Pick<ExecutionInput, 'nodes' | 'blockHash'>,
): Promise<{ readonly result: ExecutionResult; readonly source: Source }> => {
  let memo: ReadMemo | undefined
  const start = () => {
    const source = begin()
    const reads = { reader: store.stateAt(parent.header.number), nodes: store.nodes() }
    const steps = executionSteps({
      ...block,
      ...(memo === undefined ? reads : memo.over(reads)),
      configuration,
      transactions: source,
      parentStateRoot: parent.header.stateRoot,
      blockHash: blockHashesAfter(parent, number => store.recentHash(number)),
      ...past,
    })
    return { source, steps }
  }
  let run = start()
  const watch: Watch = {
    gas: CHECK_GAS,
    check: usage => {
      giveUp()
      run.source.check?.(usage)
    },
    isPauseDue,
  }
  let isInterrupted = false
  for (;;) {
    const step = await store.run(() => {
      // What the store had to load is at hand within this call alone.
      if (isInterrupted) {
        memo ??= createReadMemo()
        memo.readMissing()
        run = start()
      }
      isInterrupted = true
      const next = withWatch(watch, () => run.steps.next())
      isInterrupted = false
      return next
    })
    if (step.done === true) return { result: step.value, source: run.source }
    await pause()
    giveUp()
  }
}

const goOn = (): void => undefined

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

/** @throws InvalidBlock, or MemoryUnavailable where the result may differ for the memory that a transaction did not get */
const checkHeldOutcome = (block: Block, result: ExecutionResult): void => {
  try {
    checkOutcome(block, result)
  } catch (error) {
    if (!result.isMemoryMissing) throw error
    throw new MemoryUnavailable(
      `block ${block.header.number} needs more than ${MEMORY_BYTES_MAX} bytes of memory for one transaction, which this client cannot hold`,
      { cause: error },
    )
  }
}

/** Holds a block whose header passed against the rules of bodies, executes it on `parent` and compares. @throws InvalidBlock, MemoryUnavailable, and what `giveUp` throws */
export const executeChecked = async (
  chain: ChainContext,
  parent: ChainHead,
  block: Block,
  context: HeaderContext,
  giveUp?: () => void,
): Promise<ExecutionResult> => {
  const isLarge = block.transactions.length >= PAUSED_TRANSACTIONS
  if (isLarge) await chain.pause()
  await checkBody(chain, block, context)
  if (isLarge) await chain.pause()
  const sent = await withSenders(chain, block)
  try {
    const { result } = await executeOn(
      chain,
      parent,
      { ...block, rules: context.rules },
      () => bodySource(block.header, sent),
      giveUp,
    )
    checkHeldOutcome(block, result)
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
