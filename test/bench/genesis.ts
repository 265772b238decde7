import { toHex, toQuantity } from '../../core/bytes/hex.ts'
import { QBFT_MIX_HASH } from '../../core/block/codec/blockHash.ts'
import { encodeExtraData } from '../../core/block/codec/extraData.ts'
import { addressOfPrivateKey } from '../../core/crypto/crypto.ts'
import { BLOCK_GAS_LIMIT, CHAIN_ID, GENESIS_TIME } from './workload.ts'

/** Of the one validator of the measured chain. */
export const VALIDATOR_KEY = new Uint8Array(32).fill(0x51)

/** A genesis file that our node and anvil both read: Cancun from the start, the given alloc. */
export const benchGenesis = (alloc: object): object => ({
  config: {
    chainId: CHAIN_ID,
    homesteadBlock: 0,
    berlinBlock: 0,
    londonBlock: 0,
    shanghaiTime: 0,
    cancunTime: 0,
    terminalTotalDifficulty: 0,
    qbft: { blockperiodseconds: 1, epochlength: 30_000, requesttimeoutseconds: 4 },
  },
  nonce: '0x0',
  timestamp: toQuantity(GENESIS_TIME),
  gasLimit: toQuantity(BLOCK_GAS_LIMIT),
  difficulty: '0x1',
  baseFeePerGas: toQuantity(10n ** 9n),
  mixHash: toHex(QBFT_MIX_HASH),
  coinbase: toHex(new Uint8Array(20)),
  extraData: toHex(
    encodeExtraData({
      vanity: new Uint8Array(32),
      validators: [addressOfPrivateKey(VALIDATOR_KEY)],
      vote: undefined,
      round: 0,
      seals: [],
    }),
  ),
  alloc,
})
