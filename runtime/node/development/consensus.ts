import type { Address } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import type { RunningConsensus } from '../../consensus/consensus.ts'
import type { Miner } from './miner.ts'

/** The consensus of a development chain: its one validator makes each block without messages to others. */
export const developmentConsensus = (chain: Chain, address: Address, miner: Miner): RunningConsensus => {
  const validator = toHex(address)
  miner.start()
  return {
    message: () => undefined,
    validators: () => [address],
    peerConnected: () => undefined,
    attach: () => undefined,
    round: () => 0,
    report: () => ({
      height: chain.head().header.number + 1n,
      validators: [validator],
      quorum: 1,
      round: 0,
      roundTimeoutMs: undefined,
      headAtMs: 0,
      readyAtMs: undefined,
      lastSeenMs: new Map([[validator, Date.now()]]),
      rejectedProposal: undefined,
      unverifiedRound: undefined,
      unbuiltRound: undefined,
      lastRound: undefined,
      recall: undefined,
    }),
    roundEndsMs: () => undefined,
    failure: () => undefined,
    brokenInvariant: () => undefined,
    validatorsFailure: () => undefined,
    proposalGasMax: () => undefined,
    writes: () => ({ runningSinceMs: undefined, last: undefined }),
    finishHeight: () => Promise.resolve(),
    stop: () => miner.stop(),
  }
}
