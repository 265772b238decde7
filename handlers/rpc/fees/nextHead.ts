import { maxBigint } from '../../../core/bytes/integer.ts'
import { poolHeadOf } from '../../../core/txpool/head.ts'
import type { PoolHead } from '../../../core/txpool/pool.ts'
import type { RpcHost } from '../context.ts'

type Asked = Pick<RpcHost, 'chain' | 'nowMs' | 'options' | 'miner'>

/** Wei per gas: the node's own, which an operator may have changed since it started. */
export const minGasPriceOf = ({ miner, options }: Pick<Asked, 'miner' | 'options'>): bigint =>
  miner?.settings().minGasPrice ?? options.minGasPrice

/** Wei per gas, likewise. */
export const minPriorityFeeOf = ({ miner, options }: Pick<Asked, 'miner' | 'options'>): bigint =>
  miner?.settings().minPriorityFee ?? options.minPriorityFee

/** The known inputs of the next block's rules. */
export const nextHeadOf = (host: Asked): PoolHead =>
  poolHeadOf(host.chain, BigInt(Math.floor(host.nowMs() / 1000)), {
    minGasPrice: minGasPriceOf(host),
    minPriorityFee: minPriorityFeeOf(host),
  })

/**
 * Part of the next base fee that a suggested tip relies on: the base fee falls by an eighth a block at most, so a transaction
 * that is sent within fifteen blocks of the suggestion still pays the minimum gas price.
 */
const BASE_FEE_DIVISOR = 8n

/** Wei per gas: the lowest tip with which a transaction reaches this node's minimum gas price. */
export const lowestTipOf = (host: Asked): bigint => {
  const { nextBaseFeePerGas, minGasPrice, minPriorityFee } = nextHeadOf(host)
  const { fixedBaseFee } = host.chain.configuration
  const baseFee = (nextBaseFeePerGas ?? 0n) / (fixedBaseFee ? 1n : BASE_FEE_DIVISOR)
  return maxBigint(minPriorityFee, minGasPrice - baseFee)
}
