import type { Hash } from '../../../core/bytes/bytes.ts'
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
import type { BlockSelector } from '../parameters/block.ts'
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

const nextBlock = ({ chain, nowMs, options }: RpcContext): SimulationBlock => {
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
    minGasPrice: options.minGasPrice,
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

/** BLOCKHASH of a block that is no longer in memory: its hash must be loaded before the run can go on. */
class MissingBlockHash extends Error {
  override readonly name = 'MissingBlockHash'
  readonly code = 'MISSING_BLOCK_HASH'
  readonly number: bigint
  constructor(number: bigint) {
    super(`the hash of block ${number} must be loaded`)
    this.number = number
  }
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
  const { store, configuration } = chain
  const loaded = new Map<bigint, Hash>()
  const blockHash = (number: bigint): Hash | undefined => {
    if (number >= block.header.number || number < 0n) return undefined
    const hash = number === block.header.number - 1n ? block.header.parentHash : store.recentHash(number)
    if (hash !== undefined) return hash
    const before = loaded.get(number)
    if (before === undefined) throw new MissingBlockHash(number)
    return before
  }
  const environment: BlockEnvironment = {
    ...blockEnvironment(configuration, block.rules, block.header, blockHash),
    ...block.seen,
    precompileAt: precompilesUnder(block.rules.fork, overrides),
  }
  for (;;) {
    try {
      return await store.run(() => {
        const world = createWorldState(store.stateAt(block.stateNumber))
        applyOverrides(world, overrides)
        return run(world, environment)
      })
    } catch (error) {
      // At most once for each of the 256 blocks that BLOCKHASH reaches.
      if (!(error instanceof MissingBlockHash)) throw error
      const child = await store.header(error.number + 1n)
      if (child === undefined) throw error
      loaded.set(error.number, child.parentHash)
    }
  }
}
