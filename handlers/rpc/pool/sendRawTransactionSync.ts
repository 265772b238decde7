import { equalBytes, type Hash } from '../../../core/bytes/bytes.ts'
import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import type { RpcContext } from '../context.ts'
import { RpcError } from '../errors.ts'
import { findMined } from '../blocks/mined.ts'
import type { Call } from '../method.ts'
import { given, integerOf, required } from '../parameters/values.ts'
import { readSent, submitSent } from './sendRawTransaction.ts'
import { receiptShape } from '../shapes/receipt.ts'

/** Default wait of a request. */
const WAIT_MS = 20_000
/** Maximum wait as a fraction of the request timeout: the answer needs the rest. */
const WAIT_PART_MAX = 0.9
/** Maximum number of waiting requests: each holds a connection open and costs a lookup at every head. */
const SYNC_WAITERS_MAX = 1_000

/** Number of waiting requests by chain. */
const waiting = new WeakMap<Chain, number>()

/** EIP-7966: rejects a transaction with a nonce gap and reports the next nonce, from pool and state. */
const requireNoGap = async (
  { chain, pool }: RpcContext,
  { transaction, sender }: RecoveredTransaction,
): Promise<void> => {
  const next =
    pool.nextNonce(sender) ??
    (await chain.store.run(
      () => chain.store.stateAt(chain.head().header.number).account(sender)?.nonce ?? 0n,
    ))
  if (transaction.nonce > next)
    throw new RpcError('SEND_SYNC_NONCE_GAP', {
      detail: `nonce ${transaction.nonce}, the next one is ${next}`,
      data: toQuantity(next),
    })
}

/**
 * Resolves at a head that may contain the transaction; false at the timeout. @throws RpcError when the pool drops it
 */
const createWatch = (
  { chain, pool }: RpcContext,
  hash: Hash,
  waitMs: number,
): { next(): Promise<boolean>; stop(): void } => {
  let wake: () => void = () => undefined
  let heads = 0
  let late = false
  let dropped = false
  const stops = [
    chain.onHead(() => {
      heads++
      wake()
    }),
    pool.onDropped(({ transaction }) => {
      if (!equalBytes(transaction.hash, hash)) return
      dropped = true
      wake()
    }),
  ]
  const timer = setTimeout(() => {
    late = true
    wake()
  }, waitMs)
  return {
    next: async () => {
      if (heads === 0 && !late && !dropped)
        await new Promise<void>(resolve => {
          wake = resolve
        })
      if (heads > 0) heads = 0
      else if (dropped) throw new RpcError('SEND_SYNC_DROPPED', { data: toHex(hash) })
      return !late
    },
    stop: () => {
      clearTimeout(timer)
      for (const stop of stops) stop()
    },
  }
}

/** Reads how long a request waits for its receipt, milliseconds. */
export const readWait = (value: unknown, { options }: RpcContext): number => {
  const longest = Math.floor(options.timeoutMs * WAIT_PART_MAX)
  const requested = value === undefined ? WAIT_MS : Number(required(integerOf(value, 53), 'INVALID_TIMEOUT'))
  return Math.min(requested, longest)
}

/** eth_sendRawTransactionSync (EIP-7966): sends a transaction and returns its receipt once a block contains it. */
export const sendRawTransactionSync = async (call: Call, context: RpcContext): Promise<unknown> => {
  const { params, expired } = call
  if (params.length > 2)
    throw new RpcError('INVALID_PARAM_COUNT', { data: `1 or 2 expected, not ${params.length}` })
  const waitMs = readWait(given(params, 1), context)
  const sent = await readSent(params.slice(0, 1), context)
  return sendAndWait(sent, waitMs, expired, context)
}

/** Sends a transaction and returns its receipt. @param submit adds it to the pool, and may produce its block */
export const sendAndWait = async (
  sent: RecoveredTransaction,
  waitMs: number,
  expired: () => boolean,
  context: RpcContext,
  submit: () => Promise<unknown> = () => submitSent(sent, context),
): Promise<unknown> => {
  await requireNoGap(context, sent)
  const count = waiting.get(context.chain) ?? 0
  if (count >= SYNC_WAITERS_MAX) throw new RpcError('SEND_SYNC_TOO_MANY')
  const { hash } = sent.transaction
  // Created before the submission, as the next block may already contain the transaction.
  const watch = createWatch(context, hash, waitMs)
  waiting.set(context.chain, count + 1)
  try {
    await submit()
    while ((await watch.next()) && !expired()) {
      const mined = await findMined(context, hash)
      if (mined !== undefined) return receiptShape(mined.record, mined.index, context.options)
    }
    throw new RpcError('SEND_SYNC_TIMEOUT', { data: toHex(hash) })
  } finally {
    watch.stop()
    waiting.set(context.chain, (waiting.get(context.chain) ?? 1) - 1)
  }
}
