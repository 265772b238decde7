import { fromHex } from '../../core/bytes/hex.ts'
import type { MinerSettings, RpcMiner } from '../../handlers/rpc/context.ts'
import type { NodeOptions } from '../cli/nodeOptions.ts'
import { minGasPriceOf } from './pool/poolOptions.ts'
import { NAME, VERSION } from '../product.ts'

/** Settings of produced blocks: those of the options until an operator changes them. */
export type ChangeableSettings = Pick<RpcMiner, 'settings' | 'change'>

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
