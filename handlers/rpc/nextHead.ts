import { poolHeadOf } from '../../core/txpool/head.ts'
import type { PoolHead } from '../../core/txpool/pool.ts'
import type { RpcHost } from './context.ts'

type Asked = Pick<RpcHost, 'chain' | 'nowMs' | 'options' | 'miner'>

/** Wei per gas: the node's own, which an operator may have changed since it started. */
export const minGasPriceOf = ({ miner, options }: Pick<Asked, 'miner' | 'options'>): bigint =>
  miner?.settings().minGasPrice ?? options.minGasPrice

/** Wei per gas, likewise. */
export const minPriorityFeeOf = ({ miner, options }: Pick<Asked, 'miner' | 'options'>): bigint =>
  miner?.settings().minPriorityFee ?? options.minPriorityFee

/** What the next block is judged by, as far as it is known now. */
export const nextHeadOf = (host: Asked): PoolHead =>
  poolHeadOf(host.chain, BigInt(Math.floor(host.nowMs() / 1000)), minGasPriceOf(host))
