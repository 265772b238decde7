import { maxBigint } from '../../../core/bytes/integer.ts'
import { poolHeadOf } from '../../../core/txpool/head.ts'
import type { PoolHead } from '../../../core/txpool/pool.ts'
import type { RpcHost } from '../context.ts'

type FeeHost = Pick<RpcHost, 'chain' | 'nowMs' | 'options' | 'miner'>

/** Minimum gas price of this node in wei; an operator may have changed it since the start. */
export const minGasPriceOf = ({ miner, options }: Pick<FeeHost, 'miner' | 'options'>): bigint =>
  miner?.settings().minGasPrice ?? options.minGasPrice

/** Minimum priority fee of this node in wei per gas; an operator may have changed it since the start. */
const minPriorityFeeOf = ({ miner, options }: Pick<FeeHost, 'miner' | 'options'>): bigint =>
  miner?.settings().minPriorityFee ?? options.minPriorityFee

/** The inputs of the next block's fee rules, as far as known. */
export const nextHeadOf = (host: FeeHost): PoolHead =>
  poolHeadOf(host.chain, BigInt(Math.floor(host.nowMs() / 1000)), {
    minGasPrice: minGasPriceOf(host),
    minPriorityFee: minPriorityFeeOf(host),
    chosen: host.miner?.settings().chosen,
  })

/**
 * The base fee that a suggested tip relies on is the next one divided by this. It falls by an eighth a block at most, so a transaction
 * pays the minimum gas price for ninety blocks after the suggestion: a person may take a minute to confirm it in a wallet.
 */
const BASE_FEE_DIVISOR = 2n ** 18n

/** Wei per gas: the lowest tip with which a transaction reaches this node's minimum gas price. */
export const lowestTipOf = (host: FeeHost): bigint => {
  const { nextBaseFeePerGas, minGasPrice, minPriorityFee } = nextHeadOf(host)
  const { fixedBaseFee } = host.chain.configuration
  const baseFee = (nextBaseFeePerGas ?? 0n) / (fixedBaseFee ? 1n : BASE_FEE_DIVISOR)
  return maxBigint(minPriorityFee, minGasPrice - baseFee)
}
