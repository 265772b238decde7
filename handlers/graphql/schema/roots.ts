/** Root types. */
export const ROOT_TYPES = /* GraphQL */ `
type Query {
  "A block by number or by hash; the latest when neither is given."
  block(number: Long, hash: Hash): Block
  "The blocks between two numbers, both included; up to the latest when the second is left out."
  blocks(from: Long, to: Long): [Block!]!
  "Transactions that wait, and the state they would meet."
  pending: Pending!
  "A transaction by hash, of a block or of the pool; null where neither has it."
  transaction(hash: Hash!): Transaction
  "The wanted logs of a range of blocks."
  logs(filter: FilterCriteria!): [Log!]!
  "Wei for each unit of gas with which a transaction is soon in a block."
  gasPrice: BigInt!
  "Wei of these that go to the maker of the block."
  maxPriorityFeePerGas: BigInt!
  "How far the node is in catching up; null when it is level with the others."
  syncing: SyncState
  "Chain id that transactions are signed for."
  chainID: BigInt!
  "The validators that block names; those that govern the next block when it is left out. Null on a chain that is not QBFT, and beyond the head."
  validators(block: Long): [Address!]
  "What this node knows of the consensus; null on a chain that is not QBFT."
  qbft: Qbft
}

type Mutation {
  "Puts a signed transaction into the pool and gives its hash. A typed one is given as it is, or wrapped into an RLP string."
  sendRawTransaction(data: Bytes!): Bytes32!
}

"Over server-sent events: POST or GET with Accept: text/event-stream."
type Subscription {
  "Each block as it becomes the head."
  newHeads: Block!
  "The wanted logs of each block as it becomes the head; all of them without a filter."
  logs(filter: BlockFilterCriteria): Log!
  "Each transaction as it comes into the pool."
  pendingTransactions: Transaction!
}

"Transactions that wait, and the state they would meet: the latest."
type Pending {
  "How many wait."
  transactionCount: Long!
  "All that wait."
  transactions: [Transaction!]
  "An account in the latest state."
  account(address: Address!): Account!
  "Runs a call in the latest state and leaves no trace."
  call(data: CallData!): CallResult
  "A gas limit with which a transaction succeeds in the latest state."
  estimateGas(data: CallData!): Long!
}

"How far the node is in catching up."
type SyncState {
  "The block it began at."
  startingBlock: Long!
  "The block it is at."
  currentBlock: Long!
  "The highest block that peers have announced."
  highestBlock: Long!
}

"What this node knows of the consensus."
type Qbft {
  """
  The round in which the next block is being decided, as this node sees it; null until the block period is over, and while
  it takes no part.
  """
  round: Long
  "Votes on validators that this node casts whenever they would change something; null where a contract selects them."
  pendingVotes: [PendingVote!]
  """
  Who proposed how many of the blocks from one number up to, but without, another; by default the last hundred before
  the head.
  """
  signerMetrics(from: Long, to: Long): [SignerMetric!]!
}

"A vote on a validator."
type PendingVote {
  "Who it is about."
  address: Address!
  "True to bring it in, false to put it out."
  add: Boolean!
}

"What a validator proposed."
type SignerMetric {
  "The validator."
  address: Address!
  "How many blocks."
  proposedBlockCount: Long!
  "The last of them; 0 where there is none."
  lastProposedBlockNumber: Long!
}
`
