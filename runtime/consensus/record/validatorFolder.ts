import { join } from 'node:path'
import type { Address, Hash } from '../../../core/bytes/bytes.ts'
import { toBareHex, toHex } from '../../../core/bytes/hex.ts'

/** Name of the folder in the data path, beside that of the chain. */
const VALIDATORS_FOLDER = 'validator'

/** Owner of the files: signatures with another key, or for another chain, never contradict these. */
export type RecordOwner = { readonly address: Address; readonly genesisHash: Hash }

/** Bytes of the genesis hash in the folder name. */
const CHAIN_BYTES = 8

/** The folder of a validator's own files in the data path, outside the folder of the chain, which operators delete and restore. */
export const validatorFolder = (dataPath: string, { address, genesisHash }: RecordOwner): string =>
  join(dataPath, VALIDATORS_FOLDER, `${toHex(address)}-${toBareHex(genesisHash.subarray(0, CHAIN_BYTES))}`)
