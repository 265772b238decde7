import { includesAddress } from '../../core/validators/votes.ts'
import { NetworkError } from '../../p2p/error.ts'
import type { Network } from '../../p2p/network.ts'
import type { RunningConsensus } from '../consensus/consensus.ts'
import { openRecord } from '../consensus/record/openRecord.ts'
import type { RecordStorage } from '../consensus/record/recordFile.ts'
import { logOf } from '../logging/log.ts'
import { createKeyInUse, type KeyInUse } from '../consensus/keyInUse.ts'
import type { Sync } from '../../p2p/sync/sync.ts'
import type { NetworkThreadOptions } from '../threads/network/startNetworkThread.ts'
import { closeAll } from './closeAll.ts'
import { type LearnedNodes, openLearnedNodes } from './learnedNodes.ts'
import { type ConsensusServiceOptions, startConsensus, startSync, startNetwork } from './serviceParts.ts'

/** Consensus, sync and network of a node. Each part is undefined until it has started. */
export type ConsensusService = {
  readonly network: () => Network | undefined
  /** Resolves once the network listens. Rejects with NetworkError if the node stops first. */
  readonly networkStarted: Promise<Network>
  readonly sync: () => Sync | undefined
  /** The current round of the next block; undefined while this node takes no part in consensus. */
  readonly round: () => number | undefined
  /** Undefined while it does not run. */
  readonly consensus: () => RunningConsensus | undefined
  /** Says that another node runs with the key of this one; undefined while none is known. */
  readonly keyInUse: () => string | undefined
  /** Whether consensus runs; false while paused. */
  readonly runs: () => boolean
  /** Resumes consensus; false on a chain without QBFT, and before `start`. */
  readonly resume: () => Promise<boolean>
  /** Pauses consensus after the block in progress; false if it was not running. */
  readonly pause: () => Promise<boolean>
  /** Starts all parts in order. @throws NetworkError and other errors with a `code` */
  start(): Promise<void>
  /** Stops all parts after the block in progress. */
  stop(): Promise<void>
}

/** Network events: all but consensus messages go to the sync; consensus also learns of new peers. */
const networkHandlers = (
  sync: Sync,
  learned: LearnedNodes | undefined,
  consensus: () => RunningConsensus | undefined,
  { memory, peerObserver }: Pick<ConsensusServiceOptions, 'memory' | 'peerObserver'>,
  keyInUse: KeyInUse,
): NetworkThreadOptions['handlers'] => ({
  ...sync.handlers,
  onPeer: peer => {
    sync.handlers.onPeer(peer)
    learned?.add(peer.enode)
    keyInUse.accepted(peer.address)
    consensus()?.peerConnected(peer)
    memory.connected(peer)
    peerObserver?.connected()
  },
  onPeerDisconnected: (peer, reason) => {
    sync.handlers.onPeerDisconnected(peer, reason)
    memory.disconnected(peer, reason)
    peerObserver?.disconnected()
  },
  onKeyInUse: (address, reason) => keyInUse.refused(address, reason),
  onDialFailed: (enode, reason) => memory.dialFailed(enode, reason),
  onConsensusMessage: (peer, code, data) => consensus()?.message(peer, code, data),
})

type ServiceState = {
  readonly from: ConsensusServiceOptions
  readonly keyInUse: KeyInUse
  readonly listening: PromiseWithResolvers<Network>
  /** True between `start` and `stop`, also while consensus is paused. */
  isStarted: boolean
  sync: Sync | undefined
  consensus: RunningConsensus | undefined
  record: RecordStorage | undefined
  network: Network | undefined
  learned: LearnedNodes | undefined
  /** Starts and stops run one after the other. */
  lastOperation: Promise<unknown>
}

const inSequence = <T>(state: ServiceState, work: () => Promise<T>): Promise<T> => {
  const next = state.lastOperation.then(work)
  // The caller gets the error; the next operation runs nevertheless.
  state.lastOperation = next.catch(() => undefined)
  return next
}

