import { maxBigint, minBigint } from '../../core/bytes/integer.ts'
import type { RpcHost } from './context.ts'
import { minGasPriceOf, minPriorityFeeOf, nextHeadOf } from './nextHead.ts'
import { createPace } from './pace.ts'

/** Suggests prices from what was paid lately; each block is read once. */
export type GasPriceOracle = {
  /** Wei per gas. */
  gasPrice(): Promise<bigint>
  /** Wei per gas. */
  priorityFee(): Promise<bigint>
}

/** Prices that the transactions of one block named. */
type Sample = { readonly gasPrices: readonly bigint[]; readonly priorityFees: readonly bigint[] }

const percentileOf = (prices: readonly bigint[], percentile: number): bigint | undefined => {
  const sorted = [...prices].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percentile) / 100))]
}

export const createGasPriceOracle = (host: RpcHost): GasPriceOracle => {
  const { chain, options, nowMs } = host
  const samples = new Map<bigint, Sample>()

  const sampleOf = async (number: bigint): Promise<Sample> => {
    const known = samples.get(number)
    if (known !== undefined) return known
    const transactions = (await chain.store.record(number))?.block.transactions ?? []
    const sample: Sample = {
      gasPrices: transactions.filter(({ type }) => type <= 1).map(({ maxFeePerGas }) => maxFeePerGas),
      priorityFees: transactions
        .filter(({ type }) => type >= 2)
        .map(({ maxPriorityFeePerGas }) => maxPriorityFeePerGas),
    }
    samples.set(number, sample)
    return sample
  }

  const latest = async (): Promise<readonly Sample[]> => {
    const head = chain.head().header.number
    const first = maxBigint(0n, head - BigInt(options.gasPriceBlocks) + 1n)
    for (const number of samples.keys()) if (number < first) samples.delete(number)
    const pace = createPace(nowMs)
    const all: Sample[] = []
    for (let number = first; number <= head; number++) {
      await pace()
      all.push(await sampleOf(number))
    }
    return all
  }

  return {
    gasPrice: async () => {
      const prices = (await latest()).flatMap(sample => sample.gasPrices)
      const lowest = maxBigint(minGasPriceOf(host), nextHeadOf(host).nextBaseFeePerGas ?? 0n)
      const typical = percentileOf(prices, options.gasPricePercentile)
      return typical === undefined ? lowest : maxBigint(lowest, minBigint(options.gasPriceMax, typical))
    },
    priorityFee: async () => {
      const fees = (await latest()).flatMap(sample => sample.priorityFees)
      return maxBigint(minPriorityFeeOf(host), percentileOf(fees, options.gasPricePercentile) ?? 0n)
    },
  }
}
