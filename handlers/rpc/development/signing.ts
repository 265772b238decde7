import { isObject } from '../../../core/json.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import type { Address, Hash } from '../../../core/bytes/bytes.ts'
import { signatureToBytes65 } from '../../../core/crypto/recovery.ts'
import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import type { RpcContext } from '../context.ts'
import { RpcError } from '../errors.ts'
import type { Call, Params } from '../method.ts'
import { given, prefixedBytesOf, required, requireAddress } from '../parameters/values.ts'
import { fillCall } from '../pool/fillTransaction.ts'
import { submitSent } from '../pool/sendRawTransaction.ts'
import { readWait, sendAndWait } from '../pool/sendRawTransactionSync.ts'
import type { RpcDevelopment } from './development.ts'
import { messageHash, typedDataHash } from './typedData.ts'

/** @throws RpcError on any other chain */
export const developmentOf = ({ development }: RpcContext): RpcDevelopment =>
  required(development, 'METHOD_NOT_ENABLED')

/** The signature as 65 bytes r, s and v, where v is 27 or 28, as wallets return it. */
const signed = (context: RpcContext, account: Address, hash: Hash): string => {
  const signature = required(developmentOf(context).signHash(account, hash), 'UNKNOWN_ACCOUNT')
  const bytes = signatureToBytes65(signature)
  bytes[64] = 27 + signature.yParity
  return toHex(bytes)
}

const messageAt = (params: Params, index: number): Uint8Array =>
  required(prefixedBytesOf(given(params, index)), 'INVALID_PARAMS')

/** eth_sign: account, then message. */
export const signMessage = ({ params }: Call, context: RpcContext): string =>
  signed(context, requireAddress(params, 0), messageHash(messageAt(params, 1)))

/** personal_sign: message, then account. */
export const personalSign = ({ params }: Call, context: RpcContext): string =>
  signed(context, requireAddress(params, 1), messageHash(messageAt(params, 0)))

/** eth_signTypedData_v4: account, then typed data. */
export const signTypedData = ({ params }: Call, context: RpcContext): string =>
  signed(context, requireAddress(params, 0), typedDataHash(given(params, 1)))

/** Without `from` the first account signs, as in anvil and Hardhat. */
const filledOf = (call: Call, context: RpcContext): ReturnType<typeof fillCall> => {
  const transaction = given(call.params, 0)
  if (!isObject(transaction)) throw new RpcError('INVALID_CALL')
  const [first] = developmentOf(context).accounts
  const from = transaction['from'] ?? (first === undefined ? undefined : toHex(first))
  return fillCall({ ...call, params: [{ ...transaction, from }, ...call.params.slice(1)] }, context)
}

const signFilled = async (call: Call, context: RpcContext): Promise<RecoveredTransaction> => {
  const { from, transaction } = await filledOf(call, context)
  return required(developmentOf(context).signTransaction(from, transaction), 'UNKNOWN_ACCOUNT')
}

/** Returns the hash after the transaction's block, which tests that read state next rely on, as in Hardhat. */
const send = async (sent: RecoveredTransaction, context: RpcContext): Promise<string> => {
  await submitSent(sent, context)
  await developmentOf(context).miner.mineSent()
  return toHex(sent.transaction.hash)
}

/** eth_sendUnsignedTransaction: the hash. @throws RpcError, TransactionRejected */
export const sendUnsigned = async (call: Call, context: RpcContext): Promise<string> => {
  const { from, transaction } = await filledOf(call, context)
  return send(developmentOf(context).unsigned(from, transaction), context)
}

/** eth_signTransaction: the signed encoding. */
export const signTransaction = async (call: Call, context: RpcContext): Promise<string> =>
  toHex((await signFilled(call, context)).transaction.encoded)

/** eth_sendTransactionSync: the receipt. @throws RpcError, TransactionRejected */
export const sendTransactionSync = async (call: Call, context: RpcContext): Promise<unknown> => {
  const waitMs = readWait(given(call.params, 1), context)
  const sent = await signFilled(call, context)
  return sendAndWait(sent, waitMs, call.expired, context, () => send(sent, context))
}

/** eth_sendTransaction on a development chain: the hash. @throws RpcError, TransactionRejected */
export const sendTransaction = async (call: Call, context: RpcContext): Promise<string> =>
  send(await signFilled(call, context), context)