const openConsensus = async (state: ServiceState): Promise<boolean> => {
  const { node, options } = state.from
  const { consensus } = node.chain.configuration
  if (consensus.kind !== 'qbft') return false
  const { developmentMiner } = state.from
  if (developmentMiner !== undefined) {
    const { developmentConsensus } = await import('./development/consensus.ts')
    state.consensus ??= developmentConsensus(node.chain, node.key.address, developmentMiner)
    return true
  }
  const owner = { address: node.key.address, genesisHash: node.chain.genesis.hash }
  state.record ??= await openRecord(options.dataPath, owner, node.storage, logOf('validator'))
  state.consensus ??= await startConsensus(state.from, consensus, {
    sync: state.sync,
    record: state.record,
    keyInUse: state.keyInUse,
  })
  return true
}

const closeConsensus = async (state: ServiceState): Promise<boolean> => {
  if (state.consensus === undefined) return false
  // It needs the messages of the others until its block is finished.
  await state.consensus.stop()
  state.consensus = undefined
  await state.record?.close()
  state.record = undefined
  return true
}

const openNetwork = async (state: ServiceState, sync: Sync): Promise<Network> => {
  const { from } = state
  const consensus = () => state.consensus
  const validators = () => state.consensus?.validators()
  if (from.options.discoveryEnabled)
    state.learned = await openLearnedNodes(from.node.storage, logOf('p2p'), address =>
      includesAddress(validators() ?? [], address),
    )
  return startNetwork(
    from,
    state.learned,
    networkHandlers(sync, state.learned, consensus, from, state.keyInUse),
    validators,
  )
}

const start = async (state: ServiceState): Promise<void> => {
  const { from } = state
  if (from.staticNodes !== undefined) state.sync = await startSync(from)
  await openConsensus(state)
  state.isStarted = true
  if (state.sync === undefined) return
  state.network = await openNetwork(state, state.sync)
  state.sync.attach(state.network)
  state.consensus?.attach(state.network)
  state.listening.resolve(state.network)
}

const resume = async (state: ServiceState): Promise<boolean> => {
  if (!state.isStarted) return false
  const isNew = state.consensus === undefined
  const runs = await openConsensus(state)
  if (isNew && state.network !== undefined) state.consensus?.attach(state.network)
  return runs
}

const stop = async (state: ServiceState): Promise<void> => {
  state.isStarted = false
  state.listening.reject(new NetworkError('NOT_CONNECTED', 'this node stops'))
  // Consensus first: it finishes its block with the others.
  await closeAll([
    () => state.consensus?.finishHeight(),
    () => closeConsensus(state),
    () => state.network?.stop(),
    () => state.sync?.stop(),
    () => state.learned?.settled(),
    () => state.keyInUse.stop(),
  ])
}

/** Creates the service that starts and stops consensus, sync and network. */
export const createConsensusService = (from: ConsensusServiceOptions): ConsensusService => {
  const state: ServiceState = {
    from,
    keyInUse: createKeyInUse({
      ownAddress: from.node.key.address,
      validators: () => state.consensus?.validators(),
      peerCount: () => state.network?.peers().length ?? 0,
      log: logOf('validator'),
    }),
    listening: Promise.withResolvers<Network>(),
    isStarted: false,
    sync: undefined,
    consensus: undefined,
    record: undefined,
    network: undefined,
    learned: undefined,
    lastOperation: Promise.resolve(),
  }
  // Avoids an unhandled rejection if nothing awaits it.
  state.listening.promise.catch(() => undefined)
  return {
    network: () => state.network,
    networkStarted: state.listening.promise,
    sync: () => state.sync,
    round: () => state.consensus?.round(),
    consensus: () => state.consensus,
    keyInUse: () => state.keyInUse.sentence(),
    runs: () => state.consensus !== undefined,
    resume: () => inSequence(state, () => resume(state)),
    pause: () => inSequence(state, () => closeConsensus(state)),
    start: () => inSequence(state, () => start(state)),
    stop: () => inSequence(state, () => stop(state)),
  }
}
