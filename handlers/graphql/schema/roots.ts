/** Root types. */
export const ROOT_TYPES = /* GraphQL */ `
type Query {
  "A block by number or by hash; the latest if neither is given."
  block(number: Long, hash: Hash): Block
  "The blocks from one number to another, inclusive; by default to the latest."
  blocks(from: Long, to: Long): [Block!]!
  "The pending transactions and the state on which they will be executed."
  pending: Pending!
  "A transaction by hash, in a block or in the pool; null if it is in neither."
  transaction(hash: Hash!): Transaction
  "Logs of a range of blocks that match the filter."
  logs(filter: FilterCriteria!): [Log!]!
  "Gas price in wei at which a transaction is expected to be mined soon."
  gasPrice: BigInt!
  "Suggested priority fee per gas in wei."
  maxPriorityFeePerGas: BigInt!
  "Progress of the block download; null when the node is in sync."
  syncing: SyncState
  "Chain id for which transactions are signed."
  chainID: BigInt!
  "The validators of a block; by default those of the next block. Null on a chain that is not QBFT, and for blocks beyond the head."
  validators(block: Long): [Address!]
  "State of the consensus as this node sees it; null on a chain that is not QBFT."
  qbft: Qbft
}

type Mutation {
  "Adds a signed transaction to the pool and returns its hash. A typed transaction may be wrapped into an RLP string."
  sendRawTransaction(data: Bytes!): Bytes32!
}

"Over server-sent events: POST or GET with Accept: text/event-stream."
type Subscription {
  "Each block as it becomes the head."
  newHeads: Block!
  "Logs of each new head that match the filter; without a filter all of them."
  logs(filter: BlockFilterCriteria): Log!
  "Each transaction that is added to the pool."
  pendingTransactions: Transaction!
}

"The pending transactions, and the state on which they will be executed: the latest."
type Pending {
  "Number of pending transactions."
  transactionCount: Long!
  "All pending transactions."
  transactions: [Transaction!]
  "An account in the latest state."
  account(address: Address!): Account!
  "Executes a call on the latest state without changing it."
  call(data: CallData!): CallResult
  "Estimates the gas limit that a transaction needs on the latest state."
  estimateGas(data: CallData!): Long!
}

"Progress of the block download."
type SyncState {
  "The block at which the download began."
  startingBlock: Long!
  "The current head of this node."
  currentBlock: Long!
  "The highest block that peers have announced."
  highestBlock: Long!
}

"State of the consensus as this node sees it."
type Qbft {
  """
  The current round of the next block, as this node sees it; null until the block period is over, and on a node that is not
  an active validator.
  """
  round: Long
  "Votes on validators that this node casts while they would change the set; null if a contract selects the validators."
  pendingVotes: [PendingVote!]
  """
  Blocks proposed by each validator in the range from the first number (inclusive) to the second (exclusive); by default in the last hundred
  blocks before the head.
  """
  signerMetrics(from: Long, to: Long): [SignerMetric!]!
}

"A vote on a validator."
type PendingVote {
  "The address that is voted on."
  address: Address!
  "True to add the validator, false to remove it."
  add: Boolean!
}

"Proposed blocks of a validator."
type SignerMetric {
  "The validator."
  address: Address!
  "Number of blocks."
  proposedBlockCount: Long!
  "Number of the last one; 0 if there is none."
  lastProposedBlockNumber: Long!
}
`
