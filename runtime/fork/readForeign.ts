import { ZERO_HASH } from '../../core/bytes/bytes.ts'
import { toHex, toQuantity } from '../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../core/bytes/integer.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../core/crypto/constants.ts'
import { keccak256 } from '../../core/crypto/crypto.ts'
import type { Account } from '../../core/state/account.ts'
import { withChecksum } from '../../core/store/checksum.ts'
import { encodeChainHead } from '../../core/store/codec/chainHead.ts'
import { accountCodec, slotCodec } from '../../core/store/codec/stateValues.ts'
import { createWriter, encodeVarints } from '../../core/store/codec/writer.ts'
import { codeKey } from '../../core/store/keys.ts'
import type { KeyValueEntry } from '../../core/store/keyvalue/keyvalue.ts'
import { encodeSegment } from '../../core/store/segments/segment.ts'
import type { BlockRecord, ChainHead } from '../../core/store/store.ts'
import { headOfJson, recordOfJson, transactionHashes } from './blockJson.ts'
import { dataOf, type Fields, fieldsOf, has, listField, quantityField, quantityOf } from './fields.ts'
import type { ForeignKey } from './foreignKeys.ts'
import { forkUnavailable, isMethodMissing, type Upstream } from './upstream.ts'

/** The entries to store for a key, that of the key first; none if the network has no such value. */
type Entries = readonly KeyValueEntry[]

const entryOf = (key: string, value: Uint8Array): KeyValueEntry => ({ key, value: withChecksum(key, value) })

/**
 * An account that may have storage: its root is not known, but must not be the empty one, with which its slots would not be
 * read. One without nonce and code has none, so that a contract can be created at its address.
 */
const accountOf = (balance: bigint, nonce: bigint, code: Uint8Array): Account | undefined => {
  const isPlain = nonce === 0n && code.length === 0
  if (isPlain && balance === 0n) return undefined
  return {
    nonce,
    balance,
    codeHash: code.length === 0 ? EMPTY_CODE_HASH : keccak256(code),
    storageRoot: isPlain ? EMPTY_TRIE_ROOT : ZERO_HASH,
    incarnation: 0n,
  }
}

const readAccount = async (
  { call }: Upstream,
  key: string,
  address: string,
  at: string,
): Promise<Entries> => {
  const params = [`0x${address}`, at]
  const [balance, nonce, code] = await Promise.all([
    call('eth_getBalance', params),
    call('eth_getTransactionCount', params),
    call('eth_getCode', params),
  ])
  const bytes = dataOf('eth_getCode', code)
  const account = accountOf(
    quantityOf('eth_getBalance', balance),
    quantityOf('eth_getTransactionCount', nonce),
    bytes,
  )
  const writer = createWriter(128)
  accountCodec.write(writer, account)
  const entry = entryOf(key, writer.finish())
  return bytes.length === 0 || account === undefined
    ? [entry]
    : [entry, entryOf(codeKey(account.codeHash), bytes)]
}

const readSlot = async (
  { call }: Upstream,
  key: string,
  { address, slot }: { readonly address: string; readonly slot: string },
  at: string,
): Promise<Entries> => {
  const value = quantityOf(
    'eth_getStorageAt',
    await call('eth_getStorageAt', [`0x${address}`, `0x${slot}`, at]),
  )
  const writer = createWriter(40)
  slotCodec.write(writer, bigintToFixedBytes(value, 32))
  return [entryOf(key, writer.finish())]
}

const readBlock = async ({ call }: Upstream, number: number, isWhole: boolean): Promise<Fields> => {
  const block = fieldsOf(`block ${number}`, await call('eth_getBlockByNumber', [toQuantity(number), isWhole]))
  if (quantityField(block, 'number') !== BigInt(number))
    throw forkUnavailable(`the upstream node answered with another block than ${number}`)
  return block
}

/** Header and hash of a block. @throws RpcError `FORK_UNAVAILABLE` */
export const readForeignHead = async (upstream: Upstream, number: number): Promise<ChainHead> =>
  headOfJson(await readBlock(upstream, number, false))

const readReceipts = async (
  { call }: Upstream,
  block: Fields,
  number: number,
): Promise<readonly unknown[]> => {
  if (listField(block, 'transactions').length === 0) return []
  try {
    const receipts = await call('eth_getBlockReceipts', [toQuantity(number)])
    return listField({ what: block.what, values: { receipts } }, 'receipts')
  } catch (error) {
    if (!isMethodMissing(error)) throw error
    return Promise.all(transactionHashes(block).map(hash => call('eth_getTransactionReceipt', [toHex(hash)])))
  }
}

/** The record of a block. @throws RpcError `FORK_UNAVAILABLE` */
export const readForeignRecord = async (upstream: Upstream, number: number): Promise<BlockRecord> => {
  const block = await readBlock(upstream, number, true)
  return recordOfJson(block, await readReceipts(upstream, block, number))
}

/** The segment of a block, whose changes are not known. */
export const segmentOf = (record: BlockRecord): Uint8Array =>
  encodeSegment({ ...record, changes: { accounts: [], codes: [] }, nodes: [] })

const readNumberOfHash = async ({ call }: Upstream, key: string, hash: string, last: number) => {
  const block = await call('eth_getBlockByHash', [`0x${hash}`, false])
  if (block === null) return []
  const number = Number(quantityField(fieldsOf('block', block), 'number'))
  return number > last ? [] : [entryOf(key, encodeVarints(number))]
}

const readLocation = async ({ call }: Upstream, key: string, hash: string, last: number) => {
  const transaction = await call('eth_getTransactionByHash', [`0x${hash}`])
  if (transaction === null) return []
  const fields = fieldsOf('transaction', transaction)
  if (!has(fields, 'blockNumber')) return []
  const number = Number(quantityField(fields, 'blockNumber'))
  return number > last
    ? []
    : [entryOf(key, encodeVarints(number, Number(quantityField(fields, 'transactionIndex'))))]
}

/**
 * Reads the value of a key from the forked network, in the form of the store.
 * @param forkBlock the last block of the network that counts
 * @throws RpcError `FORK_UNAVAILABLE`
 */
export const readForeign = async (
  upstream: Upstream,
  key: string,
  wanted: ForeignKey,
  forkBlock: number,
): Promise<Entries> => {
  switch (wanted.kind) {
    case 'account':
      return readAccount(upstream, key, wanted.address, toQuantity(wanted.block))
    case 'slot':
      return readSlot(upstream, key, wanted, toQuantity(wanted.block))
    case 'header':
      return [entryOf(key, encodeChainHead(await readForeignHead(upstream, wanted.block)))]
    case 'segment':
      return [entryOf(key, segmentOf(await readForeignRecord(upstream, wanted.block)))]
    case 'block':
      return readNumberOfHash(upstream, key, wanted.hash, forkBlock)
    case 'transaction':
      return readLocation(upstream, key, wanted.hash, forkBlock)
  }
}
