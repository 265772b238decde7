import type { ChainConfiguration } from '../../../core/genesis/configuration.ts'
import { type PoolOptions, POOL_OPTIONS } from '../../../core/txpool/admission.ts'
import { RPC_DEFAULTS } from '../../../handlers/rpc/context.ts'
import { UsageError } from '../../cli/errors.ts'
import type { NodeOptions } from '../../cli/nodeOptions.ts'

/** Wei per gas. A development chain accepts any price: its base fee falls to almost nothing, and clients follow it. */
export const minGasPriceOf = ({
  minGasPrice,
  genesisFile,
}: Pick<NodeOptions, 'minGasPrice' | 'genesisFile'>): bigint =>
  minGasPrice ?? (genesisFile === undefined ? 0n : RPC_DEFAULTS.minGasPrice)

/** @throws UsageError as Besu for a pool that would accept transactions below the minimum gas price of blocks */
export const requirePoolPrice = (options: NodeOptions): void => {
  const { txPoolMinGasPrice } = options
  const minGasPrice = minGasPriceOf(options)
  if (txPoolMinGasPrice !== undefined && txPoolMinGasPrice > minGasPrice)
    throw new UsageError(
      'INVALID_VALUE',
      `--tx-pool-min-gas-price (${txPoolMinGasPrice}) must not be above --min-gas-price (${minGasPrice})`,
    )
}

/** A warning where the minimum price keeps out what a network without fees sends. */
export const freeGasWarnings = (
  options: Pick<NodeOptions, 'minGasPrice' | 'genesisFile'>,
  { zeroBaseFee }: ChainConfiguration,
): readonly string[] => {
  const minGasPrice = minGasPriceOf(options)
  return zeroBaseFee && minGasPrice > 0n
    ? [
        `The network has no base fee (zeroBaseFee), but this node takes only transactions that offer ${minGasPrice} wei per gas: give --min-gas-price=0 if gas is to be free`,
      ]
    : []
}

/** The pool's settings from the options, checked against each other and the genesis file. @throws UsageError as Besu */
export const poolOptionsOf = (options: NodeOptions, configuration: ChainConfiguration): PoolOptions => {
  const { txPoolMinGasPrice, txPoolPriceBump } = options
  requirePoolPrice(options)
  if (configuration.zeroBaseFee && (txPoolPriceBump ?? 0) > 0)
    throw new UsageError('INVALID_VALUE', 'Price bump option is not compatible with zero base fee market')
  return {
    limits: {
      ...POOL_OPTIONS.limits,
      transactionsMax: options.txPoolMaxSize,
      futureBySenderMax: options.txPoolMaxFutureBySender,
    },
    minGasPrice: txPoolMinGasPrice,
    localPriority: !options.txPoolNoLocalPriority,
    priceBumpPercent: txPoolPriceBump ?? (configuration.zeroBaseFee ? 0 : POOL_OPTIONS.priceBumpPercent),
    feeCapWei: options.rpcTxFeecap,
    peerFeeCapWei: options.p2pTxFeecap,
    prioritySenders: new Set(options.txPoolPrioritySenders),
    strictReplayProtection: options.strictTxReplayProtectionEnabled,
    balanceCheck: options.txPoolEnableBalanceCheck,
    senderShare: options.txPoolLimitByAccountPercentage,
  }
}
