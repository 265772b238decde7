import { RPC_DEFAULTS } from '../../../handlers/rpc/context.ts'
import { bigintOption, decimalOption, integerOption, type OptionTable } from '../option.ts'

const GAS = 'Gas and fees'

/** Gas and fees. */
export const FEE_OPTIONS = {
  rpcGasCap: bigintOption({
    name: 'rpc-gas-cap',
    group: GAS,
    fallback: 100_000_000n,
    placeholder: '<GAS>',
    description: 'Most gas of one eth_call or eth_estimateGas; 0 for no limit',
  }),
  rpcSimulateGasCap: bigintOption({
    name: 'rpc-simulate-gas-cap',
    group: GAS,
    fallback: RPC_DEFAULTS.simulateGasCap,
    placeholder: '<GAS>',
    description: 'Most gas of one eth_simulateV1, all calls together; 0 for no limit but --rpc-gas-cap',
  }),
  rpcTxFeecap: bigintOption({
    name: 'rpc-tx-feecap',
    group: GAS,
    fallback: 1_000_000_000_000_000_000n,
    placeholder: '<WEI>',
    description: 'Highest fee of a transaction sent to this node; 0 for no limit',
  }),
  estimateGasToleranceRatio: decimalOption({
    name: 'estimate-gas-tolerance-ratio',
    group: GAS,
    fallback: 0.015,
    min: 0,
    max: 1,
    placeholder: '<RATIO>',
    description: 'How far above the least sufficient gas eth_estimateGas may answer',
  }),
  minGasPrice: bigintOption({
    name: 'min-gas-price',
    group: GAS,
    fallback: undefined,
    shownDefault: '1000, 0 on a development chain',
    placeholder: '<WEI>',
    description: 'Minimum gas price of a transaction; the base fee of a fixedBaseFee network',
  }),
  minPriorityFee: bigintOption({
    name: 'min-priority-fee',
    group: GAS,
    fallback: 0n,
    placeholder: '<WEI>',
    description: 'Least priority fee per gas of a transaction that is put into a block',
  }),
  apiGasPriceBlocks: integerOption({
    name: 'api-gas-price-blocks',
    group: GAS,
    fallback: 100,
    min: 1,
    max: 10_000,
    description: 'How many blocks eth_gasPrice looks back',
  }),
  apiGasPricePercentile: decimalOption({
    name: 'api-gas-price-percentile',
    group: GAS,
    fallback: 50,
    min: 0,
    max: 100,
    description: 'Which percentile of their prices it answers',
  }),
  apiGasPriceMax: bigintOption({
    name: 'api-gas-price-max',
    group: GAS,
    fallback: 500_000_000_000n,
    placeholder: '<WEI>',
    description: 'Highest answer of eth_gasPrice',
  }),
} satisfies OptionTable
