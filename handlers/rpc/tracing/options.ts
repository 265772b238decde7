import { isObject, type JsonObject } from '../../../core/json.ts'
import { RpcError } from '../errors.ts'
import { flagOf, integerOf } from '../parameters/values.ts'
import { objectsBudget } from './budget.ts'
import { callTracer } from './callTracer.ts'
import { erc7562Tracer, IGNORED_OPCODES } from './erc7562Tracer.ts'
import { flatCallTracer } from './flatCallTracer.ts'
import { fourByteTracer } from './fourByteTracer.ts'
import { muxTracer, noopTracer, opcountTracer } from './plainTracers.ts'
import { type PrestateOptions, prestateTracer } from './prestateTracer.ts'
import { structLogTracer } from './structLogs.ts'
import type { TracerKind } from './traced.ts'

/** Maximum number of opcode names: the number of possible opcodes. */
const OPCODE_NAMES_MAX = 256

const invalid = (detail: string): never => {
  throw new RpcError('INVALID_TRANSACTION_TRACE', { detail })
}

const flag = (options: JsonObject, name: string): boolean | undefined => {
  const value = options[name] ?? undefined
  return value === undefined ? undefined : (flagOf(value) ?? invalid(`${name} must be true or false`))
}

const readLimit = (value: unknown): number => {
  if (value === undefined || value === null) return 0
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  return invalid('limit must be a number of steps')
}

const readOpcodes = (value: unknown): ReadonlySet<string> | undefined => {
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value) || value.length > OPCODE_NAMES_MAX)
    return invalid('opcodes must be a list of names')
  const names = value.map(name =>
    typeof name === 'string' ? name.toUpperCase() : invalid('opcodes must be a list of names'),
  )
  return names.length === 0 ? undefined : new Set(names)
}

const readIgnoredOpcodes = (value: unknown): ReadonlySet<number> => {
  if (value === undefined) return IGNORED_OPCODES
  if (!Array.isArray(value) || value.length > OPCODE_NAMES_MAX)
    return invalid('ignoredOpcodes must be a list of opcodes')
  return new Set(
    value.map(op => Number(integerOf(op, 8) ?? invalid('ignoredOpcodes must be a list of opcodes'))),
  )
}

/** Memory is off by default; geth and Besu have different names for it. */
const wantsMemory = (options: JsonObject): boolean =>
  flag(options, 'enableMemory') ?? flag(options, 'disableMemory') === false

/** The smaller of two limits, where 0 is none. */
const lowerLimit = (a: number, b: number): number => (a === 0 || b === 0 ? a + b : Math.min(a, b))

const opcodeTracer = (options: JsonObject, stepsMax: number): TracerKind =>
  structLogTracer({
    disableStack: flag(options, 'disableStack') ?? false,
    disableStorage: flag(options, 'disableStorage') ?? false,
    enableMemory: wantsMemory(options),
    enableReturnData: flag(options, 'enableReturnData') ?? false,
    limit: lowerLimit(readLimit(options['limit']), stepsMax),
    opcodes: readOpcodes(options['opcodes']),
  })

/** Case-sensitive names; each creates a tracer from its `tracerConfig`. */
const TRACERS: Readonly<Record<string, (config: JsonObject) => TracerKind>> = {
  callTracer: config =>
    callTracer({
      onlyTopCall: flag(config, 'onlyTopCall') ?? false,
      withLog: flag(config, 'withLog') ?? false,
    }),
  flatCallTracer: config =>
    flatCallTracer({
      convertParityErrors: flag(config, 'convertParityErrors') ?? false,
      includePrecompiles: flag(config, 'includePrecompiles') ?? false,
    }),
  prestateTracer: config => prestateTracer(readPrestateOptions(config)),
  erc7562Tracer: config =>
    erc7562Tracer({
      withLog: flag(config, 'withLog') ?? false,
      ignoredOpcodes: readIgnoredOpcodes(config['ignoredOpcodes'] ?? undefined),
    }),
  '4byteTracer': () => fourByteTracer,
  noopTracer: () => noopTracer,
  opcountTracer: () => opcountTracer,
  muxTracer: config =>
    muxTracer(
      Object.entries(config).map(([name, inner]) => {
        if (name === 'muxTracer') return invalid('muxTracer accepts every tracer except itself')
        return [name, tracerNamed(name, inner)] as const
      }),
    ),
}

const tracerNamed = (name: unknown, given: unknown): TracerKind => {
  const config = given ?? {}
  if (!isObject(config)) return invalid('tracerConfig must be an object')
  const make = typeof name === 'string' && Object.hasOwn(TRACERS, name) ? TRACERS[name] : undefined
  if (make === undefined) return invalid(`tracer must be one of ${Object.keys(TRACERS).join(', ')}`)
  return make(config)
}

const readPrestateOptions = (config: JsonObject): PrestateOptions => {
  const options = {
    diffMode: flag(config, 'diffMode') ?? false,
    disableCode: flag(config, 'disableCode') ?? false,
    disableStorage: flag(config, 'disableStorage') ?? false,
    includeEmpty: flag(config, 'includeEmpty') ?? false,
  }
  return options.diffMode && options.includeEmpty
    ? invalid('includeEmpty has no effect with diffMode, which contains every change')
    : options
}

/** The given options of a trace; an empty object without any. @throws RpcError */
export const readTraceOptions = (value: unknown): JsonObject => {
  if (value === undefined) return {}
  return isObject(value) ? value : invalid('must be an object of options')
}

/**
 * The tracer of the options, by default the opcode tracer.
 * @param stepsMax recorded steps of an opcode trace; 0 for no limit but the client's. @throws RpcError
 */
export const tracerOf = (options: JsonObject, stepsMax = 0): TracerKind => {
  const name = options['tracer'] ?? undefined
  if (name === undefined || name === '') return opcodeTracer(options, stepsMax)
  const kind = tracerNamed(name, options['tracerConfig'])
  return (traced, budget) => kind(traced, objectsBudget(budget))
}
