/** Transactions in blocks and in the pool. */
export const TRANSACTION_TYPES = /* GraphQL */ `
"A transaction, in a block or pending."
type Transaction {
  "Hash of the transaction."
  hash: Hash!
  "Nonce: the number of earlier transactions of the sender."
  nonce: Long!
  "Index in the block; null while pending."
  index: Long
  "The sender, in the state after the given block, by default after the transaction's block, or the latest while pending."
  from(block: Long): Account!
  "The recipient; null if the transaction creates a contract. In the state after the given block, by default after the transaction's block, or the latest while pending."
  to(block: Long): Account
  "Value in wei."
  value: BigInt!
  """
  Gas price in wei. For the fees of EIP-1559 it is the effective price of the mined transaction, and the maximum fee of a
  pending one.
  """
  gasPrice: BigInt!
  "Maximum fee per gas in wei; null if the type has no such fee."
  maxFeePerGas: BigInt
  "Maximum priority fee per gas in wei; null if the type has no such fee."
  maxPriorityFeePerGas: BigInt
  "Maximum fee per blob gas in wei; only of blob transactions."
  maxFeePerBlobGas: BigInt
  "Priority fee per gas in wei that the block's creator received; null while pending."
  effectiveTip: BigInt
  "Gas limit."
  gas: Long!
  "Input data."
  inputData: Bytes!
  "The block of the transaction; null while pending."
  block: Block
  "1 for success, 0 for failure; null while pending, and before Byzantium."
  status: Long
  "Gas used; null while pending."
  gasUsed: Long
  "Gas used by this and all earlier transactions of the block; null while pending."
  cumulativeGasUsed: Long
  "Price per gas in wei that was paid; null while pending."
  effectiveGasPrice: BigInt
  "Blob gas used; only of mined blob transactions."
  blobGasUsed: Long
  "Price per blob gas in wei that was paid; only of mined blob transactions."
  blobGasPrice: BigInt
  "The created contract, in the state after the given block, by default after the transaction's block; null if none was created, and while pending."
  createdContract(block: Long): Account
  "Emitted logs; null while pending."
  logs: [Log!]
  "Member r of the signature."
  r: BigInt!
  "Member s of the signature."
  s: BigInt!
  "Member v of the signature: the parity for types 1 and 2, null for types 3 and 4."
  v: BigInt
  "Parity of the signature; null for legacy transactions."
  yParity: BigInt
  "0 legacy, 1 EIP-2930, 2 EIP-1559, 3 EIP-4844, 4 EIP-7702."
  type: Long
  "Access list; empty if there is none."
  accessList: [AccessTuple!]
  "Encoding inside a block body, as in Besu: RLP of a legacy transaction, an RLP string of type and payload otherwise."
  raw: Bytes!
  "The receipt in the same form; 0x while pending."
  rawReceipt: Bytes!
  "Versioned hashes of the blobs; empty for other types."
  blobVersionedHashes: [VersionedHash!]
  "Return data of a reverted transaction; null for others."
  revertReason: Bytes
}

"An entry of an access list (EIP-2930)."
type AccessTuple {
  "Address of a contract."
  address: Address!
  "Storage slots."
  storageKeys: [Bytes32!]!
}
`
