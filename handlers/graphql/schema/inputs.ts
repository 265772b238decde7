/** Members of both log filters. */
const WANTED_LOGS = /* GraphQL */ `
  "Logs of any of these contracts; of every one when empty or left out."
  addresses: [Address!]
  """
  Topics by position, matching the first ones of a log. An empty list at a position matches any topic, several match
  either of them.

  - [] or left out     matches every log
  - [[A]]              A in the first position
  - [[], [B]]          anything in the first position, B in the second
  - [[A, B], [C, D]]   A or B in the first position, C or D in the second
  """
  topics: [[LogTopic!]!]
`

/** Input types. */
export const INPUTS = /* GraphQL */ `
"What a local call is made with; everything is optional."
input CallData {
  "Who makes the call; the zero address when left out."
  from: Address
  "Who is called; left out to create a contract."
  to: Address
  "The most gas of the call."
  gas: Long
  "Wei offered for each unit of gas."
  gasPrice: BigInt
  "The most wei offered for each unit of gas."
  maxFeePerGas: BigInt
  "The most wei of these that go to the maker of the block."
  maxPriorityFeePerGas: BigInt
  "Wei sent along."
  value: BigInt
  "Bytes sent along."
  data: Bytes
}

"Which logs of a block are wanted."
input BlockFilterCriteria {${WANTED_LOGS}}

"Which logs of which blocks are wanted."
input FilterCriteria {
  "The first block; the latest when left out."
  fromBlock: Long
  "The last block, included; the latest when left out."
  toBlock: Long${WANTED_LOGS}}
`
