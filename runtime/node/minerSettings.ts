import { fromHex } from '../../core/bytes/hex.ts'
import type { MinerSettings } from '../../handlers/rpc/context.ts'
import type { NodeOptions } from '../cli/nodeOptions.ts'
import { minGasPriceOf } from './pool/poolOptions.ts'
import { NAME, VERSION } from '../version.ts'

/** How this node makes blocks: as its options say, until an operator says otherwise. */
export type ChangeableSettings = {
  readonly settings: () => MinerSettings
  change(settings: Partial<MinerSettings>): void
}

type Options = Pick<
  NodeOptions,
  'genesisFile' | 'minGasPrice' | 'minPriorityFee' | 'minerExtraData' | 'targetGasLimit'
>

export const createMinerSettings = (options: Options): ChangeableSettings => {
  const { minPriorityFee, minerExtraData, targetGasLimit } = options
  let settings: MinerSettings = {
    minGasPrice: minGasPriceOf(options),
    minPriorityFee,
    targetGasLimit,
    extraData:
      minerExtraData === undefined ? new TextEncoder().encode(`${NAME} ${VERSION}`) : fromHex(minerExtraData),
  }
  return {
    settings: () => settings,
    change: more => {
      settings = { ...settings, ...more }
    },
  }
}
