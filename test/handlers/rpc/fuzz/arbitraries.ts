import * as fc from 'fast-check'
import type { Method } from '../../../../handlers/rpc/method.ts'
import type { SchemaName } from '../../../../handlers/rpc/openrpc/schemas.ts'

/** Things of the chain that is asked, so that what is right but for one part gets far. */
export type Known = {
  readonly addresses: readonly string[]
  readonly hashes: readonly string[]
  readonly transactions: readonly string[]
  /** Tokens of users, where a method takes them. */
  readonly tokens?: readonly string[]
}

type Any = fc.Arbitrary<unknown>

const hexOf = (digits: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...Array.from('0123456789abcdefABCDEF')), { minLength: digits, maxLength: digits })
    .map(list => `0x${list.join('')}`)

/** Members that some parameter has, so that objects get past the first look. */
const MEMBERS = [
  '',
  ...`from to data input gas gasPrice value nonce chainId accessList strict maxFeePerGas maxPriorityFeePerGas
    maxFeePerBlobGas blobVersionedHashes authorizationList blockHash blockNumber requireCanonical fromBlock toBlock
    address topics balance code state stateDiff movePrecompileToAddress blockStateCalls calls blockOverrides
    stateOverrides validation traceTransfers time number withdrawals tracer tracerConfig diffMode onlyTopCall withLog
    disableStack limit after count eq gt lt action fromAddress toAddress __proto__ constructor toString`.split(
    /\s+/,
  ),
]

const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '0x',
    '0X',
    '0xg',
    '0x0g',
    '-0x1',
    '-1',
    '+1',
    '1e3',
    '0x1 ',
    'null',
    'latest',
    'LATEST',
  ),
  fc.constantFrom(
    'pending',
    'safe',
    'finalized',
    'earliest',
    'undefined',
    'NaN',
    '٣',
    '０ｘ１',
    '\u0000',
    '\ud800',
  ),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'hasOwnProperty',
    '0b1',
    '0o7',
    '1_000',
    '../../etc',
    '${1}',
    '%s',
  ),
  fc.constantFrom('callTracer', 'prestateTracer', '4byteTracer', 'trace', 'vmTrace', 'stateDiff', '*', 'ALL'),
  fc.integer({ min: 0, max: 70 }).chain(hexOf),
  fc.constantFrom(1_000, 65_537, 200_000).map(length => `0x${'f'.repeat(length)}`),
  fc.string({ unit: 'binary', maxLength: 20 }),
)

const hostileNumber: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(-1, -0, 0, 1, 2, 0.5, -1.5, 1e21, 1e308, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 63, 2 ** 64),
  fc.integer(),
)

const deep: Any = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.boolean()).map(([depth, inArrays]) => {
  let value: unknown = 1
  for (let i = 0; i < depth; i++) value = inArrays ? [value] : { calls: value }
  return value
})

const large: Any = fc.oneof(
  fc.constantFrom(100, 2_000).map(length => Array.from({ length }, (_, i) => `0x${i.toString(16)}`)),
  fc.constantFrom(100, 2_000).map(length => Array.from({ length }, () => ({}))),
  fc
    .constantFrom(100, 2_000)
    .map(length => Object.fromEntries(Array.from({ length }, (_, i) => [`0x${i.toString(16)}`, {}]))),
)

const scalar: Any = fc.oneof(fc.constantFrom(null, true, false), hostileText, hostileNumber)

const objectOf = (value: Any): Any =>
  fc
    .array(fc.tuple(fc.oneof(fc.constantFrom(...MEMBERS), hexOf(40)), value), { maxLength: 5 })
    .map(entries => Object.fromEntries(entries))

/** Anything at all. */
export const hostile: Any = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 2, arbitrary: objectOf(scalar) },
  { weight: 2, arbitrary: fc.array(fc.oneof(scalar, objectOf(scalar)), { maxLength: 4 }) },
  {
    weight: 1,
    arbitrary: objectOf(fc.oneof(objectOf(scalar), fc.array(objectOf(scalar), { maxLength: 3 }))),
  },
  { weight: 1, arbitrary: deep },
  { weight: 1, arbitrary: large },
)

/** Right as a rule: what is wrong in one of many places is found only where the rest is right. */
const mostly = (value: Any, wrong: Any): Any =>
  fc.oneof({ weight: 40, arbitrary: value }, { weight: 1, arbitrary: wrong })

