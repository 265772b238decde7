import type { Address } from '../../bytes/bytes.ts'
import { toHex, toQuantity } from '../../bytes/hex.ts'
import { QBFT_MIX_HASH } from '../../block/codec/blockHash.ts'
import { encodeExtraData } from '../../block/codec/extraData.ts'
import { DEVELOPMENT_ACCOUNTS } from './accounts.ts'
import { DEVELOPMENT_CONTRACTS } from './contracts.ts'

export type DevelopmentGenesisOptions = {
  /** The one validator. */
  readonly validator: Address
  readonly chainId?: number
  /** Minimum time between two blocks. */
  readonly blockPeriodMs?: number
}

const CHAIN_ID = 1337
const GAS_LIMIT = 30_000_000
/** Of each account. */
export const BALANCE_WEI = 10_000n * 10n ** 18n
/** Short enough for a script that sends transactions one after the other. */
const BLOCK_PERIOD_MS = 20
/** The longest period that a genesis file can hold, 68 years: no empty blocks. */
const NO_EMPTY_BLOCKS_SECONDS = 2_147_483_647

const PRAGUE_BLOBS = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 }

/**
 * The genesis file of a development chain as a JSON object: every fork to Osaka from the start, one validator, ten funded
 * accounts, the CREATE2 deployer and Multicall3, EIP-1559 base fee. The same options give the same file.
 */
export const developmentGenesis = ({
  validator,
  chainId = CHAIN_ID,
  blockPeriodMs = BLOCK_PERIOD_MS,
}: DevelopmentGenesisOptions): object => ({
  config: {
    chainId,
    londonBlock: 0,
    shanghaiTime: 0,
    cancunTime: 0,
    pragueTime: 0,
    osakaTime: 0,
    blobSchedule: {
      cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 },
      prague: PRAGUE_BLOBS,
      osaka: PRAGUE_BLOBS,
    },
    qbft: {
      epochlength: 30_000,
      blockperiodseconds: 1,
      xblockperiodmilliseconds: blockPeriodMs,
      xemptyblockperiodseconds: NO_EMPTY_BLOCKS_SECONDS,
      requesttimeoutseconds: 4,
    },
  },
  nonce: '0x0',
  timestamp: '0x0',
  gasLimit: toQuantity(GAS_LIMIT),
  difficulty: '0x1',
  mixHash: toHex(QBFT_MIX_HASH),
  coinbase: '0x0000000000000000000000000000000000000000',
  extraData: toHex(
    encodeExtraData({
      vanity: new Uint8Array(32),
      validators: [validator],
      vote: undefined,
      round: 0,
      seals: [],
    }),
  ),
  alloc: Object.fromEntries([
    ...DEVELOPMENT_ACCOUNTS.map(({ address }) => [toHex(address), { balance: toQuantity(BALANCE_WEI) }]),
    // EIP-161: a contract starts with nonce 1.
    ...DEVELOPMENT_CONTRACTS.map(({ address, code }) => [
      toHex(address),
      { balance: '0x0', nonce: '0x1', code: toHex(code) },
    ]),
  ]),
})
