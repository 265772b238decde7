import type { Connection, ConnectionGater, PeerId, Stream } from '@libp2p/interface'
import { compareBytes } from '../core/bytes/bytes.ts'
import { toBareHex } from '../core/bytes/hex.ts'
import { addressOfPublicKey, publicKeyOf } from '../core/crypto/crypto.ts'
import { createAnswer } from './answer.ts'
import { createArrivals } from './arrivals.ts'
import { createBlockExchange } from './blockExchange.ts'
import { calmLog } from './calmLog.ts'
import { createConsensusRates, receiveConsensusMessages, sendConsensusMessage } from './consensus.ts'
import { createDialer } from './dialer.ts'
import { createDiscovery } from './discovery.ts'
import { type Enode, EnodeError, formatEnode, parseEnode } from './enode.ts'
import { NetworkError, textOf } from './error.ts'
import { createGossipStreams } from './gossipStreams.ts'
import { guardHandlers } from './guard.ts'
import { createHost, DIAL_TIMEOUT_MS, DIALS_MAX, startHost } from './host.ts'
import { dialAddressOf, endpointOf, idOf, keyOfPeerId } from './identity.ts'
import { type Link, nameOf } from './link.ts'
import { createLinkLife } from './linkLife.ts'
import type { Misbehaviour, Network, NetworkOptions, Peer } from './network.ts'
import { answerWithEnodes, enodesOf } from './peerExchange.ts'
import { connectedLink, createPeerTable, type Entry } from './peerTable.ts'
import {
  answerPoolList,
  POOL_LISTS_AT_ONCE_MAX,
  requestPoolHashes,
  requestPoolTransactions,
} from './poolLists.ts'
import { protocolsOf, STATUS_PROTOCOL } from './protocols.ts'
import { answerRange, RANGES_AT_ONCE_MAX, requestRange } from './ranges.ts'
import { createScoring } from './scoring.ts'
import { createTransactionGossip } from './transactions.ts'

/** How often it is looked whom to dial. */
const DIAL_TICK_MS = 250
/** How often connections are looked after: signs of life, time limits, permissions. */
const LIFE_TICK_MS = 1000
/** Gossip opens its streams by itself when a node has connected. */
const GOSSIP_GRACE_MS = 1500
/** Statuses are told no more often than this. */
const TELL_INTERVAL_MS = 200
/** Sockets beside those of peers: handshakes, second connections, nodes that are told that there is no room. */
const SPARE_CONNECTIONS = 64
/** Who sent consensus messages within this takes part in consensus. */
const TAKES_PART_MS = 30_000
/** Streams that a peer may have open of one kind of long-lived ones: the next may come before the last has ended. */
const CHANNEL_STREAMS_MAX = 2

/**
 * Listens, dials bootnodes and static nodes, and keeps the connections; the handlers are called from then on.
 * @throws NetworkError when the port cannot be listened on
 * @throws EnodeError when a bootnode or static node is no enode URL
 */
