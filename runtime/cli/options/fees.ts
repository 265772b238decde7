import { RPC_DEFAULTS } from '../../../handlers/rpc/context.ts'
import { bigintOption, decimalOption, integerOption, type OptionTable } from '../option.ts'

const GAS = 'Gas and fees'

/** Gas and fees. */
export const FEE_OPTIONS = {
  rpcGasCap: bigintOption({
    name: 'rpc-gas-cap',
    group: GAS,
    fallback: RPC_DEFAULTS.gasCap,
    placeholder: '<GAS>',
    description: 'Maximum gas of one eth_call or eth_estimateGas; 0 for no limit',
  }),
  rpcSimulateGasCap: bigintOption({
    name: 'rpc-simulate-gas-cap',
    group: GAS,
    fallback: RPC_DEFAULTS.simulateGasCap,
    placeholder: '<GAS>',
    description: 'Maximum gas of all calls of one eth_simulateV1; 0 for no limit besides --rpc-gas-cap',
  }),
  rpcTxFeecap: bigintOption({
    name: 'rpc-tx-feecap',
    group: GAS,
    fallback: 1_000_000_000_000_000_000n,
    placeholder: '<WEI>',
    description: 'Maximum fee of a transaction sent to this node; 0 for no limit',
  }),
  estimateGasToleranceRatio: decimalOption({
    name: 'estimate-gas-tolerance-ratio',
    group: GAS,
    fallback: RPC_DEFAULTS.estimateGasToleranceRatio,
    min: 0,
    max: 1,
    placeholder: '<RATIO>',
    description: 'Tolerance of eth_estimateGas above the least sufficient gas',
  }),
  minGasPrice: bigintOption({
    name: 'min-gas-price',
    group: GAS,
    fallback: undefined,
    shownDefault: `${RPC_DEFAULTS.minGasPrice}, 0 on a development chain`,
    placeholder: '<WEI>',
    description: 'Minimum gas price of a transaction; the base fee of a fixedBaseFee network',
  }),
  minPriorityFee: bigintOption({
    name: 'min-priority-fee',
    group: GAS,
    fallback: RPC_DEFAULTS.minPriorityFee,
    placeholder: '<WEI>',
    description: 'Minimum priority fee per gas of a transaction in a produced block',
  }),
  apiGasPriceBlocks: integerOption({
    name: 'api-gas-price-blocks',
    group: GAS,
    fallback: RPC_DEFAULTS.gasPriceBlocks,
    min: 1,
    max: 10_000,
    description: 'Number of recent blocks that eth_gasPrice reads',
  }),
  apiGasPricePercentile: decimalOption({
    name: 'api-gas-price-percentile',
    group: GAS,
    fallback: RPC_DEFAULTS.gasPricePercentile,
    min: 0,
    max: 100,
    description: 'Percentile of the gas prices in those blocks that eth_gasPrice returns',
  }),
  apiGasPriceMax: bigintOption({
    name: 'api-gas-price-max',
    group: GAS,
    fallback: RPC_DEFAULTS.gasPriceMax,
    placeholder: '<WEI>',
    description: 'Maximum result of eth_gasPrice',
  }),
} satisfies OptionTable
