import type { Hash } from '../../../core/bytes/bytes.ts'
import type { ChainStore } from '../../../core/store/store.ts'

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
 * Runs something that asks for hashes of blocks of the chain. It runs again for each that must be loaded first, at most
 * 256 times: that is how far BLOCKHASH reaches.
 */
export const withBlockHashes = async <T>(
  store: ChainStore,
  run: (hashOf: (number: bigint) => Hash) => Promise<T>,
): Promise<T> => {
  const loaded = new Map<bigint, Hash>()
  const hashOf = (number: bigint): Hash => {
    const hash = store.recentHash(number) ?? loaded.get(number)
    if (hash === undefined) throw new MissingBlockHash(number)
    return hash
  }
  for (;;) {
    try {
      return await run(hashOf)
    } catch (error) {
      if (!(error instanceof MissingBlockHash) || loaded.has(error.number)) throw error
      const child = await store.header(error.number + 1n)
      if (child === undefined) throw error
      loaded.set(error.number, child.parentHash)
    }
  }
}
