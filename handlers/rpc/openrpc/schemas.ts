import { LOG_LEVELS } from '../logLevels.ts'
import {
  FEE_HISTORY_BLOCKS_MAX,
  INTERVAL_SECONDS_MAX,
  MINED_BLOCKS_MAX,
  PERCENTILES_MAX,
  STORAGE_KEYS_MAX,
} from '../parameters/limits.ts'

/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })
const arrayOf = (items: Schema): Schema => ({ type: 'array', items })
const object = (description: string): Schema => ({ type: 'object', description })
/** An integer as a number or in hex. @param digits a regular expression of its hex digits after leading zeros */
const integer = (minimum: number, maximum: number, digits: string): Schema => ({
  oneOf: [
    { type: 'integer', minimum, maximum },
    { type: 'string', pattern: `^0x0*(${digits})$` },
  ],
})
/** Hex with at most the given number of digits. */
const hex = (digits: number): Schema => ({ type: 'string', pattern: `^0x[0-9a-fA-F]{1,${digits}}$` })
const HEX_63_BITS: Schema = { type: 'string', pattern: '^0x0*([0-9a-fA-F]{1,15}|[1-7][0-9a-fA-F]{15})$' }
/** How the methods of a development chain take an integer. */
const IN_DECIMAL = 'as a number, in hex with 0x, or in decimal without'
/** @param digits decimal digits that are in range whatever they are */
const orDecimal = (hexSchema: Schema, maximum: number, digits: number): Schema => ({
  oneOf: [
    { type: 'integer', minimum: 0, maximum },
    hexSchema,
    { type: 'string', pattern: `^[0-9]{1,${digits}}$` },
  ],
})
const DECIMAL_63_BITS = orDecimal(HEX_63_BITS, Number.MAX_SAFE_INTEGER, 18)
const DECIMAL_256_BITS = orDecimal(hex(64), Number.MAX_SAFE_INTEGER, 77)
const nullable = (schema: Schema): Schema => ({ oneOf: [schema, { type: 'null' }] })

