import { blocksUpTo } from '../chain/blocks.ts'
import { head, rewinds } from '../rpc/heads.ts'
import type { RpcBlock } from '../rpc/types.ts'
import { type Loaded, useLoaded } from './useLoaded.ts'
import { useValue } from './useValue.ts'

/** The last blocks of the chain, the latest first, renewed with each block. */
export const useRecentBlocks = (count: number): Loaded<readonly RpcBlock[]> => {
  const number = useValue(head)
  const rewound = useValue(rewinds)
  return useLoaded(
    `blocks ${count}`,
    async () =>
      number === undefined ? new Promise<never>(() => undefined) : await blocksUpTo(number, count),
    [number, rewound],
  )
}
