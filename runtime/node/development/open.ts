import type { PoolHead, TransactionPool } from '../../../core/txpool/pool.ts'
import type { MinerSettings } from '../../../handlers/rpc/context.ts'
import type { RpcDevelopment } from '../../../handlers/rpc/development/development.ts'
import type { NodeOptions } from '../../cli/nodeOptions.ts'
import { CommandError } from '../../cli/errors.ts'
import { createBlockBuilder } from '../../consensus/blockBuilder.ts'
import type { StandingVotes } from '../../consensus/standingVotes.ts'
import { logOf } from '../../logging/log.ts'
import type { RunningNode } from '../openNode.ts'
import type { PoolFollower } from '../pool/poolFollower.ts'
import type { Submit } from '../pool/submit.ts'
import { createClock } from './clock.ts'
import { createDevelopment } from './development.ts'
import { createMiner, type Miner } from './miner.ts'

export type OpenDevelopmentOptions = {
  readonly node: RunningNode
  readonly options: NodeOptions
  readonly pool: TransactionPool
  readonly poolHead: () => PoolHead
  readonly submit: Submit
  readonly follower: PoolFollower
  readonly votes: StandingVotes
  readonly minerSettings: () => MinerSettings
  /** Whether others may follow this chain: over the network, or from a replica. */
  readonly isFollowed: boolean
}

/** Timestamps of a new chain are seconds of this machine. */
const nowMs = (): number => Date.now()

/**
 * Opens what a development chain offers; undefined on any other chain.
 * @throws CommandError for a chain whose state was edited and that others would follow
 */
export const openDevelopment = (
  from: OpenDevelopmentOptions,
): { readonly rpc: RpcDevelopment; readonly miner: Miner } | undefined => {
  const { node, options, pool, poolHead, submit, follower, votes, minerSettings, isFollowed } = from
  const { chain, development, key } = node
  const { consensus } = chain.configuration
  if (development === undefined || consensus.kind !== 'qbft') return undefined
  const { rewinding, edits } = development
  if (isFollowed && !edits.isEmpty)
    throw new CommandError(
      'START_FAILED',
      'The state of this development chain was set by hand, so other nodes cannot execute its blocks: start it without --p2p-enabled and --replicate-to, or start a new chain',
    )
  const log = logOf('validator')
  const clock = createClock(nowMs, () => chain.head().header.timestamp)
  const miner = createMiner({
    chain,
    consensus,
    signer: node.signer,
    pool,
    clock,
    build: createBlockBuilder({
      chain,
      consensus,
      pool,
      poolHead,
      key,
      standingVotes: votes.list,
      settings: minerSettings,
      selectionPercent: options.poaBlockTxsSelectionMaxTime,
      log,
    }),
    poolSettled: follower.settled,
    nowMs,
    log,
  })
  const refusal = isFollowed
    ? 'other nodes or stores follow this chain (--p2p-enabled, --replicate-to)'
    : undefined
  return {
    rpc: createDevelopment({ chain, rewinding, edits, pool, poolHead, submit, miner, clock, refusal }),
    miner,
  }
}
