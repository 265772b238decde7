import type { Address } from '../../../../core/bytes/bytes.ts'
import { equalBytes } from '../../../../core/bytes/bytes.ts'
import { toHex, toQuantity } from '../../../../core/bytes/hex.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../../../core/crypto/constants.ts'
import type { RpcContext } from '../../context.ts'
import { developmentOf, sendTransactionSync } from '../../development/signing.ts'
import { type Call, developmentMethod, type Method } from '../../method.ts'
import { withSelector } from '../../parameters/block.ts'
import { decimalOrHexOf, given, required, requireAddress } from '../../parameters/values.ts'
import { minedTransactionShape, pendingTransactionShape } from '../../shapes/transaction.ts'
import { readState } from '../../state/state.ts'

const addressAndBlock = ({ params }: Call) => withSelector(params, 1, () => requireAddress(params, 0))

const account = (call: Call, context: RpcContext): unknown => {
  const [address, selector] = addressAndBlock(call)
  return readState(context, selector, state => {
    const found = state.account(address)
    return {
      nonce: toQuantity(found?.nonce ?? 0n),
      balance: toQuantity(found?.balance ?? 0n),
      storageRoot: toHex(found?.storageRoot ?? EMPTY_TRIE_ROOT),
      codeHash: toHex(found?.codeHash ?? EMPTY_CODE_HASH),
    }
  })
}

const accountInfo = (call: Call, context: RpcContext): unknown => {
  const [address, selector] = addressAndBlock(call)
  return readState(context, selector, state => {
    const found = state.account(address)
    return {
      balance: toQuantity(found?.balance ?? 0n),
      nonce: toQuantity(found?.nonce ?? 0n),
      code: found === undefined ? '0x' : toHex(state.code(found.codeHash)),
    }
  })
}

/** The first block after which the account has used the nonce, found by halving. */
const blockOfNonce = async (
  { chain }: RpcContext,
  sender: Address,
  nonce: bigint,
): Promise<bigint | undefined> => {
  const { store } = chain
  const nonceAt = (number: bigint): bigint | Promise<bigint> =>
    store.runAtOnce(() => store.stateAt(number).account(sender)?.nonce ?? 0n)
  let high = chain.head().header.number
  if ((await nonceAt(high)) <= nonce) return undefined
  let low = store.historyStart?.() ?? 0n
  while (low < high) {
    const middle = (low + high) / 2n
    if ((await nonceAt(middle)) > nonce) high = middle
    else low = middle + 1n
  }
  return high
}

const bySenderAndNonce = async ({ params }: Call, context: RpcContext): Promise<unknown> => {
  const sender = requireAddress(params, 0)
  const nonce = required(decimalOrHexOf(given(params, 1), 63), 'INVALID_PARAMS')
  const pooled = context.pool
    .ofSender(sender)
    .transactions.find(({ transaction }) => transaction.nonce === nonce)
  if (pooled !== undefined) return pendingTransactionShape(pooled)
  const number = await blockOfNonce(context, sender, nonce)
  const record = number === undefined ? undefined : await context.chain.store.record(number)
  const index = record?.block.transactions.findIndex(
    (transaction, position) =>
      transaction.nonce === nonce && equalBytes(record.senders[position] as Address, sender),
  )
  // A nonce that was set by hand is in no transaction.
  return record === undefined || index === undefined || index < 0
    ? null
    : minedTransactionShape(record, index)
}

/** Accounts and their transactions on a development chain, as in anvil. */
export const DEV_ACCOUNT_METHODS: readonly Method[] = [
  ...developmentMethod(['eth_getAccount'], {
    summary: 'Returns nonce, balance, storage root and code hash of an account',
    params: { address: 'Address', 'block?': 'BlockNumberOrTagOrHash' },
    result: 'Object',
    handle: account,
  }),
  ...developmentMethod(['eth_getAccountInfo'], {
    summary: 'Returns balance, nonce and code of an account',
    params: { address: 'Address', 'block?': 'BlockNumberOrTagOrHash' },
    result: 'Object',
    handle: accountInfo,
  }),
  ...developmentMethod(['eth_pendingTransactions'], {
    summary: 'Returns the transactions of the pool',
    params: {},
    result: 'Objects',
    handle: (_, context) => {
      developmentOf(context)
      return context.pool.list().map(pendingTransactionShape)
    },
  }),
  ...developmentMethod(['eth_getTransactionBySenderAndNonce'], {
    summary: 'Returns a pooled or mined transaction by its sender and nonce',
    params: { sender: 'Address', nonce: 'Integer' },
    result: 'Transaction',
    handle: bySenderAndNonce,
  }),
  ...developmentMethod(['eth_sendTransactionSync'], {
    summary: 'Signs and sends a transaction of an unlocked account and waits for its receipt',
    params: { transaction: 'Call', 'timeoutMs?': 'Milliseconds' },
    result: 'Receipt',
    handle: sendTransactionSync,
  }),
]
