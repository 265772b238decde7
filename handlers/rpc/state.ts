import type { StateReader } from '../../core/state/account.ts'
import type { RpcContext } from './context.ts'
import { type BlockSelector, blockNumberOf } from './parameters/block.ts'

/**
 * What `read` finds in the state after the block that is meant; null where there is no such block. `read` may run more
 * than once: again after what it missed was loaded.
 * @throws RpcError
 */
export const readState = async <T>(
  context: RpcContext,
  selector: BlockSelector,
  read: (state: StateReader) => T,
): Promise<T | null> => {
  const number = await blockNumberOf(context, selector)
  if (number === undefined) return null
  const { store } = context.chain
  return await store.run(() => read(store.stateAt(number)))
}