/** What a parameter of that kind should be. */
const plausibleOf = ({
  addresses,
  hashes,
  transactions,
  tokens = [],
}: Known): Readonly<Record<SchemaName, Any>> => {
  const address: Any = fc.oneof(
    fc.constantFrom(...addresses),
    hexOf(40),
    fc.constantFrom('0x1', '0x4', '0x09'),
  )
  const hash: Any = fc.oneof(fc.constantFrom(...hashes), hexOf(64))
  const quantity: Any = fc.oneof(
    fc.integer({ min: 0, max: 40 }).map(n => `0x${n.toString(16)}`),
    fc.constantFrom('0x5208', '0x77359400', '0xde0b6b3a7640000', '0xffffffffffffffff', `0x${'f'.repeat(64)}`),
  )
  const data: Any = fc.oneof(
    fc.integer({ min: 0, max: 40 }).chain(n => hexOf(2 * n)),
    fc.constantFrom(...transactions),
  )
  const number: Any = fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 6 }).map(n => `0x${n}`) },
    { weight: 4, arbitrary: fc.constantFrom('latest', 'earliest', 'pending') },
    { weight: 1, arbitrary: fc.oneof(quantity, fc.constantFrom('safe', 'finalized')) },
  )
  const block: Any = fc.oneof(
    { weight: 8, arbitrary: number },
    { weight: 1, arbitrary: hash },
    { weight: 1, arbitrary: fc.record({ blockHash: hash, requireCanonical: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ blockNumber: quantity }) },
  )
  const boolean = fc.boolean()
  const nearlyRight = (members: Record<string, Any>): Record<string, Any> =>
    Object.fromEntries(Object.entries(members).map(([name, value]) => [name, mostly(value, hostile0)]))
  /** Each member right, seldom wrong, often missing. */
  const record = (members: Record<string, Any>): Any => fc.record(nearlyRight(members), { requiredKeys: [] })
  /** The same with none missing. */
  const whole = (members: Record<string, Any>): Any => fc.record(nearlyRight(members))
  const seldom = (value: Any): Any =>
    fc.oneof({ weight: 12, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value })
  const list = (value: Any): Any => fc.array(mostly(value, scalar), { maxLength: 4 })
  const mapOf = (key: Any, value: Any): Any =>
    fc
      .array(fc.tuple(mostly(key, hostileText) as fc.Arbitrary<string>, value), { maxLength: 3 })
      .map(entries => Object.fromEntries(entries))
  const byAddress = (value: Any): Any => mapOf(address, value)
  const slots = mapOf(fc.oneof(hash, quantity), mostly(fc.oneof(hash, quantity), scalar))
  const price = fc.constantFrom('0x0', '0x1', '0x77359400')
  const small: Any = fc.integer({ min: 0, max: 9 }).map(n => `0x${n}`)
  const call = record({
    from: address,
    to: address,
    gas: fc.constantFrom('0x5208', '0x7530', '0x186a0', '0x2dc6c0'),
    gasPrice: price,
    maxFeePerGas: price,
    maxPriorityFeePerGas: fc.constantFrom('0x0', '0x1'),
    maxFeePerBlobGas: quantity,
    value: fc.constantFrom('0x0', '0x1', '0xde0b6b3a7640000'),
    nonce: seldom(small),
    input: data,
    chainId: seldom(fc.constantFrom('0x539', '0x1')),
    strict: boolean,
    accessList: seldom(list(whole({ address, storageKeys: list(hash) }))),
    blobVersionedHashes: seldom(list(hash)),
    authorizationList: seldom(
      list(whole({ chainId: quantity, address, nonce: small, yParity: small, r: quantity, s: quantity })),
    ),
  })
  const stateOverrides = byAddress(
    record({
      balance: quantity,
      nonce: small,
      code: data,
      state: seldom(slots),
      stateDiff: slots,
      movePrecompileToAddress: seldom(address),
    }),
  )
  const blockOverrides = record({
    number: seldom(quantity),
    time: seldom(quantity),
    gasLimit: seldom(quantity),
    feeRecipient: address,
    prevRandao: hash,
    baseFeePerGas: quantity,
    blobBaseFee: quantity,
    difficulty: quantity,
    extraData: data,
    parentBeaconBlockRoot: seldom(hash),
    withdrawals: seldom(list(whole({ index: small, validatorIndex: small, address, amount: small }))),
  })
  const filter = record({
    fromBlock: number,
    toBlock: number,
    blockHash: seldom(hash),
    address: fc.oneof(address, list(address)),
    topics: list(fc.oneof(hash, list(hash), fc.constant(null))),
  })
  const traceTypes = list(fc.constantFrom('trace', 'vmTrace', 'stateDiff'))
  const options = record({
    tracer: fc.constantFrom('callTracer', 'prestateTracer', '4byteTracer', 'flatCallTracer', 'none'),
    tracerConfig: record({ diffMode: boolean, onlyTopCall: boolean, withLog: boolean }),
    disableStorage: boolean,
    disableMemory: boolean,
    disableStack: boolean,
    limit: quantity,
    opcodes: list(fc.constantFrom('SSTORE', 'CALL')),
    stateOverrides,
    blockOverrides,
  })
  const condition = record({ eq: quantity, gt: quantity, lt: quantity })
  const anything = hostile0
  return {
    Boolean: boolean,
    Number: fc.integer({ min: 0, max: 50 }),
    Text: tokens.length === 0 ? hostileText : fc.oneof(hostileText, nearlyToken(tokens)),
    Quantity: quantity,
    Data: data,
    DataOrNone: data,
    DataList: list(data),
    Hash: hash,
    Flag: fc.constantFrom(true, false, 'true', 'false', 1, 0),
    SignedTransaction: data,
    BlockRlp: data,
    ExtraData: fc.integer({ min: 0, max: 32 }).chain(n => hexOf(2 * n)),
    Key: fc.oneof(hash, quantity),
    Slot: fc.oneof(hash, quantity),
    Slots: list(fc.oneof(hash, quantity)),
    Index: fc.oneof(small, fc.integer({ min: 0, max: 9 })),
    BlockCount: fc.oneof(small, fc.integer({ min: 1, max: 9 })),
    Percentiles: fc
      .uniqueArray(mostly(fc.integer({ min: 0, max: 100 }), scalar), { maxLength: 6 })
      .map(list => list.sort((a, b) => Number(a) - Number(b))),
    Milliseconds: fc.integer({ min: 0, max: 50 }),
    Wei: quantity,
    Gas: quantity,
    Integer: quantity,
    DecimalWei: quantity,
    DecimalGas: quantity,
    DecimalSlot: fc.oneof(hash, quantity),
    Limit: fc.integer({ min: 0, max: 50 }),
    ResultCount: fc.oneof(small, fc.integer({ min: 1, max: 50 })),
    FilterId: quantity,
    SubscriptionId: small,
    LogLevel: fc.constantFrom('INFO', 'DEBUG', 'ALL', 'info'),
    LogParts: list(hostileText),
    Texts: list(hostileText),
    Enode: hostileText,
    FileName: hostileText,
    CallsWithTypes: list(fc.tuple(call, traceTypes)),
    TraceAddress: list(fc.oneof(small, hostileText)),
    Address: address,
    WholeAddress: address,
    Addresses: list(address),
    BlockNumberOrTag: number,
    BlockNumberOrTagOrHash: block,
    Call: call,
    MineRequest: fc.oneof(quantity, record({ timestamp: quantity, blocks: small })),
    TypedData: anything,
    MinedBlocks: small,
    IntervalSeconds: small,
    ResetRequest: record({ forking: record({ jsonRpcUrl: hostileText }) }),
    StateOverrides: stateOverrides,
    BlockOverrides: blockOverrides,
    Simulation: record({
      blockStateCalls: list(record({ calls: list(call), stateOverrides, blockOverrides })),
      validation: boolean,
      traceTransfers: boolean,
      returnFullTransactions: boolean,
    }),
    LogFilter: filter,
    PendingFilter: record({
      from: record({ eq: address }),
      to: record({ eq: address, action: fc.constant('contract_creation') }),
      gas: condition,
      gasPrice: condition,
      value: condition,
      nonce: condition,
    }),
    TraceFilter: record({
      fromBlock: number,
      toBlock: number,
      fromAddress: list(address),
      toAddress: list(address),
      after: quantity,
      count: quantity,
    }),
    TraceOptions: options,
    TraceTypes: traceTypes,
    SubscriptionType: fc.constantFrom(
      'newHeads',
      'logs',
      'newPendingTransactions',
      'droppedPendingTransactions',
      'syncing',
    ),
    SubscriptionOptions: fc.oneof(filter, boolean, record({ includeTransactions: boolean })),
    SlotsByAddress: byAddress(list(fc.oneof(hash, quantity))),
    Objects: anything,
    Object: anything,
    Simulated: anything,
    Nothing: anything,
    HashOrNothing: anything,
    Block: anything,
    Transaction: anything,
    Receipt: anything,
    Receipts: anything,
    Logs: anything,
    Changes: anything,
    Count: anything,
    Trace: anything,
    Syncing: anything,
  }
}

/** A token, or one that a letter was changed or left out of. */
const nearlyToken = (tokens: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...tokens), fc.nat({ max: 1_000 }), fc.constantFrom('', '.', 'A', '=', '\u0000'))
    .map(([token, at, letter]) =>
      at < token.length ? `${token.slice(0, at)}${letter}${token.slice(at + 1)}` : token,
    )

const hostile0: Any = fc.oneof(scalar, objectOf(scalar), fc.array(scalar, { maxLength: 3 }))

/** Parameters for a method: each right, nearly right, wrong, or missing; now and then one too many. */
export const parametersOf = (known: Known): ((row: Method) => fc.Arbitrary<readonly unknown[]>) => {
  const plausible = plausibleOf(known)
  return ({ params }) => {
    const each = params.map(({ schema }) =>
      fc.oneof({ weight: 5, arbitrary: plausible[schema] }, { weight: 1, arbitrary: hostile }),
    )
    return fc
      .tuple(fc.tuple(...each), fc.array(hostile, { maxLength: 1 }), fc.nat({ max: 29 }))
      .map(([values, more, cut]) =>
        cut < values.length ? values.slice(0, cut) : cut > 27 ? [...values, ...more] : values,
      )
  }
}
