import { type Hash, ZERO_HASH } from '../../../core/bytes/bytes.ts'
import { toBareHex, toHex } from '../../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import { decodeRlp, rlpBytes } from '../../../core/rlp/rlp.ts'
import { padStartBytes } from '../../../core/bytes/bytes.ts'
import { ACCOUNT_KEYS, storageKeys } from '../../../core/trie/state/account.ts'
import { type TrieLeaf, trieLeaves } from '../../../core/trie/range.ts'
import { recordOf } from '../blocks/blockWithReceipts.ts'
import type { RpcContext } from '../context.ts'
import type { RpcErrorName } from '../errors.ts'
import { RpcError } from '../errors.ts'
import type { Call, Params } from '../method.ts'
import { type BlockSelector, readSelector } from '../parameters/block.ts'
import { given, hashOf, integerOf, requireAddress, required, requireIndex } from '../parameters/values.ts'
import { findAddresses, findSlots } from './preimages.ts'
import { readStateAfter } from './stateAfter.ts'

/** Maximum number of accounts or slots in one answer; clients continue with `nextKey`. */
const RANGE_MAX = 1024

/** The start key: a hash, or a number that stands for one. */
const readStart = (value: unknown, error: RpcErrorName): Hash => {
  if (value === undefined) return ZERO_HASH
  const integer = integerOf(value)
  return required(
    hashOf(value) ?? (integer === undefined ? undefined : bigintToFixedBytes(integer, 32)),
    error,
  )
}

const readLimit = (value: unknown, error: RpcErrorName): number => {
  const limit = Number(required(integerOf(value, 53), error))
  if (limit < 1) throw new RpcError(error)
  return Math.min(limit, RANGE_MAX)
}

const requireSelector = (params: Params): BlockSelector => required(readSelector(params, 0), 'INVALID_BLOCK')

/** The leaves of one answer, and the key of the next. */
const page = (leaves: readonly TrieLeaf[], limit: number) => ({
  shown: leaves.slice(0, limit),
  nextKey: leaves[limit]?.key,
})

/**
 * debug_accountRange: accounts in the order of their hashed addresses. Ignores the second parameter. Null where there
 * is no such block, as in the two methods below (Besu).
 */
export const accountRange = async (call: Call, context: RpcContext): Promise<unknown> => {
  const { params } = call
  const selector = requireSelector(params)
  const start = readStart(given(params, 2), 'INVALID_ADDRESS_HASH')
  const limit = readLimit(given(params, 3), 'INVALID_MAX_RESULTS')
  const record = await recordOf(context, selector)
  if (record === undefined) return null
  const leaves = await readStateAfter(call, context, record, undefined, ({ nodes, root }) =>
    trieLeaves(nodes, ACCOUNT_KEYS, root, start, limit + 1),
  )
  const { shown, nextKey } = page(leaves, limit)
  const keys = shown.map(({ key }) => key)
  const addresses = await findAddresses(call, context, keys, record.block.header.number)
  const entries = keys.map(key => {
    const address = addresses.get(toBareHex(key))
    return [toHex(key), address === undefined ? null : toHex(address)] as const
  })
  return { addressMap: Object.fromEntries(entries), nextKey: toHex(nextKey ?? ZERO_HASH) }
}

const slotWord = (value: Uint8Array): string => toHex(padStartBytes(rlpBytes(decodeRlp(value), 'a slot'), 32))

/** debug_storageRangeAt: an account's slots after a transaction, in the order of their hashes. */
export const storageRangeAt = async (call: Call, context: RpcContext): Promise<unknown> => {
  const { params } = call
  const selector = requireSelector(params)
  const index = requireIndex(params, 'INVALID_TRANSACTION_INDEX')
  const address = requireAddress(params, 2)
  const start = readStart(given(params, 3), 'INVALID_DATA_HASH')
  const limit = readLimit(given(params, 4), 'INVALID_TRANSACTION_LIMIT')
  const record = await recordOf(context, selector)
  if (record === undefined) return null
  const found = await readStateAfter(call, context, record, index, ({ reader, nodes }) => {
    const account = reader.account(address)
    if (account === undefined) return { leaves: [], from: 0n }
    const { storageRoot, incarnation } = account
    return {
      leaves: trieLeaves(nodes, storageKeys(address, incarnation), storageRoot, start, limit + 1),
      from: incarnation,
    }
  })
  const { shown, nextKey } = page(found.leaves, limit)
  const keys = shown.map(({ key }) => key)
  const to = record.block.header.number
  const slots = await findSlots(call, context, address, keys, { from: found.from, to })
  const entries = shown.map(({ key, value }) => {
    const slot = slots.get(toBareHex(key))
    return [toHex(key), { key: slot === undefined ? null : toHex(slot), value: slotWord(value) }] as const
  })
  return {
    storage: Object.fromEntries(entries),
    ...(nextKey === undefined ? {} : { nextKey: toHex(nextKey) }),
    complete: nextKey === undefined,
  }
}

/** debug_accountAt: an account after a transaction. */
export const accountAt = async (call: Call, context: RpcContext): Promise<unknown> => {
  const { params } = call
  const selector = requireSelector(params)
  const index = requireIndex(params, 'INVALID_TRANSACTION')
  const address = requireAddress(params, 2)
  const record = await recordOf(context, selector)
  if (record === undefined) return null
  if (index >= record.block.transactions.length) throw new RpcError('TRANSACTION_NOT_FOUND')
  return await readStateAfter(call, context, record, index, ({ reader }) => {
    const account = required(reader.account(address), 'ACCOUNT_NOT_FOUND')
    const code = reader.code(account.codeHash)
    return {
      code: code.length === 0 ? '0x0' : toHex(code),
      nonce: `0x${account.nonce.toString(16)}`,
      balance: `0x${account.balance.toString(16)}`,
      codehash: toHex(account.codeHash),
    }
  })
}
