import type { BlockEnvironment } from '../../../core/evm/transaction/environment.ts'
import type { WorldState } from '../../../core/state/world.ts'
import { createWorldState } from '../../../core/state/worldState.ts'
import type { RpcContext } from '../context.ts'
import { environmentIn, type SimulationBlock } from '../simulation/block.ts'
import { applyOverrides, type StateOverrides } from '../simulation/stateOverrides.ts'

/** A past world state on which transactions run one after the other, with pauses between them. */
export type Session = {
  readonly world: WorldState
  readonly environment: BlockEnvironment
  /**
   * Runs one step on the world state. If entries are missing, loads them and repeats the step on the state before it. An
   * error leaves the state unchanged.
   */
  step<T>(attempt: () => T): Promise<T>
}

/** Opens a session on the state before `block`. */
export const openSession = async (
  { chain }: Pick<RpcContext, 'chain'>,
  block: SimulationBlock,
  overrides: StateOverrides = [],
): Promise<Session> => {
  const { store } = chain
  const { environment, hashes } = environmentIn(chain, block, overrides)
  const world = createWorldState(store.stateAt(block.stateNumber))
  const step = async <T>(attempt: () => T): Promise<T> => {
    const before = world.snapshot()
    return await hashes.run(() =>
      store.run(() => {
        world.revert(before)
        return attempt()
      }),
    )
  }
  if (overrides.length > 0) await step(() => applyOverrides(world, overrides))
  return { world, environment, step }
}
