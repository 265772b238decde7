import { POOL_LIMITS } from '../../../core/txpool/limits.ts'
import {
  bigintOption,
  booleanOption,
  customOption,
  decimalOption,
  integerOption,
  listOption,
  type OptionTable,
  pathOption,
} from '../option.ts'
import { bareAddresses } from '../values/pool.ts'
import { parseExtraData } from '../values/rpc.ts'

const BLOCKS = 'Blocks'
const POOL = 'Transaction pool'

/** Produced blocks and the transaction pool. */
export const BLOCK_OPTIONS = {
  targetGasLimit: bigintOption({
    name: 'target-gas-limit',
    group: BLOCKS,
    fallback: undefined,
    shownDefault: "the parent's gas limit",
    placeholder: '<GAS>',
    description: 'Gas limit that produced blocks move towards',
  }),
  minerExtraData: customOption({
    name: 'miner-extra-data',
    group: BLOCKS,
    fallback: undefined as string | undefined,
    shownDefault: 'name and version',
    placeholder: '<HEX>',
    parse: parseExtraData,
    description: 'Vanity data of produced blocks, at most 32 bytes',
  }),
  evmCompilerEnabled: booleanOption({
    name: 'evm-compiler-enabled',
    group: BLOCKS,
    fallback: true,
    description: 'Compile contract code that is often called to WebAssembly; results do not depend on it',
  }),
  poaBlockTxsSelectionMaxTime: integerOption({
    name: 'poa-block-txs-selection-max-time',
    group: BLOCKS,
    fallback: 75,
    min: 1,
    max: 100,
    placeholder: '<PERCENT>',
    description: 'Share of the block period for executing the transactions of a new block',
  }),

  txPoolMaxSize: integerOption({
    name: 'tx-pool-max-size',
    group: POOL,
    fallback: POOL_LIMITS.transactionsMax,
    min: 1,
    max: 1_000_000,
    description: 'Maximum transactions in the pool',
  }),
  txPoolMaxFutureBySender: integerOption({
    name: 'tx-pool-max-future-by-sender',
    group: POOL,
    fallback: POOL_LIMITS.futureBySenderMax,
    min: 1,
    max: 1_000_000,
    description: "Maximum distance of a transaction's nonce from its sender's next one",
  }),
  txPoolPriceBump: integerOption({
    name: 'tx-pool-price-bump',
    group: POOL,
    fallback: undefined,
    shownDefault: '10, 0 on a zeroBaseFee network',
    min: 0,
    max: 100_000,
    placeholder: '<PERCENT>',
    description: 'Minimum price increase of a replacement transaction',
  }),
  txPoolMinGasPrice: bigintOption({
    name: 'tx-pool-min-gas-price',
    group: POOL,
    fallback: undefined,
    shownDefault: '--min-gas-price',
    placeholder: '<WEI>',
    description: 'Minimum gas price of pooled transactions; at most --min-gas-price',
  }),
  txPoolNoLocalPriority: booleanOption({
    name: 'tx-pool-no-local-priority',
    group: POOL,
    fallback: false,
    description: 'Do not prefer transactions from RPC to those of peers when a full pool drops some',
  }),
  txPoolEnableBalanceCheck: booleanOption({
    name: 'tx-pool-enable-balance-check',
    group: POOL,
    fallback: true,
    description: 'Reject transactions that their sender cannot pay for',
  }),
  txPoolPrioritySenders: listOption({
    name: 'tx-pool-priority-senders',
    group: POOL,
    fallback: [] as readonly string[],
    shownDefault: 'none',
    placeholder: '<ADDRESSES>',
    check: bareAddresses,
    description: 'Accounts whose transactions come first in blocks of this node and are dropped last',
  }),
  txPoolEnableSaveRestore: booleanOption({
    name: 'tx-pool-enable-save-restore',
    group: POOL,
    fallback: true,
    description: 'Keep the transactions from RPC over a restart',
  }),
  txPoolSaveFile: pathOption({
    name: 'tx-pool-save-file',
    group: POOL,
    fallback: undefined,
    shownDefault: '<data-path>/txpool.dump',
    description: 'File of those transactions, in the format of Besu; a relative path starts in the data path',
  }),
  p2pTxFeecap: bigintOption({
    name: 'p2p-tx-feecap',
    group: POOL,
    fallback: 0n,
    placeholder: '<WEI>',
    description: 'Maximum gas price of a transaction from a peer; 0 for no limit',
  }),
  txPoolRetentionHours: integerOption({
    name: 'tx-pool-retention-hours',
    group: POOL,
    fallback: 13,
    min: 1,
    max: 8760,
    placeholder: '<HOURS>',
    description: 'Drop transactions after this time in the pool',
  }),
  txPoolLimitByAccountPercentage: decimalOption({
    name: 'tx-pool-limit-by-account-percentage',
    group: POOL,
    fallback: 0.05,
    min: 0,
    max: 1,
    placeholder: '<SHARE>',
    description: 'Maximum share of the pool for one sender, 1 for all of it',
  }),
  strictTxReplayProtectionEnabled: booleanOption({
    name: 'strict-tx-replay-protection-enabled',
    group: POOL,
    fallback: false,
    description: 'Reject transactions from RPC without a chain id',
  }),
} satisfies OptionTable
