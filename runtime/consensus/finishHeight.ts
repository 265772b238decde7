import { quorumOf } from '../../core/validators/quorum.ts'
import { includesAddress } from '../../core/validators/votes.ts'
import type { Chain } from '../../core/chain/chain.ts'
import type { ConsensusOptions, DriverState } from './driverState.ts'

/** Maximum time that a stop waits for the block of a proposal: most blocks follow their proposal within it. */
const FINISH_HEIGHT_MS_MAX = 3_000

/** Resolves at the next head, or after the time. */
const nextHead = (chain: Pick<Chain, 'onHead'>, timeoutMs: number): Promise<void> =>
  new Promise(resolve => {
    const done = (): void => {
      clearTimeout(timer)
      unsubscribe()
      resolve()
    }
    const timer = setTimeout(done, timeoutMs)
    const unsubscribe = chain.onHead(done)
  })

const hasQuorum = ({ network, validators }: DriverState): boolean => {
  const connected = network?.peers().filter(({ address }) => includesAddress(validators, address)) ?? []
  return connected.length + 1 >= quorumOf(validators.length)
}

/** Waits for the block of the proposal in progress, if this validator takes part in it. */
export const finishHeight = async (
  { chain }: Pick<ConsensusOptions, 'chain'>,
  state: DriverState,
): Promise<void> => {
  const { height } = state.qbft
  const round = height?.active === true ? height.round : undefined
  const hasProposal = (round?.candidate ?? round?.proposal) !== undefined
  if (hasProposal && hasQuorum(state)) await nextHead(chain, FINISH_HEIGHT_MS_MAX)
}