export const startNetwork = async (options: NetworkOptions): Promise<Network> => {
  const { nowMs, pause, maxPeers, refuses } = options
  const log = calmLog(options.log, nowMs)
  const handlers = guardHandlers(options.handlers, log)
  const protocols = protocolsOf(handlers.status().genesisHash)
  const ownKey = publicKeyOf(options.privateKey)
  const ownId = idOf(ownKey)
  const isOwn = ({ publicKey }: Enode): boolean => idOf(publicKey) === ownId
  const bootnodes = options.bootnodes.map(parseEnode).filter(enode => !isOwn(enode))
  const staticNodes = options.staticNodes.map(parseEnode).filter(enode => !isOwn(enode))

  const table = createPeerTable(ownKey)
  const isStatic = (id: string): boolean => dialer.isStatic(id)
  const scoring = createScoring({ nowMs, log, isStatic })
  const arrivals = createArrivals(nowMs)
  const consensusRates = createConsensusRates(nowMs)
  const connectionsMax = (): number => maxPeers + staticNodes.length + SPARE_CONNECTIONS
  let stopped = false
  let sentConsensusAtMs = -TAKES_PART_MS

  let toldAtMs = -TELL_INTERVAL_MS
  let telling: ReturnType<typeof setTimeout> | undefined
  const tellStatus = (): void => {
    if (stopped) return
    const dueInMs = Math.min(TELL_INTERVAL_MS, Math.max(0, toldAtMs + TELL_INTERVAL_MS - nowMs()))
    telling ??= setTimeout(() => {
      telling = undefined
      toldAtMs = nowMs()
      life.tellUpdate()
    }, dueInMs)
  }

  const gater: ConnectionGater = {
    // Who has told no status for a while gives way: those who hold connections keep nobody out.
    denyInboundConnection: ({ remoteAddr }) =>
      stopped ||
      !arrivals.admitsHandshake(endpointOf(remoteAddr).host) ||
      (host.getConnections().length >= connectionsMax() && !life.dropOldestStranger()),
    denyInboundEncryptedConnection: (peerId, { remoteAddr }) =>
      !isWelcome(peerId, endpointOf(remoteAddr).host),
    denyOutboundEncryptedConnection: peerId => isUnwanted(peerId),
  }
  const isValidator = (publicKey: Uint8Array): boolean =>
    handlers.roleOf(addressOfPublicKey(publicKey)) === 'validator'
  const isKnown = (publicKey: Uint8Array): boolean => isStatic(idOf(publicKey)) || isValidator(publicKey)
  const isWelcome = (peerId: PeerId, from: string): boolean => {
    const publicKey = keyOfPeerId(peerId)
    if (publicKey === undefined) return false
    const id = idOf(publicKey)
    if (scoring.isBanned(id)) {
      arrivals.refusedBanned(from)
      return false
    }
    if (arrivals.admits(from, id, isKnown(publicKey))) return true
    log.info('Refused a connection from {host}: too many come from there', { host: from })
    return false
  }
  const isUnwanted = (peerId: PeerId): boolean => {
    const publicKey = keyOfPeerId(peerId)
    return publicKey === undefined || scoring.isBanned(idOf(publicKey))
  }

  const host = await createHost({
    privateKey: options.privateKey,
    host: options.host,
    port: options.port,
    gater,
    connectionsMax: connectionsMax(),
    transactionsTopic: protocols.transactions,
  })
  let port = options.port

  const misbehaved = (link: Link, what: Misbehaviour, detail: string): void => {
    if (!scoring.report(link.id, nameOf(link), what, detail)) return
    if (what === 'flooding' && link.inbound && !isKnown(link.publicKey)) arrivals.flooded(link.remoteHost)
    for (const each of table.get(link.id)?.links ?? [link]) {
      // To the end of the connection.
      each.intake?.hold()
      life.close(each, `banned: ${what}`, true)
    }
  }
  const wrongMessage = (link: Link, cause: unknown): void => {
    const oversized = cause instanceof NetworkError && cause.code === 'OVERSIZED'
    misbehaved(link, oversized ? 'oversized-message' : 'invalid-message', textOf(cause))
    life.close(link, `a wrong message: ${textOf(cause)}`, false)
  }

  const dialer = createDialer({
    dial: async enode => {
      await host.dial(dialAddressOf(enode), { signal: AbortSignal.timeout(DIAL_TIMEOUT_MS) })
    },
    isConnected: id => table.get(id) !== undefined || life.pending.has(id),
    isBanned: id => scoring.isBanned(id),
    refuses,
    isValidator,
    isLower: publicKey => compareBytes(publicKey, ownKey) < 0,
    room: () => maxPeers - table.size - life.pending.size,
    dialsMax: DIALS_MAX,
    nowMs,
    log,
  })
  const learn = (enodes: readonly Enode[]): void => {
    if (!options.discovery) return
    for (const enode of enodes) if (!isOwn(enode)) dialer.add(enode, 'learned')
  }

  const life = createLinkLife({
    table,
    handlers,
    log,
    nowMs,
    pause,
    maxPeers,
    refuses,
    isStatic,
    isBanned: id => scoring.isBanned(id),
    listensAt: () => ({ host: options.advertisedHost, port }),
    onEstablished: (link, first) => {
      dialer.onConnected(link.id)
      if (!first) return
      log.debug('Connected with {peer}', { peer: nameOf(link) })
      tellStatus()
      discovery.ask(link)
    },
    onEnded: (link, peer, reason) => {
      if (table.get(link.id) !== undefined) return
      const { refused } = link
      dialer.onEnded(link.id, { reason, wasEstablished: peer !== undefined, refused })
      // Names of nodes that come and go must not pile up.
      host.peerStore
        .delete(link.connection.remotePeer)
        .catch(error => log.debug('A peer could not be forgotten: {reason}', { reason: textOf(error) }))
      if (peer === undefined) return
      log.debug('Lost {peer}: {reason}', { peer: nameOf(link), reason })
      blocks.gone(link.id)
      handlers.onPeerGone(peer, reason)
      if (!stopped) tellStatus()
    },
    onEnodes: enodes => learn(enodesOf(enodes)),
    onMisbehaviour: misbehaved,
  })

  const blocks = createBlockExchange({
    protocol: protocols.blocks,
    table,
    log,
    nowMs,
    pause,
    headNumber: () => handlers.status().headNumber,
    takesPart: () => nowMs() - sentConsensusAtMs < TAKES_PART_MS,
    onBlock: (link, block) => {
      const entry = table.get(link.id)
      if (entry !== undefined) handlers.onNewBlock(entry.peer, block)
    },
    onFlooding: link => misbehaved(link, 'flooding', 'more about blocks than it may send'),
    onFailure: wrongMessage,
    onChannelFailure: (link, reason) => life.close(link, reason, false),
  })

  const discovery = createDiscovery({
    table,
    protocol: protocols.peers,
    log,
    learn,
    wants: () => options.discovery && !stopped && table.size < maxPeers,
  })

  const gossip = createTransactionGossip(host, protocols.transactions, log, options, {
    onTransactions: async (from, transactions) => {
      // What is ignored now is not heard again from others: a peer that has just connected is waited for.
      const [connection] = entryOf(from) === undefined ? host.getConnections(from) : []
      if (connection !== undefined) await life.linkOf(connection)?.ready
      const entry = entryOf(from)
      if (entry === undefined) return false
      handlers.onTransactions(entry.peer, transactions)
      return true
    },
    onFlooding: from => {
      const link = [...table.all()].find(
        ({ links: [first] }) => first?.connection.remotePeer.toString() === from,
      )?.links[0]
      if (link !== undefined) misbehaved(link, 'flooding', 'more transactions than it may send')
    },
    onInvalid: (from, detail) => {
      const link = entryOf(from)?.links[0]
      if (link !== undefined) misbehaved(link, 'invalid-message', detail)
    },
  })
  const gossipStreams = createGossipStreams(host, log, nowMs)
  const mendGossip = (): void => {
    if (stopped) return
    const settled = [...table.all()].flatMap(({ links: [link] }) =>
      link?.stage === 'established' && nowMs() - link.establishedAtMs >= GOSSIP_GRACE_MS ? [link] : [],
    )
    gossipStreams.mend(
      settled.map(({ connection }) => connection),
      ({ remotePeer }) => {
        const entry = entryOf(remotePeer)
        if (entry === undefined) return
        log.debug('Gossip with {peer} goes on after a gap', { peer: entry.peer.enode })
        handlers.onGossip(entry.peer)
      },
    )
  }
  const entryOf = (peerId: PeerId): Entry | undefined => {
    const publicKey = keyOfPeerId(peerId)
    return publicKey === undefined ? undefined : table.get(idOf(publicKey))
  }

  /** For streams of protocols that only peers speak. */
  const handle = (
    protocol: string,
    streamsMax: number,
    handler: (stream: Stream, link: Link) => void,
  ): Promise<void> =>
    host.handle(
      protocol,
      (stream, connection) => {
        const link = life.linkOf(connection)
        if (link === undefined) stream.abort(new Error('unknown connection'))
        else handler(stream, link)
      },
      { maxInboundStreams: streamsMax, maxOutboundStreams: streamsMax },
    )

  const answer = createAnswer(log, link => misbehaved(link, 'flooding', 'more requests than it may send'))

  host.addEventListener('connection:open', ({ detail }) => {
    life.opened(detail)
    const link = life.linkOf(detail)
    if (link?.intake !== undefined)
      link.intake.onExceeded = () => misbehaved(link, 'flooding', 'more of everything than it may send')
  })
  host.addEventListener('connection:close', ({ detail }) => {
    life.closed(detail)
    // Its streams end with it, in some order.
    setTimeout(mendGossip, 0)
  })
  await host.handle(
    STATUS_PROTOCOL,
    (stream: Stream, connection: Connection) => life.onStatusStream(stream, connection),
    { maxInboundStreams: CHANNEL_STREAMS_MAX },
  )
  await handle(protocols.consensus, CHANNEL_STREAMS_MAX, (stream, link) =>
    receiveConsensusMessages(stream, link, nowMs, {
      rate: () => consensusRates(link.id, handlers.roleOf(link.address)),
      message: (code, data) => {
        const entry = table.get(link.id)
        if (entry !== undefined && !scoring.isBanned(link.id))
          handlers.onConsensusMessage(entry.peer, code, data)
      },
      flooding: () => misbehaved(link, 'flooding', 'more consensus messages than it may send'),
      failure: cause => wrongMessage(link, cause),
    }),
  )
  await handle(protocols.blocks, CHANNEL_STREAMS_MAX, (stream, link) => blocks.receive(stream, link))
  await handle(protocols.ranges, RANGES_AT_ONCE_MAX, (stream, link) =>
    answer(stream, link, () => answerRange(stream, handlers.blocks, pause)),
  )
  await handle(protocols.pool, POOL_LISTS_AT_ONCE_MAX, (stream, link) =>
    answer(stream, link, () => answerPoolList(stream, handlers, pause), link.poolRequests),
  )
  await handle(protocols.peers, CHANNEL_STREAMS_MAX, (stream, link) =>
    answer(stream, link, () => answerWithEnodes(stream, discovery.enodesFor(link))),
  )

  port = await startHost(host, options.host, options.port)
  gossip.start()
  discovery.start()
  for (const enode of bootnodes) dialer.add(enode, 'bootnode')
  for (const enode of staticNodes) dialer.add(enode, 'static')
  learn(enodesOf(options.learnedNodes))
  dialer.tick()
  const dialing = setInterval(() => dialer.tick(), DIAL_TICK_MS)
  const looking = setInterval(() => {
    life.tick()
    mendGossip()
  }, LIFE_TICK_MS)

  const linkWith = (peer: Peer): Link => connectedLink(table, peer)

  return {
    enode: formatEnode({ publicKey: ownKey, host: options.advertisedHost, port }),
    port,
    peers: () => [...table.all()].map(({ peer }) => peer),
    sendConsensus: (to, code, data) => {
      sentConsensusAtMs = nowMs()
      return to.filter(address => {
        const link = table.link(toBareHex(address))
        return (
          link !== undefined &&
          sendConsensusMessage(link, protocols.consensus, code, data, {
            pause,
            onFailure: reason => life.close(link, reason, false),
          })
        )
      }).length
    },
    announceTransactions: transactions => gossip.announce(transactions),
    announceBlock: (number, hash, block) => blocks.announce(number, hash, block),
    tellStatus,
    requestBlocks: (peer, from, count, signal) =>
      requestRange(linkWith(peer), protocols.ranges, from, count, signal),
    requestPoolHashes: (peer, signal) => requestPoolHashes(linkWith(peer), protocols.pool, signal),
    requestPoolTransactions: (peer, hashes, signal) =>
      requestPoolTransactions(linkWith(peer), protocols.pool, hashes, signal),
    reportMisbehaviour: (address, what, detail) => {
      const id = toBareHex(address)
      const link = table.link(id)
      if (link !== undefined) misbehaved(link, what, detail)
      // It may be back before long.
      else scoring.report(id, `0x${id}`, what, detail)
      if (what === 'invalid-block') blocks.distrust(id)
    },
    addPeer: async text => {
      const enode = parseEnode(text)
      if (isOwn(enode)) throw new EnodeError('LOCAL_NODE', text, 'Cannot add local node as peer.')
      scoring.forgive(idOf(enode.publicKey))
      const added = dialer.add(enode, 'static')
      dialer.tick()
      return added
    },
    removePeer: async text => {
      const id = idOf(parseEnode(text).publicKey)
      const removed = dialer.removeStatic(id)
      for (const link of removed ? [...(table.get(id)?.links ?? [])] : [])
        life.close(link, 'removed by the operator', true)
      return removed
    },
    stop: async () => {
      if (stopped) return
      stopped = true
      clearInterval(dialing)
      clearInterval(looking)
      clearTimeout(telling)
      discovery.stop()
      await gossip.stop()
      blocks.stop()
      await life.stop('the node stops')
      await host.stop()
    },
  }
}
