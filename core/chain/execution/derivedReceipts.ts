import type { Address } from '../../bytes/bytes.ts'
import type { Block } from '../../block/block.ts'
import type { Receipt } from '../../block/receipt.ts'
import { GAS_PER_BLOB } from '../../block/transaction.ts'
import { gasPriceOf } from '../../block/transactionPrice.ts'
import { createAddress } from '../../evm/frames/address.ts'
import type { Rules } from '../../genesis/configuration.ts'
import { blobBaseFeeOf } from '../fees/blobFee.ts'

/** The receipts of a block, with the fields that no root covers recomputed. Revert reasons cannot be recomputed. */
export const derivedReceipts = (
  { header, transactions }: Block,
  receipts: readonly Receipt[],
  senders: readonly Address[],
  { blob }: Pick<Rules, 'blob'>,
): readonly Receipt[] => {
  const blobPrice =
    blob === undefined || header.excessBlobGas === undefined ? 0n : blobBaseFeeOf(blob, header.excessBlobGas)
  let gasBefore = 0n
  return transactions.map((transaction, index) => {
    const receipt = receipts[index] as Receipt
    const gasUsed = receipt.cumulativeGasUsed - gasBefore
    gasBefore = receipt.cumulativeGasUsed
    const blobs = BigInt(transaction.blobVersionedHashes.length)
    return {
      ...receipt,
      gasUsed,
      effectiveGasPrice: gasPriceOf(transaction, header.baseFeePerGas),
      contractAddress:
        transaction.to === undefined
          ? createAddress(senders[index] as Address, transaction.nonce)
          : undefined,
      blobGasUsed: blobs * GAS_PER_BLOB,
      blobGasPrice: blobs === 0n ? 0n : blobPrice,
    }
  })
}
