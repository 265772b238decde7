import { blocksUpTo } from '../chain/blocks.ts'
import { head, headRefusal, rewinds } from '../rpc/heads.ts'
import type { RpcBlock } from '../rpc/types.ts'
import { type Loaded, useLoaded } from './useLoaded.ts'
import { useValue } from './useValue.ts'

/** The last blocks of the chain, the latest first, renewed with each block. */
export const useRecentBlocks = (count: number): Loaded<readonly RpcBlock[]> & { readonly method: string } => {
  const number = useValue(head)
  const rewound = useValue(rewinds)
  const refusal = useValue(headRefusal)
  const loaded = useLoaded(`blocks ${count}`, async () => {
    if (number !== undefined) return await blocksUpTo(number, count)
    if (refusal !== undefined) throw refusal
    return await new Promise<never>(() => undefined)
  }, [number, rewound, refusal])
  return { ...loaded, method: number === undefined ? 'eth_blockNumber' : 'eth_getBlockByNumber' }
}
