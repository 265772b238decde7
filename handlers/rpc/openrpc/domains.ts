import { isObject } from '../../../core/json.ts'
import { LOG_LEVELS } from '../logLevels.ts'
import { type SchemaName, SCHEMAS } from './schemas.ts'
import type { Method, Params } from '../method.ts'
import { numberSelectorOf, selectorOf } from '../parameters/block.ts'
import { fileNameOf } from '../parameters/fileName.ts'
import {
  FEE_HISTORY_BLOCKS_MAX,
  INTERVAL_SECONDS_MAX,
  MINED_BLOCKS_MAX,
  STORAGE_KEYS_MAX,
} from '../parameters/limits.ts'
import { percentilesOf } from '../parameters/percentiles.ts'
import {
  addressOf,
  decimalOrHexOf,
  exactAddressOf,
  bytesOf,
  flagOf,
  given,
  hashOf,
  integerOf,
  prefixedBytesOf,
  slotOf,
} from '../parameters/values.ts'

type ValueTest = (value: unknown) => boolean

/** True for a value that the reader accepts. */
const readable =
  (read: (value: unknown) => unknown): ValueTest =>
  value =>
    read(value) !== undefined

const isText: ValueTest = value => typeof value === 'string'

const atMost = (bits: number): ValueTest => readable(value => integerOf(value, bits))

const between = (minimum: bigint, maximum: bigint): ValueTest => {
  return value => {
    const integer = integerOf(value, 64)
    return integer !== undefined && integer >= minimum && integer <= maximum
  }
}

const decimalAtMost = (bits: number): ValueTest => readable(value => decimalOrHexOf(value, bits))

const decimalUpTo = (maximum: number): ValueTest => {
  return value => {
    const integer = decimalOrHexOf(value)
    return integer !== undefined && integer <= BigInt(maximum)
  }
}

const isKey: ValueTest = value => hashOf(value) !== undefined || integerOf(value) !== undefined

const TRACE_TYPES: readonly unknown[] = ['trace', 'vmtrace', 'statediff']

const isTraceType: ValueTest = value => typeof value === 'string' && TRACE_TYPES.includes(value.toLowerCase())

const SUBSCRIPTION_TYPES: readonly unknown[] = SCHEMAS.SubscriptionType.enum

/** Tests whether a value is valid for a schema. Of an object only the type is tested; its reader checks the members. */
const TESTS: Readonly<Partial<Record<SchemaName, ValueTest>>> = {
  Flag: readable(flagOf),
  Text: isText,
  Texts: value => Array.isArray(value) && value.every(isText),
  DataOrNone: value => value === '' || prefixedBytesOf(value) !== undefined,
  SignedTransaction: readable(bytesOf),
  BlockRlp: readable(bytesOf),
  ExtraData: readable(bytesOf),
  Hash: readable(hashOf),
  Key: isKey,
  Slot: readable(slotOf),
  Slots: value => Array.isArray(value) && value.length <= STORAGE_KEYS_MAX && value.every(readable(slotOf)),
  Address: readable(addressOf),
  WholeAddress: readable(exactAddressOf),
  Index: atMost(31),
  BlockCount: between(1n, BigInt(FEE_HISTORY_BLOCKS_MAX)),
  Percentiles: readable(percentilesOf),
  Milliseconds: atMost(53),
  Wei: atMost(256),
  Gas: atMost(63),
  Integer: decimalAtMost(63),
  DecimalWei: decimalAtMost(256),
  DecimalGas: decimalAtMost(63),
  DecimalSlot: decimalAtMost(256),
  Limit: value => Number.isInteger(value) && (value as number) >= 0,
  ResultCount: between(1n, BigInt(Number.MAX_SAFE_INTEGER)),
  FileName: readable(fileNameOf),
  FilterId: isText,
  SubscriptionId: atMost(64),
  SubscriptionType: value => SUBSCRIPTION_TYPES.includes(value),
  LogLevel: value => (LOG_LEVELS as readonly unknown[]).includes(value),
  LogParts: value => Array.isArray(value) && value.every(isText),
  Enode: isText,
  BlockNumberOrTag: readable(numberSelectorOf),
  BlockNumberOrTagOrHash: readable(selectorOf),
  Data: readable(prefixedBytesOf),
  MineRequest: value => isObject(value) || decimalOrHexOf(value, 63) !== undefined,
  MinedBlocks: decimalUpTo(MINED_BLOCKS_MAX),
  IntervalSeconds: decimalUpTo(INTERVAL_SECONDS_MAX),
  ResetRequest: isObject,
  TypedData: value => isObject(value) || isText(value),
  Call: isObject,
  CallsWithTypes: value => Array.isArray(value) && value.every(Array.isArray),
  StateOverrides: isObject,
  BlockOverrides: isObject,
  Simulation: isObject,
  LogFilter: isObject,
  PendingFilter: isObject,
  TraceFilter: isObject,
  TraceOptions: isObject,
  TraceTypes: value => Array.isArray(value) && value.every(isTraceType),
  TraceAddress: value => Array.isArray(value) && value.every(atMost(32)),
  SlotsByAddress: isObject,
}

export const isValidFor = (schema: SchemaName, value: unknown): boolean => TESTS[schema]?.(value) ?? true

/** Description of the valid values of a schema. */
const wordsOf = (name: SchemaName): string => {
  const schema: Readonly<Record<string, unknown>> = SCHEMAS[name]
  const { description, type } = schema
  if (type === 'object') return `an object: ${String(description)}`
  return typeof description === 'string' ? description : String(type)
}

/**
 * Names the first invalid parameter of a refused request and describes its valid values; undefined if all values are valid for
 * their schemas. Only called after a method has refused its parameters.
 */
export const invalidParameter = ({ params: declared }: Method, params: Params): string | undefined => {
  for (const [index, { name, isRequired, schema }] of declared.entries()) {
    const value = given(params, index)
    if (value === undefined) {
      if (isRequired) return `${name} is missing: ${wordsOf(schema)}`
      continue
    }
    if (!isValidFor(schema, value)) return `${name}: ${wordsOf(schema)}`
  }
  return undefined
}
