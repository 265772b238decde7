import type { InvalidTransaction, InvalidTransactionCode } from '../../evm/transaction/result.ts'
import { TransactionStopped } from '../execution/bounds.ts'
import type { BuildOptions, BuiltBlock } from '../chain.ts'
import type { TransactionSource } from '../execution/execution.ts'
import { OSAKA_BLOCK_BYTES_MAX } from '../rules/body.ts'
import { effectiveTip } from '../../block/transactionPrice.ts'
import type { RecoveredTransaction } from '../../block/transaction.ts'

/** Bytes reserved for the encoding of a block without its transactions, which is shorter. */
const HEADER_BYTES_RESERVED = 65_536
/** Maximum bytes of the RLP prefix of a transaction in a block. */
const ITEM_BYTES = 5
/** Minimum gas of a transaction. */
const GAS_MIN = 21_000n

/** Reasons that may not apply to a later block. All others are permanent, and the pool should drop the transaction. */
const TEMPORARY: ReadonlySet<InvalidTransactionCode> = new Set<InvalidTransactionCode>([
  'NONCE_TOO_HIGH',
  'GAS_ABOVE_BLOCK_LIMIT',
  'INSUFFICIENT_FUNDS',
  'FEE_BELOW_BASE_FEE',
])

export type CandidateOptions = Pick<
  BuildOptions,
  'candidates' | 'full' | 'minGasPrice' | 'minPriorityFee' | 'bounds' | 'observe'
>

/** `isFirst` is true while the block has no transaction. */
type Replay = { next(isFirst: boolean, gasUsed: bigint): RecoveredTransaction | undefined; skip(): void }

/** Records candidates, so that a run over the store that must be repeated starts again with the first one. */
export const recordCandidates = ({ candidates, full }: CandidateOptions): (() => Replay) => {
  const taken: (RecoveredTransaction | undefined)[] = []
  const skipped = new Set<number>()
  return () => {
    let position = 0
    return {
      next(isFirst, gasUsed) {
        if (position === taken.length) taken.push(!isFirst && full(gasUsed) ? undefined : candidates.next())
        const recovered = taken[position]
        if (recovered !== undefined) position++
        return recovered
      },
      skip() {
        const last = taken[position - 1]
        if (last === undefined || skipped.has(position - 1)) return
        skipped.add(position - 1)
        candidates.skip(last.sender)
      },
    }
  }
}

export type CandidateSource = TransactionSource & {
  readonly rejected: BuiltBlock['rejected']
  readonly stoppedTransactions: BuiltBlock['stopped']
}

/** Chooses a block's transactions from the candidates in one run. */
export const chooseCandidates = (
  replay: Replay,
  { minGasPrice, minPriorityFee = 0n, bounds, observe }: CandidateOptions,
  baseFeePerGas: bigint | undefined,
): CandidateSource => {
  const rejected: { transaction: RecoveredTransaction; reason: string }[] = []
  const stoppedTransactions: { transaction: RecoveredTransaction; reason: string }[] = []
  /** True while a transaction is executed. */
  let isRunning = false
  let bytesLeft = OSAKA_BLOCK_BYTES_MAX - HEADER_BYTES_RESERVED
  let lastBytes = 0
  /** Gas available to the first transaction. */
  let gasAtFirst: bigint | undefined
  let chosen = 0

  const fits = ({ transaction }: RecoveredTransaction, gasAvailable: bigint): boolean =>
    transaction.gasLimit <= gasAvailable &&
    transaction.encoded.length + ITEM_BYTES <= bytesLeft &&
    // The pool checked the price at admission; it is checked again, because the base fee may have fallen since.
    transaction.maxFeePerGas >= minGasPrice &&
    effectiveTip(transaction, baseFeePerGas) >= minPriorityFee

  const reject = (transaction: RecoveredTransaction, reason: string): void => {
    rejected.push({ transaction, reason })
  }

  return {
    rejected,
    stoppedTransactions,
    tracer: observe?.(),
    next(gasAvailable) {
      isRunning = false
      gasAtFirst ??= gasAvailable
      if (gasAvailable < GAS_MIN) return undefined
      for (;;) {
        const recovered = replay.next(chosen === 0, gasAtFirst - gasAvailable)
        if (recovered === undefined) return undefined
        if (recovered.transaction.type === 3) {
          reject(recovered, 'QBFT blocks cannot have blob transactions: the network does not store blobs')
          replay.skip()
        } else if (fits(recovered, gasAvailable)) {
          lastBytes = recovered.transaction.encoded.length + ITEM_BYTES
          bytesLeft -= lastBytes
          chosen++
          isRunning = true
          bounds?.begin(recovered)
          return recovered
        } else replay.skip()
      }
    },
    check(usage) {
      const reason = isRunning ? bounds?.exceeded(usage) : undefined
      if (reason !== undefined) throw new TransactionStopped(reason)
    },
    stopped(transaction, reason) {
      isRunning = false
      bytesLeft += lastBytes
      chosen--
      stoppedTransactions.push({ transaction, reason })
      replay.skip()
    },
    refuse(recovered, reason: InvalidTransaction) {
      isRunning = false
      bytesLeft += lastBytes
      chosen--
      if (!TEMPORARY.has(reason.code)) reject(recovered, reason.message)
      // The next transaction of the sender may have the right nonce.
      if (reason.code !== 'NONCE_TOO_LOW') replay.skip()
    },
  }
}
