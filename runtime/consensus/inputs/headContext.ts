import type { Chain } from '../../../core/chain/chain.ts'
import { spacingSeconds } from '../../../core/chain/rules/qbft.ts'
import { type QbftConsensus, qbftAfter } from '../../../core/genesis/qbftSchedule.ts'
import type { HeadContext } from '../../../core/qbft/input.ts'
import type { ChainHead } from '../../../core/store/store.ts'
import { blockTimes, periodMs } from '../blocks/blockTiming.ts'

/**
 * Minimum interval between polls of the pool, besides its notifications, so that an idle development chain with a period of
 * milliseconds does not keep a core busy.
 */
const POOL_POLL_MS_MIN = 1_000

/**
 * The parameters of the block after `head`. `arrivedMs`: arrival of the head, milliseconds since 1970; periods in
 * milliseconds count from it. `active`: the chain is in sync with the peers. IBFT 2.0 blocks are imported only, so consensus
 * stays inactive until the next block is one of QBFT.
 */
export const headContextOf = async (
  chain: Chain,
  consensus: QbftConsensus,
  { header, hash }: ChainHead,
  { arrivedMs, active }: { readonly arrivedMs: number; readonly active: boolean },
): Promise<HeadContext> => {
  const parameters = qbftAfter(consensus, header)
  return {
    number: header.number,
    hash,
    timestamp: header.timestamp,
    coinbase: header.coinbase,
    validators: await chain.validators(header.number + 1n),
    ...blockTimes(parameters, header.timestamp, arrivedMs),
    periodMs: Math.max(periodMs(parameters), POOL_POLL_MS_MIN),
    spacingSeconds: spacingSeconds(parameters),
    active: active && header.number + 1n >= consensus.startBlock,
  }
}
