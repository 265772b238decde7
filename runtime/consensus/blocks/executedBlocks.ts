import { setBounded } from '../../../core/collections/boundedMap.ts'
import type { Hash } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import type { BuiltBlock } from '../../../core/chain/chain.ts'

/**
 * Maximum executed blocks kept for their commit. Each may take megabytes; an evicted one is executed again. A height has
 * more than one block only if it takes several rounds.
 */
const KEPT_MAX = 8

export type ExecutedBlocks = {
  put(hash: Hash, built: BuiltBlock): void
  get(hash: Hash): BuiltBlock | undefined
  clear(): void
}

/** Execution results of the current height by block hash; the oldest is evicted first. */
export const createExecutedBlocks = (): ExecutedBlocks => {
  const kept = new Map<string, BuiltBlock>()
  return {
    put: (hash, built) => {
      setBounded(kept, toBareHex(hash), built, KEPT_MAX)
    },
    get: hash => kept.get(toBareHex(hash)),
    clear: () => kept.clear(),
  }
}
