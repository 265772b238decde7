import type { Hash } from '../../core/bytes/bytes.ts'
import { toBareHex } from '../../core/bytes/hex.ts'
import type { BuiltBlock } from '../../core/chain/chain.ts'

/**
 * Blocks of one height whose execution is kept for their commit: different ones come only with further rounds, and each may
 * hold megabytes. One that is gone is executed again.
 */
const KEPT_MAX = 8

export type ExecutedBlocks = {
  put(hash: Hash, built: BuiltBlock): void
  get(hash: Hash): BuiltBlock | undefined
  clear(): void
}

/** What executing the blocks of the current height gave, by on-chain hash; the oldest goes first. */
export const createExecutedBlocks = (): ExecutedBlocks => {
  const kept = new Map<string, BuiltBlock>()
  return {
    put: (hash, built) => {
      kept.set(toBareHex(hash), built)
      const [oldest] = kept.keys()
      if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest)
    },
    get: hash => kept.get(toBareHex(hash)),
    clear: () => kept.clear(),
  }
}
