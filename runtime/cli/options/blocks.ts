import { POOL_LIMITS } from '../../../core/txpool/limits.ts'
import {
  bigintOption,
  booleanOption,
  customOption,
  decimalOption,
  integerOption,
  type OptionTable,
} from '../option.ts'
import { parseExtraData } from '../rpcValues.ts'

const BLOCKS = 'Blocks'
const POOL = 'Transaction pool'

/** Made blocks and the transactions waiting for them. */
export const BLOCK_OPTIONS = {
  targetGasLimit: bigintOption({
    name: 'target-gas-limit',
    group: BLOCKS,
    fallback: undefined,
    shownDefault: "the parent's gas limit",
    placeholder: '<GAS>',
    description: 'Gas limit that made blocks move towards',
  }),
  minerExtraData: customOption({
    name: 'miner-extra-data',
    group: BLOCKS,
    fallback: undefined as string | undefined,
    shownDefault: 'name and version',
    placeholder: '<HEX>',
    parse: parseExtraData,
    description: 'Vanity of made blocks, at most 32 bytes',
  }),
  poaBlockTxsSelectionMaxTime: integerOption({
    name: 'poa-block-txs-selection-max-time',
    group: BLOCKS,
    fallback: 75,
    min: 1,
    max: 100,
    placeholder: '<PERCENT>',
    description: 'Part of the block period that executing transactions for a new block may take',
  }),

  txPoolMaxSize: integerOption({
    name: 'tx-pool-max-size',
    group: POOL,
    fallback: POOL_LIMITS.transactionsMax,
    min: 1,
    max: 1_000_000,
    description: 'Most transactions kept',
  }),
  txPoolMaxFutureBySender: integerOption({
    name: 'tx-pool-max-future-by-sender',
    group: POOL,
    fallback: POOL_LIMITS.futureBySenderMax,
    min: 1,
    max: 1_000_000,
    description: "How far above its account's nonce a sender may go",
  }),
  txPoolPriceBump: integerOption({
    name: 'tx-pool-price-bump',
    group: POOL,
    fallback: undefined,
    shownDefault: '10, 0 on a zeroBaseFee network',
    min: 0,
    max: 100_000,
    placeholder: '<PERCENT>',
    description: 'How much more a replacement must pay',
  }),
  txPoolMinGasPrice: bigintOption({
    name: 'tx-pool-min-gas-price',
    group: POOL,
    fallback: undefined,
    shownDefault: '--min-gas-price',
    placeholder: '<WEI>',
    description: 'Lowest gas price that the pool takes, where it is to take less than blocks of this node do',
  }),
  txPoolNoLocalPriority: booleanOption({
    name: 'tx-pool-no-local-priority',
    group: POOL,
    fallback: false,
    description:
      'When the pool is full, drop transactions from RPC as early as those of peers that pay the same',
  }),
  txPoolEnableBalanceCheck: booleanOption({
    name: 'tx-pool-enable-balance-check',
    group: POOL,
    fallback: true,
    description: 'Refuse transactions that their sender cannot pay for',
  }),
  txPoolRetentionHours: integerOption({
    name: 'tx-pool-retention-hours',
    group: POOL,
    fallback: 13,
    min: 1,
    max: 8760,
    placeholder: '<HOURS>',
    description: 'Drop transactions that have waited this long',
  }),
  txPoolLimitByAccountPercentage: decimalOption({
    name: 'tx-pool-limit-by-account-percentage',
    group: POOL,
    fallback: 0.05,
    min: 0,
    max: 1,
    placeholder: '<PART>',
    description: 'Part of the pool that one sender may have, 1 for all of it',
  }),
  strictTxReplayProtectionEnabled: booleanOption({
    name: 'strict-tx-replay-protection-enabled',
    group: POOL,
    fallback: false,
    description: 'Refuse transactions from RPC that name no chain id',
  }),
} satisfies OptionTable
