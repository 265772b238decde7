import type { Hash } from '../../../core/bytes/bytes.ts'
import type { BlockRecord } from '../../../core/store/store.ts'
import type { RpcContext } from '../context.ts'

/** A transaction of the chain: its block, and its index. */
export type Mined = { readonly record: BlockRecord; readonly index: number }

/** The mined transaction of that hash. */
export const findMined = async (
  { chain }: Pick<RpcContext, 'chain'>,
  hash: Hash,
): Promise<Mined | undefined> => {
  const location = await chain.store.transactionLocation(hash)
  if (location === undefined) return undefined
  const record = await chain.store.record(location.blockNumber)
  return record === undefined ? undefined : { record, index: location.index }
}
