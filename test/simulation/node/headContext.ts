import { spacingSeconds } from '../../../core/chain/rules/qbft.ts'
import { qbftAfter } from '../../../core/genesis/qbftSchedule.ts'
import type { HeadContext } from '../../../core/qbft/input.ts'
import { blockTimes, periodMs } from '../../../runtime/consensus/blocks/blockTiming.ts'
import type { SimulatedChain } from '../chain/chain.ts'
import type { SimulatedGenesis } from '../chain/genesis.ts'

/** As a node tells its machine of the head. `arrivedMs`: by the node's clock. */
export const headContext = (
  { consensus }: SimulatedGenesis,
  chain: SimulatedChain,
  { arrivedMs, active }: { readonly arrivedMs: number; readonly active: boolean },
): HeadContext => {
  const { header, hash } = chain.head()
  const parameters = qbftAfter(consensus, header)
  return {
    number: header.number,
    hash,
    timestamp: header.timestamp,
    coinbase: header.coinbase,
    validators: chain.validators(header.number + 1n),
    ...blockTimes(parameters, header.timestamp, arrivedMs),
    periodMs: Math.max(periodMs(parameters), 1_000),
    spacingSeconds: spacingSeconds(parameters),
    active,
  }
}
