import { maxBigint, minBigint } from '../../../core/bytes/integer.ts'
import { ELASTICITY_MULTIPLIER } from '../../../core/chain/fees/baseFee.ts'
import type { Block } from '../../../core/block/block.ts'
import { gasPriceOf } from '../../../core/block/transactionPrice.ts'
import type { RpcHost } from '../context.ts'
import { lowestTipOf, minGasPriceOf, nextHeadOf } from './nextHead.ts'

/** Suggests prices from those of the last blocks; each block is read once. */
export type GasPriceOracle = {
  /** Wei per gas. */
  gasPrice(): Promise<bigint>
  /** Wei per gas. */
  priorityFee(): Promise<bigint>
  /** Forgets the blocks that were read: the chain went back. */
  forget(): void
}

/** Data of one block for suggestions, in wei per gas. */
type Sample = {
  /**
   * Paid prices. Undefined where the block was not full: then the lowest price sufficed, whatever transactions paid.
   */
  readonly gasPrices: readonly bigint[] | undefined
  /** Priority fees that EIP-1559 transactions offered. */
  readonly priorityFees: readonly bigint[]
}

const EMPTY: Sample = { gasPrices: undefined, priorityFees: [] }

/** Fewer priority fees than this are completed with the lowest tip, so that a single outlier does not set the suggestion. */
const PRIORITY_FEES_MIN = 3

const percentileOf = (prices: readonly bigint[], percentile: number): bigint | undefined => {
  const sorted = [...prices].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percentile) / 100))]
}

const sampleOfBlock = ({ header, transactions }: Block): Sample => {
  const { baseFeePerGas, gasUsed, gasLimit } = header
  const isFull = gasUsed > gasLimit / ELASTICITY_MULTIPLIER
  return {
    gasPrices: isFull ? transactions.map(one => gasPriceOf(one, baseFeePerGas)) : undefined,
    priorityFees: transactions
      .filter(({ type }) => type >= 2)
      .map(({ maxPriorityFeePerGas }) => maxPriorityFeePerGas),
  }
}

export const createGasPriceOracle = (host: RpcHost): GasPriceOracle => {
  const { chain, options, scheduler } = host
  const samples = new Map<bigint, Sample>()

  const sampleOf = async (number: bigint): Promise<Sample> => {
    const known = samples.get(number)
    if (known !== undefined) return known
    const block = (await chain.store.record(number))?.block
    const sample = block === undefined ? EMPTY : sampleOfBlock(block)
    samples.set(number, sample)
    return sample
  }

  const latest = async (): Promise<readonly Sample[]> => {
    const head = chain.head().header.number
    const own = (chain.store.forkBlock?.() ?? -1n) + 1n
    const first = maxBigint(own, head - BigInt(options.gasPriceBlocks) + 1n)
    for (const number of samples.keys()) if (number < first) samples.delete(number)
    const yieldTurn = scheduler.createYield()
    const all: Sample[] = []
    for (let number = first; number <= head; number++) {
      await yieldTurn()
      all.push(await sampleOf(number))
    }
    return all
  }

  const typicalOf = (paid: readonly bigint[]): bigint | undefined =>
    percentileOf(paid, options.gasPricePercentile)

  /**
   * A price that suffices for the next block, and for the head, because clients estimate and call at the head with this
   * price. 0 if gas is free from the next block on; calls at the head are then free, too.
   */
  const lowestPrice = (): bigint => {
    const nextBaseFee = nextHeadOf(host).nextBaseFeePerGas ?? 0n
    const headBaseFee = chain.head().header.baseFeePerGas ?? 0n
    const baseFee = nextBaseFee === 0n ? 0n : maxBigint(nextBaseFee, headBaseFee)
    return maxBigint(minGasPriceOf(host), baseFee)
  }

  return {
    gasPrice: async () => {
      const lowest = lowestPrice()
      const typical = typicalOf((await latest()).flatMap(({ gasPrices }) => gasPrices ?? [lowest]))
      return maxBigint(lowest, minBigint(options.gasPriceMax, typical ?? lowest))
    },
    priorityFee: async () => {
      const lowest = lowestTipOf(host)
      const fees = (await latest()).flatMap(({ priorityFees }) => priorityFees)
      while (fees.length < PRIORITY_FEES_MIN) fees.push(lowest)
      return maxBigint(lowest, typicalOf(fees) ?? lowest)
    },
    forget: () => samples.clear(),
  }
}
