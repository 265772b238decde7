/** Types of blocks and their parts except transactions. */
export const BLOCK_TYPES = /* GraphQL */ `
"A block."
type Block {
  "Number of the block; the genesis block has 0."
  number: Long!
  "Hash of the block. On QBFT the hash covers neither the round nor the commit seals, so it is the same on nodes that hold different seals."
  hash: Hash!
  "The parent block."
  parent: Block
  "Eight bytes, without meaning on QBFT."
  nonce: Bytes!
  "Root of the transaction trie."
  transactionsRoot: Hash!
  "Number of transactions; null for an ommer."
  transactionCount: Long
  "Root of the state trie after this block."
  stateRoot: Hash!
  "Root of the receipt trie."
  receiptsRoot: Hash!
  "The account that created the block, in the state after the given block, by default after this one."
  miner(block: Long): Account!
  "Extra data of the header; on QBFT the validators, a vote, the round and the commit seals."
  extraData: Bytes!
  "Maximum gas of all transactions."
  gasLimit: Long!
  "Gas used by all transactions."
  gasUsed: Long!
  "Base fee in wei per gas; null before London."
  baseFeePerGas: BigInt
  "Base fee of the next block in wei per gas."
  nextBaseFeePerGas: BigInt
  "Seconds since 1970."
  timestamp: Long!
  "Bloom filter of the addresses and topics of all logs."
  logsBloom: Bytes!
  "Mix hash; a constant on QBFT."
  mixHash: Hash!
  "Difficulty; 1 on QBFT."
  difficulty: BigInt!
  "Sum of the difficulties up to this block."
  totalDifficulty: BigInt!
  "Number of ommers; null for an ommer."
  ommerCount: Long
  "Ommers, of which only headers are stored. A QBFT block has none."
  ommers: [Block]
  "The ommer at an index; null if there is none."
  ommerAt(index: Long!): Block
  "Hash of the list of ommers."
  ommerHash: Hash!
  "Transactions; null for an ommer."
  transactions: [Transaction!]
  "The transaction at an index; null if there is none."
  transactionAt(index: Long!): Transaction
  "Logs of this block that match the filter."
  logs(filter: BlockFilterCriteria!): [Log!]!
  "An account in the state after this block."
  account(address: Address!): Account!
  "Executes a call on the state after this block without changing it."
  call(data: CallData!): CallResult
  "Estimates the gas limit that a transaction needs on the state after this block."
  estimateGas(data: CallData!): Long!
  "RLP encoding of the header."
  rawHeader: Bytes!
  "RLP encoding of the body as in Besu: transactions, ommers and, since Shanghai, withdrawals."
  raw: Bytes!
  "Root of the withdrawal trie; null before Shanghai."
  withdrawalsRoot: Hash
  "Withdrawals; null before Shanghai."
  withdrawals: [Withdrawal!]
  "Blob gas used by all transactions; null before Cancun."
  blobGasUsed: Long
  "Excess blob gas (EIP-4844); null before Cancun."
  excessBlobGas: Long
  "The validator that proposed it; null on a chain that is not QBFT, and for the genesis block."
  proposer: Address
  "The QBFT round in which the block was committed; null on a chain that is not QBFT."
  round: Long
  "Commit seals of validators, 65 bytes each, in no particular order; null on a chain that is not QBFT."
  seals: [Bytes!]
}

"A withdrawal from the consensus layer of a proof-of-stake chain."
type Withdrawal {
  "Index among all withdrawals of the chain."
  index: Long!
  "Index of the validator."
  validator: Long!
  "The recipient."
  address: Address!
  "Amount in gwei."
  amount: Long!
}

"An account in the state after a block."
type Account {
  "Address of the account."
  address: Address!
  "Balance in wei."
  balance: BigInt!
  "Nonce: the number of transactions sent, or of contracts created by a contract."
  transactionCount: Long!
  "Code; empty if the account is not a contract."
  code: Bytes!
  "Value of a storage slot."
  storage(slot: Bytes32!): Bytes32!
}

"An entry of a log."
type Log {
  "Index within the block."
  index: Long!
  "The contract that emitted the log, in the state after the given block, by default after the log's block."
  account(block: Long): Account!
  "Topics, at most four."
  topics: [LogTopic!]!
  "Data without the topics."
  data: Bytes!
  "The transaction that emitted the log."
  transaction: Transaction!
}

"The result of a call."
type CallResult {
  "Return data."
  data: Bytes!
  "Gas used, after refunds."
  gasUsed: Long!
  "1 for success, 0 for failure."
  status: Long!
}
`
