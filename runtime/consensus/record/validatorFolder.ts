import { join } from 'node:path'
import type { Address, Hash } from '../../../core/bytes/bytes.ts'
import { toBareHex, toHex } from '../../../core/bytes/hex.ts'

/** In the data path, beside the folder of the chain. */
const VALIDATORS_FOLDER = 'validator'

/** Whom the files belong to: signatures with another key, or for another chain, contradict none of these. */
export type RecordOwner = { readonly address: Address; readonly genesisHash: Hash }

/** Bytes of the genesis hash in the name of the folder. */
const CHAIN_BYTES = 8

/** The folder of a validator's own files in the data path: who deletes or restores the chain leaves it alone. */
export const validatorFolder = (dataPath: string, { address, genesisHash }: RecordOwner): string =>
  join(dataPath, VALIDATORS_FOLDER, `${toHex(address)}-${toBareHex(genesisHash.subarray(0, CHAIN_BYTES))}`)