/** Schemas of parameters and results. The description of a parameter's schema is sent to clients that pass an invalid value. */
export const SCHEMAS = {
  Boolean: { type: 'boolean' },
  Flag: { enum: [true, false, 'true', 'false', 1, 0], description: 'true or false' },
  Number: { type: 'number' },
  Text: { type: 'string' },
  Quantity: { type: 'string', pattern: '^0x(0|[1-9a-f][0-9a-f]*)$', description: 'an integer in hex' },
  Data: {
    type: 'string',
    pattern: '^0x([0-9a-fA-F]{2})*$',
    description: 'bytes in hex: 0x and an even number of digits',
  },
  DataOrNone: {
    type: 'string',
    pattern: '^(0x([0-9a-fA-F]{2})*)?$',
    description: 'bytes in hex, 0x and an even number of digits, or an empty string',
  },
  DataList: arrayOf(ref('Data')),
  SignedTransaction: {
    type: 'string',
    pattern: '^0x([0-9a-fA-F]{2})+$',
    description: 'a signed transaction in hex: its RLP, after its type if it is typed',
  },
  BlockRlp: { type: 'string', pattern: '^0x([0-9a-fA-F]{2})+$', description: 'the RLP of a block in hex' },
  ExtraData: {
    type: 'string',
    pattern: '^0x([0-9a-fA-F]{2}){0,32}$',
    description: 'at most 32 bytes in hex',
  },
  Hash: { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$', description: '32 bytes in hex with 0x' },
  Key: { ...hex(64), description: 'a key of at most 32 bytes in hex' },
  Slot: { ...hex(64), description: 'a storage slot as a string: 0x and at most 64 hex digits' },
  Slots: {
    ...arrayOf(ref('Slot')),
    maxItems: STORAGE_KEYS_MAX,
    description: `at most ${STORAGE_KEYS_MAX} storage slots, each 0x and at most 64 hex digits`,
  },
  Address: {
    type: 'string',
    pattern: '^0x[0-9a-fA-F]{40}$',
    description: 'an address of 20 bytes in hex; leading zeros may be omitted',
  },
  WholeAddress: {
    type: 'string',
    pattern: '^(0x)?[0-9a-fA-F]{40}$',
    description: 'an address of 20 bytes in hex',
  },
  Addresses: arrayOf(ref('Address')),
  Index: {
    ...integer(0, 0x7fffffff, '[0-9a-fA-F]{1,7}|[1-7][0-9a-fA-F]{7}'),
    description: 'an index from 0 to 0x7fffffff, as a number or in hex',
  },
  BlockCount: {
    ...integer(1, FEE_HISTORY_BLOCKS_MAX, '[1-9a-fA-F][0-9a-fA-F]?|[1-3][0-9a-fA-F]{2}|400'),
    description: `a number of blocks from 1 to ${FEE_HISTORY_BLOCKS_MAX}, as a number or in hex`,
  },
  Percentiles: {
    ...arrayOf({ type: 'number', minimum: 0, maximum: 100 }),
    maxItems: PERCENTILES_MAX,
    description: `at most ${PERCENTILES_MAX} numbers from 0 to 100 in ascending order`,
  },
  Milliseconds: {
    ...integer(0, Number.MAX_SAFE_INTEGER, '[0-9a-fA-F]{1,13}|1[0-9a-fA-F]{13}'),
    description: 'milliseconds, as a number or in hex',
  },
  Wei: { ...hex(64), description: 'wei: an integer of at most 256 bits, as a number or in hex' },
  Gas: { ...HEX_63_BITS, description: 'gas: an integer of at most 63 bits, as a number or in hex' },
  Integer: { ...DECIMAL_63_BITS, description: `an integer of at most 63 bits, ${IN_DECIMAL}` },
  DecimalWei: { ...DECIMAL_256_BITS, description: `wei: an integer of at most 256 bits, ${IN_DECIMAL}` },
  DecimalGas: { ...DECIMAL_63_BITS, description: `gas: an integer of at most 63 bits, ${IN_DECIMAL}` },
  DecimalSlot: { ...DECIMAL_256_BITS, description: `a storage slot of at most 256 bits, ${IN_DECIMAL}` },
  Limit: { type: 'integer', minimum: 0, description: 'a number of transactions, 0 or more' },
  ResultCount: {
    ...integer(1, Number.MAX_SAFE_INTEGER, '[1-9a-fA-F][0-9a-fA-F]{0,12}|1[0-9a-fA-F]{13}'),
    description: 'a number of results, 1 or more, as a number or in hex',
  },
  FilterId: { type: 'string', description: 'the id of a filter as a string' },
  SubscriptionId: {
    ...hex(16),
    description: 'the id of a subscription: an integer of at most 64 bits in hex',
  },
  LogLevel: { type: 'string', enum: LOG_LEVELS, description: LOG_LEVELS.join(', ') },
  LogParts: {
    ...arrayOf({ type: 'string' }),
    maxItems: 100,
    description: 'at most 100 names of parts of the node',
  },
  FileName: {
    type: 'string',
    pattern: '^(?!.*\\.part$)[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$',
    description: 'a file name of at most 100 letters, digits, dots, hyphens and underscores',
  },
  Texts: { ...arrayOf({ type: 'string' }), description: 'an array of strings' },
  Enode: { type: 'string', description: 'an enode URL' },
  BlockNumberOrTag: {
    oneOf: [HEX_63_BITS, { type: 'string', enum: ['earliest', 'latest', 'pending', 'safe', 'finalized'] }],
    description:
      'a block number of at most 63 bits, 0 or more, or earliest, latest, pending, safe, finalized',
  },
  BlockNumberOrTagOrHash: {
    oneOf: [
      ref('BlockNumberOrTag'),
      ref('Hash'),
      { ...object('EIP-1898: blockHash, optionally with requireCanonical'), required: ['blockHash'] },
      { ...object('EIP-1898: blockNumber'), required: ['blockNumber'] },
    ],
    description:
      'a block number of at most 63 bits, 0 or more, a block hash of 32 bytes, earliest, latest, pending, safe, finalized, or an object with blockHash or blockNumber',
  },
  MineRequest: {
    oneOf: [DECIMAL_63_BITS, object('timestamp and blocks')],
    description: 'a timestamp in seconds, or an object with timestamp and blocks',
  },
  MinedBlocks: {
    ...orDecimal({ type: 'string', pattern: '^0x0*[0-9a-fA-F]{1,4}$' }, MINED_BLOCKS_MAX, 4),
    description: `a number of blocks, at most ${MINED_BLOCKS_MAX}`,
  },
  IntervalSeconds: {
    ...orDecimal({ type: 'string', pattern: '^0x0*[0-9a-fA-F]{1,5}$' }, INTERVAL_SECONDS_MAX, 6),
    description: `seconds, at most ${INTERVAL_SECONDS_MAX}`,
  },
  ResetRequest: object('forking'),
  TypedData: {
    oneOf: [{ type: 'string' }, object('types, primaryType, domain and message')],
    description: 'types, primaryType, domain and message (EIP-712), as an object or as JSON text',
  },
  Call: object('from, to, gas, gasPrice or the fees of EIP-1559, value, input, accessList, nonce and more'),
  CallsWithTypes: {
    ...arrayOf({ type: 'array' }),
    maxItems: 100,
    description: 'at most 100 pairs of a call and its trace types',
  },
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
  TraceTypes: {
    ...arrayOf({ type: 'string', enum: ['trace', 'vmTrace', 'stateDiff'] }),
    description: 'a list of trace, vmTrace and stateDiff',
  },
  TraceAddress: {
    ...arrayOf(hex(8)),
    maxItems: 1025,
    description: 'a list of at most 1025 integers of at most 32 bits in hex',
  },
  SlotsByAddress: object('By address, an array of slots'),
  SubscriptionType: {
    type: 'string',
    enum: ['newHeads', 'logs', 'newPendingTransactions', 'droppedPendingTransactions', 'syncing'],
    description: 'newHeads, logs, newPendingTransactions, droppedPendingTransactions or syncing',
  },
  SubscriptionOptions: {
    oneOf: [
      { type: 'boolean', description: 'True for whole transactions instead of their hashes' },
      object('includeTransactions; for logs fromBlock and toBlock, address, topics'),
    ],
  },
  Nothing: { type: 'null' },
  HashOrNothing: nullable(ref('Hash')),
  Block: nullable(object('A block, with its transactions or their hashes')),
  Transaction: nullable(object('A transaction and its position in a block')),
  Receipt: nullable(object('The receipt of a transaction')),
  Receipts: nullable(arrayOf(object('The receipt of a transaction'))),
  Logs: arrayOf(object('A log and its position in the chain')),
  Changes: arrayOf({ description: 'Hashes of blocks or transactions, or logs' }),
  Count: nullable(ref('Quantity')),
  Object: object('The same members as in Besu'),
  Objects: arrayOf(object('The same members as in Besu')),
  Trace: { description: 'The output of the tracer' },
  Syncing: { oneOf: [{ type: 'boolean' }, object('startingBlock, currentBlock, highestBlock')] },
} as const satisfies Readonly<Record<string, Schema>>

export type SchemaName = keyof typeof SCHEMAS

export const schemaRef = (name: SchemaName): Schema => ref(name)
