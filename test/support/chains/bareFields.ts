import type { Transaction } from '../../../core/block/transaction.ts'

/** Fields of a transaction without an access list, blobs and authorizations. */
export const BARE_FIELDS: Pick<
  Transaction,
  'accessList' | 'maxFeePerBlobGas' | 'blobVersionedHashes' | 'authorizationList'
> = { accessList: [], maxFeePerBlobGas: 0n, blobVersionedHashes: [], authorizationList: [] }
