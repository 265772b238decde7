/** Types of blocks and their parts except transactions. */
export const BLOCK_TYPES = /* GraphQL */ `
"A block."
type Block {
  "Its number; the genesis block's is 0."
  number: Long!
  "Its hash. On QBFT round and seals are left out of what is hashed, so validators that keep different seals agree on it."
  hash: Hash!
  "The block before."
  parent: Block
  "Eight bytes, of no meaning on QBFT."
  nonce: Bytes!
  "Root of the trie of its transactions."
  transactionsRoot: Hash!
  "How many transactions it has; null for an ommer."
  transactionCount: Long
  "Root of the state after it."
  stateRoot: Hash!
  "Root of the trie of its receipts."
  receiptsRoot: Hash!
  "The account that made it; as of the given block, or of this one."
  miner(block: Long): Account!
  "Bytes of its maker; on QBFT validators, vote, round and seals."
  extraData: Bytes!
  "The most gas its transactions may use."
  gasLimit: Long!
  "Gas its transactions used."
  gasUsed: Long!
  "Wei burned for each unit of gas; null before London."
  baseFeePerGas: BigInt
  "Wei to be burned for each unit of gas in the next block."
  nextBaseFeePerGas: BigInt
  "Seconds since 1970."
  timestamp: Long!
  "Bloom filter over addresses and topics of its logs."
  logsBloom: Bytes!
  "On QBFT a constant."
  mixHash: Hash!
  "On QBFT 1."
  difficulty: BigInt!
  "Sum of the difficulties up to this block."
  totalDifficulty: BigInt!
  "How many ommers it has; null for an ommer."
  ommerCount: Long
  "Its ommers, of which only the headers are known. There are none on QBFT."
  ommers: [Block]
  "The ommer at an index; null where there is none."
  ommerAt(index: Long!): Block
  "Hash of the list of its ommers."
  ommerHash: Hash!
  "Its transactions; null for an ommer."
  transactions: [Transaction!]
  "The transaction at an index; null where there is none."
  transactionAt(index: Long!): Transaction
  "Its logs, those that are wanted."
  logs(filter: BlockFilterCriteria!): [Log!]!
  "An account in the state after it."
  account(address: Address!): Account!
  "Runs a call in the state after it and leaves no trace."
  call(data: CallData!): CallResult
  "A gas limit with which a transaction succeeds in the state after it."
  estimateGas(data: CallData!): Long!
  "RLP of its header."
  rawHeader: Bytes!
  "RLP of its body: transactions, ommers and, from Shanghai on, withdrawals. As Besu has it."
  raw: Bytes!
  "Root of the trie of its withdrawals; null before Shanghai."
  withdrawalsRoot: Hash
  "Its withdrawals; null before Shanghai."
  withdrawals: [Withdrawal!]
  "Blob gas its transactions used; null before Cancun."
  blobGasUsed: Long
  "Blob gas above the target before it, summed up; null before Cancun."
  excessBlobGas: Long
  "The validator that proposed it; null on a chain that is not QBFT, and for the genesis block."
  proposer: Address
  "The QBFT round it was committed in; null on a chain that is not QBFT."
  round: Long
  "The validators' commit seals, 65 bytes each, in no particular order; null on a chain that is not QBFT."
  seals: [Bytes!]
}

"Ether that left the consensus layer of a proof-of-stake chain."
type Withdrawal {
  "Counts all withdrawals of the chain."
  index: Long!
  "Index of the validator."
  validator: Long!
  "Who gets it."
  address: Address!
  "Gwei."
  amount: Long!
}

"An account in the state after a block."
type Account {
  "Its address."
  address: Address!
  "Wei."
  balance: BigInt!
  "How many transactions it sent, or contracts it created: its nonce."
  transactionCount: Long!
  "Its code; empty where it is no contract."
  code: Bytes!
  "What stands in a slot of its storage."
  storage(slot: Bytes32!): Bytes32!
}

"An entry of a log."
type Log {
  "Index within the block."
  index: Long!
  "The contract that emitted it; as of the given block, or of its own."
  account(block: Long): Account!
  "Up to four topics."
  topics: [LogTopic!]!
  "What is not in topics."
  data: Bytes!
  "The transaction that emitted it."
  transaction: Transaction!
}

"How a call ended."
type CallResult {
  "What it returned."
  data: Bytes!
  "Gas it used, after refunds."
  gasUsed: Long!
  "1 for success, 0 for failure."
  status: Long!
}
`
