import { nextBaseFeeOn } from '../../../core/chain/fees/baseFee.ts'
import { excessBlobGasAfter } from '../../../core/chain/fees/blobFee.ts'
import { blockEnvironment, type OpenHeader } from '../../../core/chain/execution/environment.ts'
import type { BlockEnvironment } from '../../../core/evm/transaction/environment.ts'
import type { Header } from '../../../core/block/header.ts'
import type { ChainConfiguration, Rules } from '../../../core/genesis/configuration.ts'
import { rulesAt } from '../../../core/genesis/forkSchedule.ts'
import { createWorldState } from '../../../core/state/worldState.ts'
import type { WorldState } from '../../../core/state/world.ts'
import { headerOf } from '../blocks/blockWithReceipts.ts'
import type { RpcContext } from '../context.ts'
import { minGasPriceOf } from '../fees/nextHead.ts'
import type { BlockSelector } from '../parameters/block.ts'
import { type BlockHashes, createBlockHashes } from './blockHashes.ts'
import { precompilesUnder } from './precompileOverrides.ts'
import { applyOverrides, type StateOverrides } from './stateOverrides.ts'

/** The block of a simulated call: the values that opcodes return, and the state before the call. */
export type SimulationBlock = {
  readonly stateNumber: bigint
  readonly header: OpenHeader
  readonly rules: Rules
  /** Values that opcodes return instead of the header's. */
  readonly seen?: Partial<BlockEnvironment>
}

const nextBlock = (context: RpcContext): SimulationBlock => {
  const { chain, nowMs } = context
  const { configuration } = chain
  const { header: parent, hash } = chain.head()
  const seconds = BigInt(Math.floor(nowMs() / 1000))
  const timestamp = seconds > parent.timestamp ? seconds : parent.timestamp + 1n
  const number = parent.number + 1n
  const rules = rulesAt(configuration, number, timestamp, parent.difficulty)
  const baseFeePerGas = nextBaseFeeOn(chain, rules, parent, minGasPriceOf(context))
  const excessBlobGas = rules.blob === undefined ? undefined : excessBlobGasAfter(rules, rules.blob, parent)
  const header = { ...parent, parentHash: hash, number, timestamp, baseFeePerGas, excessBlobGas }
  return { stateNumber: parent.number, header, rules }
}

/** Simulation blocks of the chain's headers. They are kept because thousands of calls run in the same block. */
const onChain = new WeakMap<Header, SimulationBlock>()

const blockOf = (configuration: ChainConfiguration, header: Header): SimulationBlock => {
  const known = onChain.get(header)
  if (known !== undefined) return known
  const { number, timestamp, difficulty } = header
  const block = { stateNumber: number, header, rules: rulesAt(configuration, number, timestamp, difficulty) }
  onChain.set(header, block)
  return block
}

/**
 * The block of a selector, where `pending` is the next one; undefined if it does not exist. Returns a promise only if the
 * header must be loaded. @throws RpcError
 */
export const simulationBlock = (
  context: RpcContext,
  selector: BlockSelector,
): SimulationBlock | undefined | Promise<SimulationBlock | undefined> => {
  const { configuration } = context.chain
  if (selector.kind === 'tag') {
    if (selector.tag === 'pending') return nextBlock(context)
    if (selector.tag === 'latest') return blockOf(configuration, context.chain.head().header)
  }
  return headerOf(context, selector).then(header => header && blockOf(configuration, header))
}

/** The environment of a run, and the block hashes that it may have to load. */
type RunEnvironment = { readonly environment: BlockEnvironment; readonly hashes: BlockHashes }

const environments = new WeakMap<SimulationBlock, RunEnvironment>()

/** The environment of that block under the overrides. @throws RpcError */
export const environmentIn = (
  chain: RpcContext['chain'],
  block: SimulationBlock,
  overrides: StateOverrides,
): RunEnvironment => {
  if (overrides.length > 0) return createRunEnvironment(chain, block, overrides)
  const known = environments.get(block)
  if (known !== undefined) return known
  const created = createRunEnvironment(chain, block, overrides)
  environments.set(block, created)
  return created
}

const createRunEnvironment = (
  { store, configuration }: RpcContext['chain'],
  block: SimulationBlock,
  overrides: StateOverrides,
): RunEnvironment => {
  const hashes = createBlockHashes(store, block.stateNumber, block.header)
  const environment: BlockEnvironment = {
    ...blockEnvironment(configuration, block.rules, block.header, hashes.of),
    ...block.seen,
    precompileAt: precompilesUnder(block.rules.fork, overrides),
  }
  return { environment, hashes }
}

/**
 * Executes `run` in that block on a separate world state. If entries of the store are missing, loads them, executes `run`
 * again and returns a promise.
 */
export const simulateIn = <T>(
  { chain }: RpcContext,
  block: SimulationBlock,
  overrides: StateOverrides,
  run: (world: WorldState, environment: BlockEnvironment) => T,
): T | Promise<T> => {
  const { store } = chain
  const { environment, hashes } = environmentIn(chain, block, overrides)
  return hashes.run(() =>
    store.runAtOnce(() => {
      const world = createWorldState(store.stateAt(block.stateNumber))
      applyOverrides(world, overrides)
      return run(world, environment)
    }),
  )
}
