import type { Header } from '../../../core/block/header.ts'
import type { BlockRecord } from '../../../core/store/store.ts'
import type { RpcContext } from '../context.ts'
import { type BlockSelector, blockNumberOf } from '../parameters/block.ts'

/** The selected block with its receipts, undefined where there is none. @throws RpcError */
export const recordOf = async (
  context: RpcContext,
  selector: BlockSelector,
): Promise<BlockRecord | undefined> => {
  const number = await blockNumberOf(context, selector)
  return number === undefined ? undefined : await context.chain.store.record(number)
}

/** The selected header, undefined where there is none. @throws RpcError */
export const headerOf = async (context: RpcContext, selector: BlockSelector): Promise<Header | undefined> => {
  const number = await blockNumberOf(context, selector)
  if (number === undefined) return undefined
  const head = context.chain.head().header
  return number === head.number ? head : await context.chain.store.header(number)
}
