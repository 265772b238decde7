import { fromHex } from '../bytes/hex.ts'
import type { Header } from '../block/header.ts'
import { NotProved } from './notProved.ts'

/** A block as in the result of `eth_getBlockByNumber`; only the fields of its header are read. */
export type BlockJson = Readonly<Record<string, unknown>>

const BYTES = /^0x(?:[0-9a-f]{2})*$/i
const QUANTITY = /^0x[0-9a-f]{1,64}$/i

/**
 * Longest field: extra data of some hundred validators and their seals has 40 KB. A longer one is refused before it is decoded and
 * hashed.
 */
const TEXT_LENGTH_MAX = 1024 * 1024

const textOf = (block: BlockJson, name: string, form: RegExp): string => {
  const value = block[name]
  if (typeof value !== 'string' || value.length > TEXT_LENGTH_MAX || !form.test(value))
    throw new NotProved('a block', `it has no ${name}`)
  return value.toLowerCase()
}

/** @throws NotProved when a field is missing or has the wrong form */
export const headerOfJson = (block: BlockJson): Header => {
  const bytes = (name: string): Uint8Array => fromHex(textOf(block, name, BYTES).slice(2))
  const quantity = (name: string): bigint => BigInt(textOf(block, name, QUANTITY))
  const has = (name: string): boolean => block[name] !== undefined && block[name] !== null
  const bytesOr = (name: string): Uint8Array | undefined => (has(name) ? bytes(name) : undefined)
  const quantityOr = (name: string): bigint | undefined => (has(name) ? quantity(name) : undefined)
  return {
    parentHash: bytes('parentHash'),
    ommersHash: bytes('sha3Uncles'),
    coinbase: bytes('miner'),
    stateRoot: bytes('stateRoot'),
    transactionsRoot: bytes('transactionsRoot'),
    receiptsRoot: bytes('receiptsRoot'),
    logsBloom: bytes('logsBloom'),
    difficulty: quantity('difficulty'),
    number: quantity('number'),
    gasLimit: quantity('gasLimit'),
    gasUsed: quantity('gasUsed'),
    timestamp: quantity('timestamp'),
    extraData: bytes('extraData'),
    mixHash: bytes('mixHash'),
    nonce: bytes('nonce'),
    baseFeePerGas: quantityOr('baseFeePerGas'),
    withdrawalsRoot: bytesOr('withdrawalsRoot'),
    blobGasUsed: quantityOr('blobGasUsed'),
    excessBlobGas: quantityOr('excessBlobGas'),
    parentBeaconBlockRoot: bytesOr('parentBeaconBlockRoot'),
    requestsHash: bytesOr('requestsHash'),
  }
}
