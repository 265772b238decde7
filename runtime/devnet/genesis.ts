import type { Address } from '../../core/bytes/bytes.ts'
import { toHex } from '../../core/bytes/hex.ts'
import { encodeExtraData } from '../../core/block/codec/extraData.ts'
import { developmentGenesis } from '../../core/genesis/development/development.ts'

export type NetworkGenesisOptions = {
  readonly validators: readonly Address[]
  readonly blockPeriodSeconds: number
  /** 0 for the period in seconds. */
  readonly blockPeriodMs: number
}

/** Minimum request timeout: Besu recommends twice the block period, which a busy machine may miss if it is short. */
const TIMEOUT_SECONDS_MIN = 2

type GenesisFile = { readonly config: { readonly qbft: object } }

/** The genesis file of a local network: that of a development chain with several validators and a fixed block period. */
export const networkGenesisText = (options: NetworkGenesisOptions): string => {
  const { validators, blockPeriodSeconds, blockPeriodMs } = options
  const [validator] = validators
  if (validator === undefined) throw new RangeError('a network needs at least one validator')
  const base = developmentGenesis({ validator }) as GenesisFile
  const genesis = {
    ...base,
    config: {
      ...base.config,
      qbft: {
        epochlength: 30_000,
        blockperiodseconds: blockPeriodSeconds,
        ...(blockPeriodMs > 0 ? { xblockperiodmilliseconds: blockPeriodMs } : {}),
        requesttimeoutseconds: Math.max(2 * blockPeriodSeconds, TIMEOUT_SECONDS_MIN),
      },
    },
    extraData: toHex(
      encodeExtraData({ vanity: new Uint8Array(32), validators, vote: undefined, round: 0, seals: [] }),
    ),
  }
  return `${JSON.stringify(genesis, undefined, 2)}\n`
}
