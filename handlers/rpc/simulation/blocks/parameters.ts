import { isObject, type JsonObject } from '../../../../core/json.ts'
import { RpcError } from '../../errors.ts'
import { flagOf } from '../../parameters/values.ts'
import { type BlockOverrides, readBlockOverrides } from '../blockOverrides.ts'
import { type CallParameters, readCall } from '../callParameters.ts'
import { OVERRIDES_MAX, overridesSize, readStateOverrides, type StateOverrides } from '../stateOverrides.ts'

/** Maximum number of blocks of one simulation, including those that fill gaps, as in geth and Besu. */
export const SIMULATED_BLOCKS_MAX = 256
/** Maximum number of calls of one simulation: each costs time and a part of the answer, however little gas it uses. */
export const SIMULATED_CALLS_MAX = 5_000

/** A requested block. */
export type BlockCalls = {
  readonly calls: readonly CallParameters[]
  readonly blockOverrides: BlockOverrides
  readonly stateOverrides: StateOverrides
}

export type SimulationRequest = {
  readonly blocks: readonly BlockCalls[]
  /** Checks nonces and fees as a block does, and computes base fees. */
  readonly validation: boolean
  /** Logs native transfers like token transfers. */
  readonly traceTransfers: boolean
  readonly fullTransactions: boolean
}

const invalid = (detail: string): never => {
  throw new RpcError('INVALID_PARAMS', { detail })
}

const NO_OVERRIDES = readBlockOverrides({}) as BlockOverrides

/** `input` takes precedence over `data`. */
const readSimulatedCall = (value: unknown): CallParameters =>
  readCall(
    isObject(value) && (value['input'] ?? undefined) !== undefined ? { ...value, data: undefined } : value,
  )

const readBlock = (value: unknown): BlockCalls => {
  if (!isObject(value)) return invalid('each element of blockStateCalls must be an object')
  const calls = value['calls'] ?? []
  if (!Array.isArray(calls)) return invalid('calls must be an array')
  if (calls.length > SIMULATED_CALLS_MAX) throw tooMany('calls', SIMULATED_CALLS_MAX)
  return {
    calls: calls.map(readSimulatedCall),
    blockOverrides: readBlockOverrides(value['blockOverrides']) ?? NO_OVERRIDES,
    stateOverrides: readStateOverrides(value['stateOverrides'] ?? undefined),
  }
}

export const tooMany = (what: string, maximum: number): RpcError =>
  new RpcError('SIMULATION_LIMIT', { detail: `at most ${maximum} ${what}` })

const readFlag = (value: JsonObject, name: string): boolean => {
  return flagOf(value[name] ?? false) ?? invalid(`${name} must be true or false`)
}

/** The first parameter of eth_simulateV1. @throws RpcError */
export const readSimulation = (value: unknown): SimulationRequest => {
  if (!isObject(value)) return invalid('must be an object with blockStateCalls')
  const blocks = value['blockStateCalls']
  if (!Array.isArray(blocks) || blocks.length === 0)
    return invalid('blockStateCalls must be a non-empty array of blocks')
  if (blocks.length > SIMULATED_BLOCKS_MAX) throw tooMany('blocks', SIMULATED_BLOCKS_MAX)
  if (readFlag(value, 'returnTrieLog')) return invalid('returnTrieLog: this node has no trie logs')
  const request = {
    blocks: blocks.map(readBlock),
    validation: readFlag(value, 'validation'),
    traceTransfers: readFlag(value, 'traceTransfers'),
    fullTransactions: readFlag(value, 'returnFullTransactions'),
  }
  const total = (sizeOf: (block: BlockCalls) => number): number =>
    request.blocks.reduce((sum, block) => sum + sizeOf(block), 0)
  if (total(({ calls }) => calls.length) > SIMULATED_CALLS_MAX) throw tooMany('calls', SIMULATED_CALLS_MAX)
  if (total(({ stateOverrides }) => overridesSize(stateOverrides)) > OVERRIDES_MAX)
    throw tooMany('accounts and slots in state overrides', OVERRIDES_MAX)
  return request
}

/** A block that fills a gap: without calls and overrides. */
export const EMPTY_BLOCK: BlockCalls = { calls: [], blockOverrides: NO_OVERRIDES, stateOverrides: [] }
