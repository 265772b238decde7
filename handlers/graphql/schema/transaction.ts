/** Transactions, of blocks and of the pool. */
export const TRANSACTION_TYPES = /* GraphQL */ `
"A transaction, in a block or waiting for one."
type Transaction {
  "Its hash."
  hash: Hash!
  "How many the sender had sent before."
  nonce: Long!
  "Index in its block; null while it waits."
  index: Long
  "Who sent it; as of the given block, or of its own, or of the latest while it waits."
  from(block: Long): Account!
  "Who it was sent to; null where it creates a contract. As of the given block, or of its own, or of the latest while it waits."
  to(block: Long): Account
  "Wei sent along."
  value: BigInt!
  """
  Wei for each unit of gas: what it offers, or with the fees of EIP-1559 what was paid in its block, and the most it
  offers while it waits.
  """
  gasPrice: BigInt!
  "The most wei for each unit of gas; null where the type has no such fee."
  maxFeePerGas: BigInt
  "The most wei of these that go to the maker of the block; null where the type has no such fee."
  maxPriorityFeePerGas: BigInt
  "The most wei for each unit of blob gas; null but for blob transactions."
  maxFeePerBlobGas: BigInt
  "Wei for each unit of gas that went to the maker of the block; null while it waits."
  effectiveTip: BigInt
  "The most gas it may use."
  gas: Long!
  "Bytes sent along."
  inputData: Bytes!
  "The block it stands in; null while it waits."
  block: Block
  "1 for success, 0 for failure; null while it waits, and before Byzantium."
  status: Long
  "Gas it used; null while it waits."
  gasUsed: Long
  "Gas its block had used after it; null while it waits."
  cumulativeGasUsed: Long
  "Wei that were paid for each unit of gas; null while it waits."
  effectiveGasPrice: BigInt
  "Blob gas it used; null but for blob transactions in a block."
  blobGasUsed: Long
  "Wei that were paid for each unit of blob gas; null but for blob transactions in a block."
  blobGasPrice: BigInt
  "The contract it created; null where it created none, and while it waits. As of the given block, or of its own."
  createdContract(block: Long): Account
  "Logs it emitted; null while it waits."
  logs: [Log!]
  "Of its signature."
  r: BigInt!
  "Of its signature."
  s: BigInt!
  "Of its signature; the parity for types 1 and 2, null for types 3 and 4."
  v: BigInt
  "Parity of its signature; null for legacy transactions."
  yParity: BigInt
  "0 legacy, 1 EIP-2930, 2 EIP-1559, 3 EIP-4844, 4 EIP-7702."
  type: Long
  "What it declared to touch; empty where it declared nothing."
  accessList: [AccessTuple!]
  "As it stands in the body of a block: RLP of a legacy transaction, an RLP string of type and payload otherwise. As Besu has it."
  raw: Bytes!
  "Its receipt in the same form; 0x while it waits."
  rawReceipt: Bytes!
  "Versioned hashes of its blobs; empty but for blob transactions."
  blobVersionedHashes: [VersionedHash!]
  "What it returned when it was reverted; null where it was not."
  revertReason: Bytes
}

"An entry of an access list (EIP-2930)."
type AccessTuple {
  "A contract."
  address: Address!
  "Slots of its storage."
  storageKeys: [Bytes32!]!
}
`
