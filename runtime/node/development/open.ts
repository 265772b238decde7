import type { PoolHead, TransactionPool } from '../../../core/txpool/pool.ts'
import { createBlockConsole, createConsole } from '../../../handlers/rpc/development/console/console.ts'
import type { MiningMode, RpcDevelopment } from '../../../handlers/rpc/development/development.ts'
import type { NodeOptions } from '../../cli/nodeOptions.ts'
import { CommandError } from '../../cli/errors.ts'
import { createBlockBuilder } from '../../consensus/blocks/blockBuilder.ts'
import type { StandingVotes } from '../../../handlers/rpc/context.ts'
import { changeLogLevel, logOf } from '../../logging/log.ts'
import type { RunningNode } from '../runningNode.ts'
import type { ChangeableSettings } from '../minerSettings.ts'
import type { PoolFollower } from '../pool/poolFollower.ts'
import { minGasPriceOf } from '../pool/poolOptions.ts'
import type { Submit } from '../pool/submit.ts'
import { createClock } from './clock.ts'
import { createDevelopment } from './development.ts'
import { createHeaderChoices } from './headerChoice.ts'
import { createMiner, type Miner } from './miner.ts'
import { createSnapshots } from './snapshots.ts'

export type OpenDevelopmentOptions = {
  readonly node: RunningNode
  readonly options: NodeOptions
  readonly pool: TransactionPool
  readonly poolHead: () => PoolHead
  readonly submit: Submit
  readonly follower: PoolFollower
  readonly votes: StandingVotes
  readonly settings: ChangeableSettings
  /** Whether others may follow this chain: over the network, or from a replica. */
  readonly isFollowed: boolean
}

const MS_PER_SECOND = 1000

/** Timestamps of a new chain are seconds of this machine. */
const nowMs = (): number => Date.now()

const modeOf = ({ blockPeriod }: NodeOptions): MiningMode =>
  blockPeriod > 0 ? { kind: 'interval', ms: blockPeriod * MS_PER_SECOND } : { kind: 'automatic' }

/**
 * Opens what a development chain offers; undefined on any other chain.
 * @throws CommandError for a chain whose state was edited and that others would follow
 */
export const openDevelopment = (
  from: OpenDevelopmentOptions,
): { readonly rpc: RpcDevelopment; readonly miner: Miner } | undefined => {
  const { node, options, pool, poolHead, submit, follower, votes, settings, isFollowed } = from
  const { chain, development, key } = node
  const { consensus } = chain.configuration
  if (development === undefined || consensus.kind !== 'qbft') return undefined
  const { rewinding, chains } = development
  const { edits } = chains
  if (isFollowed && !edits.isEmpty)
    throw new CommandError(
      'START_FAILED',
      'The state of this development chain was set by hand, so other nodes refuse its blocks: start it without --p2p-enabled and --replicate-to, or start a new chain',
    )
  const log = logOf('validator')
  const clock = createClock(nowMs, () => chain.head().header.timestamp)
  const headers = createHeaderChoices(settings)
  const mode = modeOf(options)
  const console = createConsole(line => logOf('console').info('{line}', { line }))
  const blockConsole = createBlockConsole(console)
  const snapshots = createSnapshots()
  const miner = createMiner({
    chain,
    consensus,
    signer: node.signer,
    pool,
    clock,
    headers,
    mode,
    flushConsole: blockConsole.flush,
    build: createBlockBuilder({
      chain,
      consensus,
      pool,
      poolHead,
      key,
      standingVotes: votes.list,
      settings: settings.settings,
      // No validator waits for these blocks; without a clock the same requests make the same chain on every machine.
      selectionPercent: undefined,
      observe: blockConsole.observe,
      log,
    }),
    poolSettled: follower.settled,
    hasSnapshot: () => !snapshots.isEmpty,
    nowMs,
    log,
  })
  const refusal = isFollowed
    ? 'other nodes or stores follow this chain (--p2p-enabled, --replicate-to)'
    : undefined
  return {
    rpc: createDevelopment({
      chain,
      rewinding,
      chains,
      pool,
      poolHead,
      submit,
      miner,
      snapshots,
      clock,
      headers,
      resetPrice: () => settings.change({ minGasPrice: minGasPriceOf(options) }),
      console,
      setLogging: isOn => changeLogLevel(isOn ? options.logging : 'OFF', []),
      refusal,
    }),
    miner,
  }
}
