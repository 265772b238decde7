import { RpcError } from '../../dispatch/errors.ts'
import { flagOf, isObject } from '../../parameters/values.ts'
import { type BlockOverrides, readBlockOverrides } from '../blockOverrides.ts'
import { type CallParameters, readCall } from '../callParameters.ts'
import { OVERRIDES_MAX, overridesSize, readStateOverrides, type StateOverrides } from '../stateOverrides.ts'

/** Blocks of one simulation, those that fill gaps included, as in geth and Besu. */
export const SIMULATED_BLOCKS_MAX = 256
/** Calls of one simulation: each is work and part of the answer, however little gas it uses. */
export const SIMULATED_CALLS_MAX = 5_000

/** A block as it is asked for. */
export type BlockCalls = {
  readonly calls: readonly CallParameters[]
  readonly blockOverrides: BlockOverrides
  readonly stateOverrides: StateOverrides
}

export type SimulationRequest = {
  readonly blocks: readonly BlockCalls[]
  /** Asks of nonces and fees what a block asks, and gives blocks the base fee they would have. */
  readonly validation: boolean
  /** Transfers of the chain's own money are logged like those of tokens. */
  readonly traceTransfers: boolean
  readonly fullTransactions: boolean
}

const invalid = (detail: string): never => {
  throw new RpcError('INVALID_PARAMS', { detail })
}

const NO_OVERRIDES = readBlockOverrides({}) as BlockOverrides

/** Where both are given `input` is meant. */
const readSimulatedCall = (value: unknown): CallParameters =>
  readCall(
    isObject(value) && (value['input'] ?? undefined) !== undefined ? { ...value, data: undefined } : value,
  )

const readBlock = (value: unknown): BlockCalls => {
  if (!isObject(value)) return invalid('each of blockStateCalls is an object')
  const calls = value['calls'] ?? []
  if (!Array.isArray(calls)) return invalid('calls are an array')
  if (calls.length > SIMULATED_CALLS_MAX) throw tooMany('calls', SIMULATED_CALLS_MAX)
  return {
    calls: calls.map(readSimulatedCall),
    blockOverrides: readBlockOverrides(value['blockOverrides']) ?? NO_OVERRIDES,
    stateOverrides: readStateOverrides(value['stateOverrides'] ?? undefined),
  }
}

export const tooMany = (what: string, most: number): RpcError =>
  new RpcError('SIMULATION_LIMIT', { detail: `${most} ${what} at most` })

const readFlag = (value: Readonly<Record<string, unknown>>, name: string): boolean => {
  return flagOf(value[name] ?? false) ?? invalid(`${name} is true or false`)
}

/** The first parameter of eth_simulateV1. @throws RpcError */
export const readSimulation = (value: unknown): SimulationRequest => {
  if (!isObject(value)) return invalid('an object with blockStateCalls is wanted')
  const blocks = value['blockStateCalls']
  if (!Array.isArray(blocks) || blocks.length === 0) return invalid('blockStateCalls are an array of blocks')
  if (blocks.length > SIMULATED_BLOCKS_MAX) throw tooMany('blocks', SIMULATED_BLOCKS_MAX)
  if (readFlag(value, 'returnTrieLog')) return invalid('returnTrieLog: this node has no trie logs')
  const request = {
    blocks: blocks.map(readBlock),
    validation: readFlag(value, 'validation'),
    traceTransfers: readFlag(value, 'traceTransfers'),
    fullTransactions: readFlag(value, 'returnFullTransactions'),
  }
  const total = (of: (block: BlockCalls) => number): number =>
    request.blocks.reduce((sum, block) => sum + of(block), 0)
  if (total(({ calls }) => calls.length) > SIMULATED_CALLS_MAX) throw tooMany('calls', SIMULATED_CALLS_MAX)
  if (total(({ stateOverrides }) => overridesSize(stateOverrides)) > OVERRIDES_MAX)
    throw tooMany('accounts and slots in state overrides', OVERRIDES_MAX)
  return request
}

/** A block of a gap: empty, and as its parent where nothing says otherwise. */
export const EMPTY_BLOCK: BlockCalls = { calls: [], blockOverrides: NO_OVERRIDES, stateOverrides: [] }
