import type { Address } from '../../core/bytes/bytes.ts'
import { toHex, toQuantity } from '../../core/bytes/hex.ts'
import { QBFT_MIX_HASH } from '../../core/block/codec/blockHash.ts'
import { encodeExtraData } from '../../core/block/codec/extraData.ts'

export type NewNetwork = {
  readonly chainId: number
  readonly blockPeriodSeconds: number
  /** In any order. */
  readonly validators: readonly Address[]
}

const GAS_LIMIT = 30_000_000

/** A genesis block of QBFT has no author and no work. */
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

/** The extraData of a genesis block with these validators, ascending as in every later block. */
export const genesisExtraData = (validators: readonly Address[]): string => {
  const sorted = [...validators].sort((a, b) => (toHex(a) < toHex(b) ? -1 : 1))
  return toHex(
    encodeExtraData({
      vanity: new Uint8Array(32),
      validators: sorted,
      vote: undefined,
      round: 0,
      seals: [],
    }),
  )
}

/** The genesis file of a network without gas price: London with a base fee of zero, Shanghai, and no funded account. */
export const newNetworkGenesis = ({ chainId, blockPeriodSeconds, validators }: NewNetwork): string => {
  const genesis = {
    config: {
      chainId,
      londonBlock: 0,
      shanghaiTime: 0,
      zeroBaseFee: true,
      qbft: {
        epochlength: 30_000,
        blockperiodseconds: blockPeriodSeconds,
        requesttimeoutseconds: 2 * blockPeriodSeconds,
      },
    },
    nonce: '0x0',
    timestamp: '0x0',
    gasLimit: toQuantity(GAS_LIMIT),
    difficulty: '0x1',
    mixHash: toHex(QBFT_MIX_HASH),
    coinbase: ZERO_ADDRESS,
    extraData: genesisExtraData(validators),
    alloc: {},
  }
  return `${JSON.stringify(genesis, undefined, 2)}\n`
}
