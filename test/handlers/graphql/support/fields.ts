/** All that a transaction has by itself, in a block or waiting. */
export const TRANSACTION_FIELDS = `hash nonce index from { address } to { address } value gasPrice maxFeePerGas
  maxPriorityFeePerGas maxFeePerBlobGas gas inputData block { number hash } r s v yParity type
  accessList { address storageKeys } blobVersionedHashes`

/** All that it has of its receipt. */
export const RECEIPT_FIELDS = `status gasUsed cumulativeGasUsed effectiveGasPrice effectiveTip createdContract { address }
  logs { index data topics account { address } transaction { hash } } blobGasUsed blobGasPrice revertReason`
