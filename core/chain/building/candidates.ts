import type { InvalidTransaction, InvalidTransactionCode } from '../../evm/transaction/result.ts'
import { TransactionStopped } from '../execution/bounds.ts'
import type { BuildOptions, BuiltBlock } from '../chain.ts'
import type { TransactionSource } from '../execution/execution.ts'
import { OSAKA_BLOCK_BYTES_MAX } from '../rules/body.ts'
import { effectiveTip } from '../../block/transactionPrice.ts'
import type { SenderTransaction } from '../../block/transaction.ts'

/** What a block holds beside its transactions stays far below this. */
const HEADER_BYTES_RESERVED = 65_536
/** What an encoded transaction gains at most when it is put into a block: an RLP length. */
const ITEM_BYTES = 5
/** No transaction needs less. */
const GAS_MIN = 21_000n

/** Reasons that may be gone in a later block; every other one holds for good, and the pool should forget the transaction. */
const PASSING: ReadonlySet<InvalidTransactionCode> = new Set<InvalidTransactionCode>([
  'NONCE_TOO_HIGH',
  'GAS_ABOVE_BLOCK_LIMIT',
  'INSUFFICIENT_FUNDS',
  'FEE_BELOW_BASE_FEE',
])

export type CandidateOptions = Pick<
  BuildOptions,
  'candidates' | 'full' | 'minGasPrice' | 'minPriorityFee' | 'bounds'
>

/** `isFirst`: the block has no transaction yet. */
type Replay = { next(isFirst: boolean): SenderTransaction | undefined; skip(): void }

/** Candidates that can be gone through again from the first: a run over a store is repeated when something was missing. */
export const recordCandidates = ({ candidates, full }: CandidateOptions): (() => Replay) => {
  const taken: (SenderTransaction | undefined)[] = []
  const skipped = new Set<number>()
  return () => {
    let position = 0
    return {
      next(isFirst) {
        if (position === taken.length) taken.push(!isFirst && full() ? undefined : candidates.next())
        const sent = taken[position]
        if (sent !== undefined) position++
        return sent
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
  readonly stoppedOnes: BuiltBlock['stopped']
}

/** Chooses a block's transactions from the candidates, one run of it. */
export const chooseCandidates = (
  replay: Replay,
  { minGasPrice, minPriorityFee = 0n, bounds }: CandidateOptions,
  baseFeePerGas: bigint | undefined,
): CandidateSource => {
  const rejected: { transaction: SenderTransaction; reason: string }[] = []
  const stoppedOnes: { transaction: SenderTransaction; reason: string }[] = []
  /** While a transaction runs that may be stopped. */
  let isRunning = false
  let bytesLeft = OSAKA_BLOCK_BYTES_MAX - HEADER_BYTES_RESERVED
  let lastBytes = 0
  let chosen = 0

  const fits = ({ transaction }: SenderTransaction, gasAvailable: bigint): boolean =>
    transaction.gasLimit <= gasAvailable &&
    transaction.encoded.length + ITEM_BYTES <= bytesLeft &&
    // The pool asks what a transaction pays when it comes; the base fee that falls meanwhile leaves nothing behind.
    transaction.maxFeePerGas >= minGasPrice &&
    effectiveTip(transaction, baseFeePerGas) >= minPriorityFee

  const reject = (transaction: SenderTransaction, reason: string): void => {
    rejected.push({ transaction, reason })
  }

  return {
    rejected,
    stoppedOnes,
    next(gasAvailable) {
      isRunning = false
      if (gasAvailable < GAS_MIN) return undefined
      for (;;) {
        const sent = replay.next(chosen === 0)
        if (sent === undefined) return undefined
        if (sent.transaction.type === 3) {
          reject(sent, 'blob transactions are not put into QBFT blocks: nothing keeps their blobs there')
          replay.skip()
        } else if (fits(sent, gasAvailable)) {
          lastBytes = sent.transaction.encoded.length + ITEM_BYTES
          bytesLeft -= lastBytes
          chosen++
          isRunning = true
          bounds?.begin(sent)
          return sent
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
      stoppedOnes.push({ transaction, reason })
      replay.skip()
    },
    refuse(sent, reason: InvalidTransaction) {
      isRunning = false
      bytesLeft += lastBytes
      chosen--
      if (!PASSING.has(reason.code)) reject(sent, reason.message)
      // The next one of the sender may be the one whose nonce is due.
      if (reason.code !== 'NONCE_TOO_LOW') replay.skip()
    },
  }
}
