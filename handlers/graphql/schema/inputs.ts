/** Members of both log filters. */
const WANTED_LOGS = /* GraphQL */ `
  "Contracts whose logs match; all contracts if the list is empty or missing."
  addresses: [Address!]
  """
  Topics by position. An empty list at a position matches any topic; a list of several matches each of them. A log may have
  more topics than there are positions.

  - [] or missing      matches every log
  - [[A]]              A in the first position
  - [[], [B]]          anything in the first position, B in the second
  - [[A, B], [C, D]]   A or B in the first position, C or D in the second
  """
  topics: [[LogTopic!]!]
`

/** Input types. */
export const INPUTS = /* GraphQL */ `
"Parameters of a call; all are optional."
input CallData {
  "Sender of the call; by default the zero address."
  from: Address
  "Recipient; without it the call creates a contract."
  to: Address
  "Gas limit of the call."
  gas: Long
  "Gas price in wei."
  gasPrice: BigInt
  "Maximum fee per gas in wei."
  maxFeePerGas: BigInt
  "Maximum priority fee per gas in wei."
  maxPriorityFeePerGas: BigInt
  "Value in wei."
  value: BigInt
  "Input data."
  data: Bytes
}

"Selects logs of one block."
input BlockFilterCriteria {${WANTED_LOGS}}

"Selects logs of a range of blocks."
input FilterCriteria {
  "First block; by default the latest."
  fromBlock: Long
  "Last block, inclusive; by default the latest."
  toBlock: Long${WANTED_LOGS}}
`
