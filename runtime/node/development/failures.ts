import { toHex } from '../../../core/bytes/hex.ts'
import type { BuiltBlock } from '../../../core/chain/chain.ts'
import type { Receipt } from '../../../core/block/receipt.ts'
import { revertText } from '../../../handlers/rpc/simulation/outcome.ts'
import type { Log } from '../../logging/log.ts'

/** Failed transactions of one block that are logged. */
const LOGGED_MAX = 20

/** Bytes of revert data that are shown. */
const DATA_BYTES_MAX = 256

/** Why a transaction failed; a receipt does not tell one halt from another. */
const reasonOf = ({ revertReason, gasUsed }: Receipt): string => {
  if (revertReason === undefined)
    return `it halted and used all its gas, ${gasUsed} (debug_traceTransaction shows where)`
  if (revertReason.length === 0) return 'it reverted without a reason'
  const text = revertText(revertReason)
  return text === undefined
    ? `it reverted with the data ${toHex(revertReason.subarray(0, DATA_BYTES_MAX))}`
    : `it reverted: ${JSON.stringify(text)}`
}

/** Logs the transactions of a block that failed, with the reason. */
export const logFailures = (log: Log, { block, receipts }: Pick<BuiltBlock, 'block' | 'receipts'>): void => {
  const failed = receipts.flatMap((receipt, index) => (receipt.status === false ? [index] : []))
  for (const index of failed.slice(0, LOGGED_MAX))
    log.warn('Transaction {hash} failed: {reason}', {
      hash: toHex(block.transactions[index]?.hash as Uint8Array),
      reason: reasonOf(receipts[index] as Receipt),
    })
  if (failed.length > LOGGED_MAX)
    log.warn('{count} more transactions of the block failed', { count: failed.length - LOGGED_MAX })
}
