/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })
const arrayOf = (items: Schema): Schema => ({ type: 'array', items })
const object = (description: string): Schema => ({ type: 'object', description })
const nullable = (schema: Schema): Schema => ({ oneOf: [schema, { type: 'null' }] })

/** What methods take and give, by name. */
export const SCHEMAS = {
  Boolean: { type: 'boolean' },
  Number: { type: 'number' },
  Text: { type: 'string' },
  Texts: arrayOf({ type: 'string' }),
  Quantity: { type: 'string', pattern: '^0x(0|[1-9a-f][0-9a-f]*)$', description: 'An integer in hex' },
  Data: { type: 'string', pattern: '^0x([0-9a-fA-F]{2})*$', description: 'Bytes in hex' },
  DataList: arrayOf(ref('Data')),
  Hash: { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$', description: '32 bytes in hex' },
  Hashes: arrayOf(ref('Hash')),
  Address: { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$', description: '20 bytes in hex' },
  Addresses: arrayOf(ref('Address')),
  BlockNumberOrTag: {
    oneOf: [
      ref('Quantity'),
      { type: 'string', enum: ['earliest', 'latest', 'pending', 'safe', 'finalized'] },
    ],
  },
  BlockNumberOrTagOrHash: {
    oneOf: [
      ref('BlockNumberOrTag'),
      ref('Hash'),
      object('EIP-1898: blockHash with requireCanonical, or blockNumber'),
    ],
  },
  Call: object('from, to, gas, gasPrice or the fees of EIP-1559, value, input, accessList, nonce and more'),
  StateOverrides: object('By address: balance, nonce, code, state or stateDiff, movePrecompileToAddress'),
  BlockOverrides: object(
    'number, time, gasLimit, feeRecipient, prevRandao, baseFeePerGas, blobBaseFee and more',
  ),
  Simulation: object('blockStateCalls, validation, traceTransfers, returnFullTransactions'),
  Simulated: arrayOf(object('A block with its calls')),
  LogFilter: object('fromBlock and toBlock or blockHash; address; topics'),
  PendingFilter: object('from, to, gas, gasPrice, value, nonce, each with one condition'),
  TraceFilter: object('fromBlock, toBlock, fromAddress, toAddress, after, count'),
  TraceOptions: object('tracer, tracerConfig, disableStorage, enableMemory and more'),
  TraceTypes: arrayOf({ type: 'string', enum: ['trace', 'vmTrace', 'stateDiff'] }),
  SlotsByAddress: object('By address, an array of slots'),
  SubscriptionType: {
    type: 'string',
    enum: ['newHeads', 'logs', 'newPendingTransactions', 'droppedPendingTransactions', 'syncing'],
  },
  SubscriptionOptions: {
    oneOf: [
      { type: 'boolean', description: 'Whether whole transactions are told instead of their hashes' },
      object('includeTransactions; for logs fromBlock and toBlock, address, topics'),
    ],
  },
  Block: nullable(object('A block, with its transactions or their hashes')),
  Transaction: nullable(object('A transaction, and where it stands')),
  Receipt: nullable(object('What a transaction did')),
  Receipts: nullable(arrayOf(object('What a transaction did'))),
  Logs: arrayOf(object('A log, and where it stands')),
  Changes: arrayOf({ description: 'Hashes of blocks or transactions, or logs' }),
  Count: nullable(ref('Quantity')),
  Object: object('Members as in Besu'),
  Objects: arrayOf(object('Members as in Besu')),
  Trace: { description: 'What the tracer gives' },
  Syncing: { oneOf: [{ type: 'boolean' }, object('startingBlock, currentBlock, highestBlock')] },
} as const satisfies Readonly<Record<string, Schema>>

export type SchemaName = keyof typeof SCHEMAS

export const schemaRef = (name: SchemaName): Schema => ref(name)

/** What parameters are, by their names; where a method means something else it stands with `method.parameter`. */
export const PARAMETERS: Readonly<Record<string, SchemaName>> = {
  data: 'Data',
  blockCount: 'Quantity',
  newestBlock: 'BlockNumberOrTag',
  rewardPercentiles: 'Object',
  block: 'BlockNumberOrTagOrHash',
  'debug_traceBlock.block': 'Data',
  fullTransactions: 'Boolean',
  blockHash: 'Hash',
  index: 'Quantity',
  transactionHash: 'Hash',
  transaction: 'Data',
  'transactions…': 'Data',
  timeoutMs: 'Quantity',
  address: 'Address',
  position: 'Quantity',
  storageKeys: 'Hashes',
  call: 'Call',
  calls: 'Objects',
  stateOverrides: 'StateOverrides',
  blockOverrides: 'BlockOverrides',
  simulation: 'Simulation',
  filter: 'LogFilter',
  'txpool_besuPendingTransactions.filter': 'PendingFilter',
  'trace_filter.filter': 'TraceFilter',
  filterId: 'Quantity',
  slotsByAddress: 'SlotsByAddress',
  fromBlock: 'BlockNumberOrTag',
  toBlock: 'BlockNumberOrTag',
  add: 'Boolean',
  enode: 'Text',
  level: 'Text',
  parts: 'Texts',
  gasLimit: 'Quantity',
  weiPerGas: 'Quantity',
  limit: 'Number',
  ignored: 'Quantity',
  addressHash: 'Hash',
  maxResults: 'Number',
  transactionIndex: 'Quantity',
  startKey: 'Hash',
  options: 'TraceOptions',
  traceAddress: 'Texts',
  traceTypes: 'TraceTypes',
  type: 'SubscriptionType',
  'eth_subscribe.options': 'SubscriptionOptions',
  token: 'Text',
  subscriptionId: 'Quantity',
}
