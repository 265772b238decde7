import type { SelectionBounds } from '../../core/chain/execution/bounds.ts'
import type { SenderTransaction } from '../../core/block/transaction.ts'
import type { Usage } from '../../core/evm/interpreter/runLimit.ts'

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

/** Maximum log bytes of one transaction, whose receipt is hashed in one step. A gas limit of 30 million pays for less. */
const LOG_BYTES_MAX = 4 * 1024 * 1024

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
  /** True if the block takes no more transactions. */
  readonly isFull: () => boolean
}

/** Bounds one selection of transactions that should end at `endMs`, milliseconds since 1970. */
export const createSelectionBounds = (
  endMs: number,
  isDeferred: (sent: SenderTransaction) => boolean,
  nowMs: () => number = Date.now,
): SelectionClock => {
  /** Work that the previous transactions cause after the selection. */
  let owedMs = 0
  let ownMs = 0
  let begunMs = 0
  let allowedMs = 0
  let blockBytes = 0
  return {
    isFull: () => nowMs() + owedMs + ownMs >= endMs || blockBytes >= BLOCK_MEMORY_BYTES_MAX,
    begin: sent => {
      owedMs += ownMs
      ownMs = 0
      begunMs = nowMs()
      const leftMs = endMs - begunMs - owedMs
      allowedMs = isDeferred(sent)
        ? Math.max(leftMs, SECOND_MS_MIN)
        : Math.max(leftMs * FIRST_SHARE, FIRST_MS_MIN)
    },
    exceeded: usage => {
      const tookMs = nowMs() - begunMs
      const usedMs = tookMs + laterMs(usage)
      blockBytes = usage.blockMemoryBytes
      if (usage.memoryBytes > MEMORY_BYTES_MAX) {
        ownMs = 0
        return `it needs more than ${MEMORY_BYTES_MAX / 2 ** 20} MB of memory`
      }
      if (usage.logBytes > LOG_BYTES_MAX) {
        ownMs = 0
        return `its logs take more than ${LOG_BYTES_MAX / 2 ** 20} MB`
      }
      if (usedMs > allowedMs) {
        ownMs = 0
        return tookMs > allowedMs
          ? `it ran for more than ${Math.round(allowedMs)} ms`
          : `its ${usage.logs} logs and ${usage.changes} changes would take more than ${Math.round(allowedMs)} ms`
      }
      ownMs = laterMs(usage)
      return undefined
    },
  }
}
