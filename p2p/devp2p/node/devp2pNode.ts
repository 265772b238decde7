import { publicKeyOf } from '../../../core/crypto/crypto.ts'
import type { ChainParameters, NetworkHandlers, NetworkOptions, Scoring } from '../../network.ts'
import type { Log } from '../../log.ts'
import { safeHandlers } from '../../node/safeHandlers.ts'
import type { Dialer } from '../../peers/dialer.ts'
import { newInstance } from '../../peers/instance.ts'
import { createScoring } from '../../peers/scoring.ts'
import { type Enode, parseEnode } from '../../transport/enode.ts'
import { idOf } from '../../transport/identity.ts'
import {
  createInboundConnectionLimit,
  type InboundConnectionLimit,
} from '../../transport/inboundConnectionLimit.ts'
import {
  createKnownHosts,
  createPendingHandshakes,
  type KnownHosts,
  type PendingHandshakes,
} from '../../pendingHandshakes.ts'
import { rateLimitedLog } from '../../transport/rateLimitedLog.ts'
import type { Random } from '../rlpx/ecies.ts'
import { priceOfFrame } from '../session/price.ts'
import { handleFrame, onBroken } from '../session/receiving.ts'
import type { Session } from '../session/session.ts'
import { createStrangersReader, type StrangersReader } from '../session/strangersReader.ts'
import { createStrangersBudget } from '../../transport/strangersBudget.ts'
import type { BlockPropagation } from './blockPropagation.ts'
import type { ConsensusMessages } from './consensus.ts'
import type { Neighbours } from './neighbours.ts'
import type { NodeDiscovery } from './startNodeDiscovery.ts'
import type { Serving } from '../eth/serving.ts'
import { createEthPeerTable, type EthPeerTable } from './peerTable.ts'
import type { TransactionPropagation } from './transactionPropagation.ts'

export type Devp2pOptions = NetworkOptions & {
  readonly chain: ChainParameters
  /** Random bytes for handshakes; a test gives the same ones each time. */
  readonly random?: Random
}

/** The parts of a network over devp2p; functions of this folder take it. */
export type Devp2pNode = {
  readonly options: Devp2pOptions
  readonly ownKey: Uint8Array
  readonly ownId: string
  /** Random for each start. */
  readonly instance: string
  readonly random: Random
  readonly log: Log
  readonly handlers: NetworkHandlers
  readonly bootnodes: readonly Enode[]
  readonly staticNodes: readonly Enode[]
  readonly table: EthPeerTable
  /** All connections after their RLPx handshake. */
  readonly sessions: Set<Session>
  readonly scoring: Scoring
  readonly inboundLimit: InboundConnectionLimit
  /** Reads what nodes send that are no validators. */
  readonly strangers: StrangersReader
  /** What runs over the connections; set once, before the first of them. */
  parts: Parts
  /** Sockets whose first packet is not complete. */
  readonly pending: PendingHandshakes
  readonly knownHosts: KnownHosts
  isStopped: boolean
  /** The listening port, once known. */
  port: number
}

export type Parts = {
  readonly dialer: Dialer
  readonly serving: Serving
  readonly blocks: BlockPropagation
  readonly transactions: TransactionPropagation
  readonly consensus: ConsensusMessages
  readonly neighbours: Neighbours
  /** Undefined when it is off. */
  discovery: NodeDiscovery | undefined
}

/** Sockets whose first packet is not complete. */
const HANDSHAKES_MAX = 64

const randomBytes: Random = bytes => crypto.getRandomValues(new Uint8Array(bytes))

/** A node without its parts. @throws EnodeError when a bootnode or static node is not an enode URL */
export const createDevp2pNode = (options: Devp2pOptions): Omit<Devp2pNode, 'parts'> & { parts?: Parts } => {
  const ownKey = publicKeyOf(options.privateKey)
  const ownId = idOf(ownKey)
  const log = rateLimitedLog(options.log, options.nowMs)
  const othersOf = (enodes: readonly string[]): readonly Enode[] =>
    enodes.map(parseEnode).filter(({ publicKey }) => idOf(publicKey) !== ownId)
  const inboundLimit = createInboundConnectionLimit(options.nowMs)
  const staticNodes = othersOf(options.staticNodes)
  const knownHosts = createKnownHosts(staticNodes.map(({ host }) => host))
  const node: Omit<Devp2pNode, 'parts'> & { parts?: Parts } = {
    options,
    ownKey,
    ownId,
    instance: options.instance ?? newInstance(),
    random: options.random ?? randomBytes,
    log,
    handlers: safeHandlers(options.handlers, log),
    bootnodes: othersOf(options.bootnodes),
    staticNodes,
    knownHosts,
    table: createEthPeerTable(ownKey),
    sessions: new Set(),
    scoring:
      options.scoring ??
      createScoring({
        nowMs: options.nowMs,
        log,
        isStatic: id => node.parts?.dialer.isStatic(id) ?? false,
      }),
    inboundLimit,
    pending: createPendingHandshakes({
      placesMax: HANDSHAKES_MAX,
      nowMs: options.nowMs,
      isSilent: host => inboundLimit.isSilent(host),
      isKnown: host => knownHosts.has(host),
    }),
    strangers: createStrangersReader({
      budget: createStrangersBudget(options.nowMs),
      onNextTurn: run => void setImmediate(run),
      priceOf: priceOfFrame,
      onFrame: handleFrame,
      onBroken,
    }),
    isStopped: false,
    port: options.port,
  }
  return node
}
