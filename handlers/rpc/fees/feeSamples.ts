import { type Cache, createCache } from '../../../core/store/cache.ts'
import type { BlockRecord, ChainStore } from '../../../core/store/store.ts'

/** Memory of all samples: some ten thousand blocks whose transactions pay a few different tips. */
const SAMPLES_BYTES_MAX = 8 * 1024 * 1024

/** Size of one tip and its gas, with their objects. */
const STEP_BYTES = 96

/** The tips paid in one block, in wei, ascending, each with the gas it was paid for. */
export type FeeSample = readonly { readonly tip: bigint; readonly gasUsed: bigint }[]

const sampleOf = ({ block, receipts }: BlockRecord): FeeSample => {
  const baseFee = block.header.baseFeePerGas ?? 0n
  const gasByTip = new Map<bigint, bigint>()
  for (const { effectiveGasPrice, gasUsed } of receipts) {
    const tip = effectiveGasPrice - baseFee
    gasByTip.set(tip, (gasByTip.get(tip) ?? 0n) + gasUsed)
  }
  return [...gasByTip]
    .map(([tip, gasUsed]) => ({ tip, gasUsed }))
    .sort((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0))
}

/** One cache for each store. Blocks are final, so a sample never changes. */
const caches = new WeakMap<ChainStore, Cache<FeeSample>>()

/** The sample of a block of the chain, cached: all wallets request the same blocks. */
export const feeSampleAt = async (store: ChainStore, number: bigint): Promise<FeeSample> => {
  let cache = caches.get(store)
  if (cache === undefined) {
    cache = createCache(SAMPLES_BYTES_MAX, sample => sample.length * STEP_BYTES)
    caches.set(store, cache)
  }
  const key = String(number)
  const known = cache.get(key)
  if (known !== undefined) return known
  const sample = sampleOf((await store.record(number)) as BlockRecord)
  cache.set(key, sample)
  return sample
}

/** Forgets the samples of this store: its chain went back. */
export const forgetFeeSamples = (store: ChainStore): void => {
  caches.delete(store)
}
