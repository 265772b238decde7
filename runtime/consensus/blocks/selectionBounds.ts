import type { SelectionBounds } from '../../../core/chain/execution/bounds.ts'
import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import type { Usage } from '../../../core/evm/interpreter/runLimit.ts'

/**
 * The share of the remaining time that a transaction may take in its first attempt, so that several endless ones leave time
 * for others. A second attempt comes after all others and may take all remaining time.
 */
const FIRST_SHARE = 1 / 4

/** Minimum time of an attempt: a busy machine must not make an ordinary transaction look slow. */
const FIRST_MS_MIN = 100
const SECOND_MS_MIN = 500

/** Maximum memory of a transaction. A gas limit of 30 million pays for some 10 MB; several nodes may share a machine. */
const MEMORY_BYTES_MAX = 256 * 1024 * 1024

/** Memory at which a block takes no more transactions. */
const BLOCK_MEMORY_BYTES_MAX = 512 * 1024 * 1024

/** Maximum log bytes of one transaction. A gas limit of 30 million pays for less. */
const LOG_BYTES_MAX = 4 * 1024 * 1024

/** Log bytes at which a block takes no more transactions: each node and each reader of its receipts has all of them in memory. */
const BLOCK_LOG_BYTES_MAX = 8 * 1024 * 1024

/**
 * Measured cost, rounded up, of the work after execution: a state change updates the trie and the store, a log is added to
 * the filter, encoded and indexed.
 */
const CHANGE_MS = 0.02
const LOG_MS = 0.01
const LOG_BYTE_MS = 0.0001
/** Changes of an ordinary transaction, which are covered by the selection time. */
const FREE_CHANGES = 2048

const laterMs = ({ changes, logs, logBytes }: Usage): number =>
  Math.max(0, changes - FREE_CHANGES) * CHANGE_MS + logs * LOG_MS + logBytes * LOG_BYTE_MS

export type SelectionClock = SelectionBounds & {
  /** True if the block takes no more transactions; `gasUsed` is that of those it has. */
  readonly isFull: (gasUsed: bigint) => boolean
}

/** Where a selection ends, after at least one transaction. */
export type SelectionEnds = {
  /** Milliseconds since 1970. */
  readonly atMs: number
  /** Undefined for no other limit than that of the block. */
  readonly atGas: bigint | undefined
}

type Selection = {
  readonly ends: SelectionEnds
  readonly nowMs: () => number
  /** Work and log bytes that the previous transactions cause after the selection. */
  owedMs: number
  owedLogBytes: number
  /** The same of the current one. */
  ownMs: number
  ownLogBytes: number
  begunMs: number
  allowedMs: number
  blockMemoryBytes: number
}

const isFull = (selection: Selection, gasUsed: bigint): boolean =>
  (selection.ends.atGas !== undefined && gasUsed >= selection.ends.atGas) ||
  selection.nowMs() + selection.owedMs + selection.ownMs >= selection.ends.atMs ||
  selection.blockMemoryBytes >= BLOCK_MEMORY_BYTES_MAX ||
  selection.owedLogBytes + selection.ownLogBytes >= BLOCK_LOG_BYTES_MAX

const begin = (selection: Selection, isDeferred: boolean): void => {
  selection.owedMs += selection.ownMs
  selection.owedLogBytes += selection.ownLogBytes
  selection.ownMs = 0
  selection.ownLogBytes = 0
  selection.begunMs = selection.nowMs()
  const leftMs = selection.ends.atMs - selection.begunMs - selection.owedMs
  selection.allowedMs = isDeferred
    ? Math.max(leftMs, SECOND_MS_MIN)
    : Math.max(leftMs * FIRST_SHARE, FIRST_MS_MIN)
}

/** Why the current transaction has to end, undefined while it may go on. */
const reasonToStop = ({ nowMs, begunMs, allowedMs }: Selection, usage: Usage): string | undefined => {
  const tookMs = nowMs() - begunMs
  if (usage.memoryBytes > MEMORY_BYTES_MAX)
    return `it needs more than ${MEMORY_BYTES_MAX / 2 ** 20} MB of memory`
  if (usage.logBytes > LOG_BYTES_MAX) return `its logs take more than ${LOG_BYTES_MAX / 2 ** 20} MB`
  if (tookMs + laterMs(usage) <= allowedMs) return undefined
  return tookMs > allowedMs
    ? `it ran for more than ${Math.round(allowedMs)} ms`
    : `its ${usage.logs} logs and ${usage.changes} changes would take more than ${Math.round(allowedMs)} ms`
}

/** Bounds one selection of transactions. */
export const createSelectionBounds = (
  ends: SelectionEnds,
  isDeferred: (recovered: RecoveredTransaction) => boolean,
  nowMs: () => number = Date.now,
): SelectionClock => {
  const selection: Selection = {
    ends,
    nowMs,
    owedMs: 0,
    owedLogBytes: 0,
    ownMs: 0,
    ownLogBytes: 0,
    begunMs: 0,
    allowedMs: 0,
    blockMemoryBytes: 0,
  }
  return {
    isFull: gasUsed => isFull(selection, gasUsed),
    begin: recovered => begin(selection, isDeferred(recovered)),
    exceeded: usage => {
      const reason = reasonToStop(selection, usage)
      selection.blockMemoryBytes = usage.blockMemoryBytes
      // A stopped transaction is not in the block, so it causes no later work.
      selection.ownMs = reason === undefined ? laterMs(usage) : 0
      selection.ownLogBytes = reason === undefined ? usage.logBytes : 0
      return reason
    },
  }
}
