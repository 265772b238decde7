import type { StateReader } from '../../../core/state/account.ts'
import type { RpcContext } from '../context.ts'
import { type BlockSelector, blockNumberOf } from '../parameters/block.ts'

/**
 * Reads from the state after the selected block; null where there is no such block. `read` runs again after missing
 * entries were loaded. @throws RpcError
 */
export const readState = <T>(
  context: RpcContext,
  selector: BlockSelector,
  read: (state: StateReader) => T,
): T | null | Promise<T | null> => {
  const { chain } = context
  const { store } = chain
  const readAt = (number: bigint | undefined): T | null | Promise<T | null> =>
    number === undefined ? null : store.runAtOnce(() => read(store.stateAt(number)))
  // The common case: without a promise each read costs a tenth less.
  if (selector.kind === 'tag' && selector.tag === 'latest') return readAt(chain.head().header.number)
  return blockNumberOf(context, selector).then(readAt)
}
