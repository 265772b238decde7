import type { Hash } from '../../bytes/bytes.ts'
import type { BlockCommit, ChainHead } from '../../store/store.ts'
import { MEMORY_BYTES_MAX, MemoryUnavailable } from '../../evm/interpreter/memory.ts'
import { type RunLimit, type Usage, withRunLimit } from '../../evm/interpreter/runLimit.ts'
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
import { withTransition } from '../rules/transitionReading.ts'
import {
  bodySource,
  type ChainContext,
  checkBody,
  checkHeader,
  hashOfHeader,
  headerContext,
  withSenders,
} from './validation.ts'

/** Transactions from which execution pauses before and after the body check, which takes some 4 us for each. */
const PAUSING_TRANSACTIONS = 200

/**
 * Executes a block on `parent`, the head, and pauses between slices. Starts again with a new source after the store had to
 * load entries.
 * @param begin creates the source of transactions
 * @param giveUp called repeatedly; throws to end the execution
 * @param past replaces the trie and block hashes for a parent below the head, whose trie no longer exists
 */
export const executeOn = async <Source extends ExecutionInput['transactions']>(
  { configuration, store, pause, isPauseDue, executionBytesMax, editsAfter }: ChainContext,
  parent: ChainHead,
  block: Pick<ExecutionInput, 'rules' | 'header' | 'ommers' | 'withdrawals'>,
  begin: () => Source,
  giveUp: (usage: Usage) => void = neverGiveUp,
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
      blockHash: blockHashesAfter(parent, number => store.recentHash(number) ?? store.pastHash?.(number)),
      edits: editsAfter(parent.header.number),
      ...past,
    })
    return { source, steps }
  }
  let run = start()
  const limit: RunLimit = {
    gas: CHECK_GAS,
    check: usage => {
      used = usage
      giveUp(usage)
      run.source.check?.(usage)
      if (usage.blockMemoryBytes > executionBytesMax) throw tooLarge(block.header.number, executionBytesMax)
    },
    isPauseDue,
  }
  let used = NOTHING_USED
  let isInterrupted = false
  for (;;) {
    const step = await store.run(() => {
      // The entries that the store had to load are only available within this call.
      if (isInterrupted) {
        memo ??= createReadMemo()
        memo.readMissing()
        run = start()
      }
      isInterrupted = true
      const next = withRunLimit(limit, () => run.steps.next())
      isInterrupted = false
      return next
    })
    if (step.done === true) return { result: step.value, source: run.source }
    await pause()
    giveUp(used)
  }
}

const neverGiveUp = (): void => undefined

const NOTHING_USED: Usage = { memoryBytes: 0, blockMemoryBytes: 0, logs: 0, logBytes: 0, changes: 0 }

const tooLarge = (number: bigint, bytes: number, cause?: unknown): MemoryUnavailable =>
  new MemoryUnavailable(
    `block ${number} needs more than ${bytes} bytes of memory, the most that this client can use`,
    { cause },
  )

/** The commit of a block that was executed on `parent`. */
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

/** @throws InvalidBlock; MemoryUnavailable when missing memory may have changed the result */
const checkHeldOutcome = (block: Block, result: ExecutionResult): void => {
  try {
    checkOutcome(block, result)
  } catch (error) {
    if (!result.isMemoryMissing) throw error
    throw tooLarge(block.header.number, MEMORY_BYTES_MAX, error)
  }
}

/**
 * Checks the body of a block with a valid header, executes it on `parent`, and compares the result with the header.
 * @throws InvalidBlock, MemoryUnavailable, and what `giveUp` throws
 */
export const executeChecked = async (
  chain: ChainContext,
  parent: ChainHead,
  block: Block,
  context: HeaderContext,
  giveUp?: (usage: Usage) => void,
): Promise<ExecutionResult> => {
  const isLarge = block.transactions.length >= PAUSING_TRANSACTIONS
  if (isLarge) await chain.pause()
  await checkBody(chain, block, context)
  if (isLarge) await chain.pause()
  const recovered = await withSenders(chain, block)
  try {
    const { result } = await executeOn(
      chain,
      parent,
      { ...block, rules: context.rules },
      () => bodySource(block.header, recovered),
      giveUp,
    )
    checkHeldOutcome(block, result)
    return result
  } catch (error) {
    throw asInvalid(block, error)
  }
}

/** True for a block that is already on the chain. */
export const isKnown = async (
  { store }: ChainContext,
  head: ChainHead,
  number: bigint,
  hash: Hash,
): Promise<boolean> => number <= head.header.number && (await store.numberOfHash(hash)) === number

/**
 * Checks a block by all rules and executes it. Returns its commit, undefined if it is already on the chain.
 * @throws InvalidBlock
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
  const check = async (by: ChainContext): Promise<ExecutionResult> => {
    const context = headerContext(by, header, head, nowMs)
    await checkHeader(by, context)
    return executeChecked(by, head, block, context)
  }
  const context = headerContext(chain, header, head, nowMs)
  ancestry(context)
  try {
    return commitOf(block, hash, head, await check(chain))
  } catch (error) {
    throw await withTransition(context, error, configuration => check({ ...chain, configuration }))
  }
}
