import type { Hash } from '../../../core/bytes/bytes.ts'
import type { OpenHeader } from '../../../core/chain/execution/environment.ts'
import type { ChainStore } from '../../../core/store/store.ts'

/** BLOCKHASH of a block that is no longer in memory: the hash is loaded, and the run repeated. */
class MissingBlockHash extends Error {
  override readonly name = 'MissingBlockHash'
  readonly code = 'MISSING_BLOCK_HASH'
  readonly number: bigint
  constructor(number: bigint) {
    super(`the hash of block ${number} must be loaded`)
    this.number = number
  }
}

/** The answers of BLOCKHASH in a block that continues the chain's state. */
export type BlockHashes = {
  /** Hash of a block, up to the one whose state is used; undefined for later ones. Only called within `run`. */
  readonly of: (number: bigint) => Hash | undefined
  /** Runs `attempt`, and repeats it after loading each missing hash. Returns a promise only if one was missing. */
  run<T>(attempt: () => T | Promise<T>): T | Promise<T>
}

/**
 * `stateNumber` is the last block of the chain that took effect. An override of the block number moves the range of
 * BLOCKHASH up to that block; the hash before `header` is known without the store.
 */
export const createBlockHashes = (
  store: ChainStore,
  stateNumber: bigint,
  header: Pick<OpenHeader, 'number' | 'parentHash'>,
): BlockHashes => {
  const loaded = new Map<bigint, Hash>()
  const load = async (error: unknown): Promise<void> => {
    if (!(error instanceof MissingBlockHash)) throw error
    const child = await store.header(error.number + 1n)
    if (child === undefined) throw error
    loaded.set(error.number, child.parentHash)
  }
  const again = async <T>(first: unknown, attempt: () => T | Promise<T>): Promise<T> => {
    // At most once for each of the 256 blocks that BLOCKHASH reaches.
    for (let failed = first; ; ) {
      await load(failed)
      try {
        return await attempt()
      } catch (error) {
        failed = error
      }
    }
  }
  return {
    of: number => {
      if (number > stateNumber || number < 0n) return undefined
      const hash = number === header.number - 1n ? header.parentHash : store.recentHash(number)
      if (hash !== undefined) return hash
      const before = loaded.get(number)
      if (before === undefined) throw new MissingBlockHash(number)
      return before
    },
    run: attempt => {
      try {
        const found = attempt()
        return found instanceof Promise ? found.catch((error: unknown) => again(error, attempt)) : found
      } catch (error) {
        return again(error, attempt)
      }
    },
  }
}
