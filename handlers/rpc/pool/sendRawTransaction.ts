import type { Address, Hash } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import { DecodeError } from '../../../core/block/codec/error.ts'
import {
  decodeNetworkTransaction,
  type NetworkTransaction,
} from '../../../core/block/codec/networkTransaction.ts'
import { SECP256K1_ORDER } from '../../../core/block/codec/signature.ts'
import type { RecoveredTransaction, Transaction } from '../../../core/block/transaction.ts'
import { forkIsAtLeast } from '../../../core/genesis/fork.ts'
import { verifySidecar } from '../../../core/txpool/blobs/sidecar.ts'
import { TransactionRejected } from '../../../core/txpool/rejection.ts'
import type { RpcContext } from '../context.ts'
import type { Outcome } from '../dispatch/envelope.ts'
import { errorObject, rejectionObject, RpcError } from '../errors.ts'
import type { Call, Params } from '../method.ts'
import { nextHeadOf } from '../fees/nextHead.ts'
import { bytesOf, requireCount } from '../parameters/values.ts'

const isSigned = ({ r, s }: Transaction): boolean =>
  r > 0n && r < SECP256K1_ORDER && s > 0n && s < SECP256K1_ORDER

const unreadable = (detail: string, cause?: unknown): RpcError =>
  new RpcError('INVALID_PARAMS', { detail, cause })

/** Decodes a signed transaction of a known type. @throws RpcError with the reason */
export const decodeSigned = (value: unknown): NetworkTransaction => {
  const bytes = bytesOf(value)
  if (bytes === undefined) throw unreadable('transaction: must be bytes in hex with an even number of digits')
  try {
    const pooled = decodeNetworkTransaction(bytes)
    if (isSigned(pooled.transaction)) return pooled
  } catch (cause) {
    if (cause instanceof DecodeError) throw unreadable(cause.message, cause)
    throw cause
  }
  throw unreadable('transaction: not signed; r and s must be from 1 to the order of secp256k1 minus 1')
}

const decode = (params: Params): NetworkTransaction => {
  requireCount(params, 1)
  return decodeSigned(params[0])
}

type Prepared = Transaction | RpcError | TransactionRejected

/**
 * A blob transaction with valid blobs. The blobs are not kept: on chains whose blocks contain blob transactions this node
 * produces no blocks, and where it produces blocks the pool rejects such transactions.
 */
const withBlobs = async (
  { transaction, sidecar }: NetworkTransaction,
  context: RpcContext,
): Promise<Prepared> => {
  const { rules, acceptsBlobs } = nextHeadOf(context)
  if (!acceptsBlobs) return transaction
  if (sidecar === undefined)
    return new TransactionRejected('INVALID_TYPE', 'a blob transaction must be sent with its blobs')
  if (sidecar.version === 1 && !forkIsAtLeast(rules.fork, 'osaka'))
    return new TransactionRejected(
      'INVALID_TYPE',
      `cell proofs are valid since osaka, not with ${rules.fork}`,
    )
  const isValid = await verifySidecar(transaction, sidecar, context.scheduler.createYield())
  return isValid ? transaction : new RpcError('BLOBS_INVALID')
}

/** The transaction of one call, or the reason of its rejection; a promise only where blobs must be checked. */
const prepare = (params: Params, context: RpcContext): Prepared | Promise<Prepared> => {
  try {
    const pooled = decode(params)
    const { transaction } = pooled
    // Checked before the expensive recovery of the sender; this is also Besu's first check.
    if (context.pool.get(transaction.hash) !== undefined)
      return new TransactionRejected('ALREADY_KNOWN', 'the transaction is already in the pool')
    return transaction.type === 3 ? withBlobs(pooled, context) : transaction
  } catch (error) {
    if (error instanceof RpcError) return error
    throw error
  }
}

const refusal = (error: RpcError | TransactionRejected): Outcome => ({
  error: error instanceof RpcError ? errorObject(error) : rejectionObject(error),
})

/** The hash of an accepted transaction, or the reason of its rejection. */
export type Submitted = Hash | RpcError | TransactionRejected

/** Recovers all senders together, then adds the transactions to the pool in order. */
export const submitAll = async (
  all: readonly Params[],
  context: RpcContext,
): Promise<readonly Submitted[]> => {
  const prepared: Prepared[] = []
  for (const params of all) {
    const one = prepare(params, context)
    prepared.push(one instanceof Promise ? await one : one)
  }
  const transactions = prepared.filter((one): one is Transaction => !(one instanceof Error))
  const senders = await context.recoverSenders(transactions)
  const signed: RecoveredTransaction[] = []
  transactions.forEach((transaction, index) => {
    const sender: Address | undefined = senders[index]
    if (sender !== undefined) signed.push({ transaction, sender })
  })
  const rejections = await context.submit(signed)
  let recovered = 0
  let submitted = 0
  return prepared.map(one => {
    if (one instanceof Error) return one
    if (senders[recovered++] === undefined) return new RpcError('INVALID_SIGNATURE')
    return rejections[submitted++] ?? one.hash
  })
}

export const sendRawTransactions = async (
  calls: readonly Call[],
  context: RpcContext,
): Promise<readonly Outcome[]> => {
  const submitted = await submitAll(
    calls.map(({ params }) => params),
    context,
  )
  return submitted.map(one => (one instanceof Error ? refusal(one) : { result: toHex(one) }))
}

/** The sent transaction and its sender, before it enters the pool. @throws RpcError, TransactionRejected */
export const readSent = async (params: Params, context: RpcContext): Promise<RecoveredTransaction> => {
  const transaction = await prepare(params, context)
  if (transaction instanceof Error) throw transaction
  const [sender] = await context.recoverSenders([transaction])
  if (sender === undefined) throw new RpcError('INVALID_SIGNATURE')
  return { transaction, sender }
}

/** Adds one transaction to the pool. @throws TransactionRejected */
export const submitSent = async (sent: RecoveredTransaction, context: RpcContext): Promise<void> => {
  const [rejection] = await context.submit([sent])
  if (rejection !== undefined) throw rejection
}

export const sendRawTransaction = async ({ params }: Call, context: RpcContext): Promise<string> => {
  const sent = await readSent(params, context)
  await submitSent(sent, context)
  return toHex(sent.transaction.hash)
}
