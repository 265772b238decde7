import { nextBaseFee } from '../../../core/chain/baseFee.ts'
import { excessBlobGasAfter } from '../../../core/chain/blobFee.ts'
import { blockEnvironment, type OpenHeader } from '../../../core/chain/environment.ts'
import type { BlockEnvironment } from '../../../core/evm/environment.ts'
import type { Rules } from '../../../core/genesis/configuration.ts'
import { rulesAt } from '../../../core/genesis/schedule.ts'
import { createWorldState } from '../../../core/state/worldState.ts'
import type { WorldState } from '../../../core/state/world.ts'
import { headerOf } from '../blocks.ts'
import type { RpcContext } from '../context.ts'
import { minGasPriceOf } from '../nextHead.ts'
import type { BlockSelector } from '../parameters/block.ts'
import { type BlockHashes, createBlockHashes } from './blockHashes.ts'
import { precompilesUnder } from './precompileOverrides.ts'
import { applyOverrides, type StateOverrides } from './stateOverrides.ts'

/** The block a call is made in: what opcodes see of it, and the state it begins with. */
export type SimulationBlock = {
  readonly stateNumber: bigint
  readonly header: OpenHeader
  readonly rules: Rules
  /** What opcodes see otherwise than the header says. */
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
  const baseFeePerGas = nextBaseFee({
    configuration,
    rules,
    parent,
    parentRules: rulesAt(configuration, parent.number, parent.timestamp, parent.difficulty),
    genesisBaseFeePerGas: chain.genesis.header.baseFeePerGas,
    minGasPrice: minGasPriceOf(context),
  })
  const excessBlobGas = rules.blob === undefined ? undefined : excessBlobGasAfter(rules, rules.blob, parent)
  const header = { ...parent, parentHash: hash, number, timestamp, baseFeePerGas, excessBlobGas }
  return { stateNumber: parent.number, header, rules }
}

/** The block that is meant, `pending` being the next one; undefined where there is none. @throws RpcError */
export const simulationBlock = async (
  context: RpcContext,
  selector: BlockSelector,
): Promise<SimulationBlock | undefined> => {
  if (selector.kind === 'tag' && selector.tag === 'pending') return nextBlock(context)
  const header = await headerOf(context, selector)
  if (header === undefined) return undefined
  const { number, timestamp, difficulty } = header
  const rules = rulesAt(context.chain.configuration, number, timestamp, difficulty)
  return { stateNumber: number, header, rules }
}

/** What opcodes see in that block under the overrides, and the hashes that running them may have to load. @throws RpcError */
export const environmentIn = (
  { store, configuration }: RpcContext['chain'],
  block: SimulationBlock,
  overrides: StateOverrides,
): { readonly environment: BlockEnvironment; readonly hashes: BlockHashes } => {
  const hashes = createBlockHashes(store, block.header)
  const environment: BlockEnvironment = {
    ...blockEnvironment(configuration, block.rules, block.header, hashes.of),
    ...block.seen,
    precompileAt: precompilesUnder(block.rules.fork, overrides),
  }
  return { environment, hashes }
}

/**
 * Runs something in that block, over a world that nothing else sees. It may run more than once: again after what it
 * missed was loaded.
 */
export const simulateIn = async <T>(
  { chain }: RpcContext,
  block: SimulationBlock,
  overrides: StateOverrides,
  run: (world: WorldState, environment: BlockEnvironment) => T,
): Promise<T> => {
  const { store } = chain
  const { environment, hashes } = environmentIn(chain, block, overrides)
  return await hashes.run(() =>
    store.run(() => {
      const world = createWorldState(store.stateAt(block.stateNumber))
      applyOverrides(world, overrides)
      return run(world, environment)
    }),
  )
}
