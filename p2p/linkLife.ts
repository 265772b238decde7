import type { Connection, Stream } from '@libp2p/interface'
import { type ChannelLimits, openChannel } from './channel.ts'
import { differingEntries, otherChain } from './differences.ts'
import { formatEnode, hostKind } from './enode.ts'
import { textOf } from './error.ts'
import { createLink, isIdle, type Link, nameOf } from './link.ts'
import type { NetworkHandlers, NetworkLog, Peer } from './network.ts'
import type { PeerTable } from './peerTable.ts'
import { STATUS_PROTOCOL } from './protocols.ts'
import { receiveFrames } from './receive.ts'
import {
  decodeStatusMessage,
  encodeStatusMessage,
  GOODBYE_ENODES_MAX,
  STATUS_BYTES_MAX,
  type StatusMessage,
} from './statusMessage.ts'
import { createTokenBucket } from './tokenBucket.ts'

/** Both statuses are told within this, or the connection ends. */
const HANDSHAKE_TIMEOUT_MS = 10_000
/** A peer from which nothing came for this long is gone, whatever its socket says. */
const SILENCE_MAX_MS = 12_000
/** A node that means it is done with the handshake by then; when there is no room it may be given up. */
const HANDSHAKE_GRACE_MS = 1000
/** Said when nothing else was. */
const ALIVE_INTERVAL_MS = 3000
/**
 * A tick that comes so much too late means that this process stood still, one that comes before the last that the
 * clock was set: silence then says nothing of the peers.
 */
const STANDSTILL_MS = 3000
/** Both sides have turned to the better one of two connections by then. */
const SPARE_GRACE_MS = 2000
/** The other side has read what was sent over the spare one, and closes it, by then. */
const SPARE_LINGER_MS = 10_000
const SECOND_CONNECTION = 'a second connection'
/** To send a goodbye and close. */
const CLOSE_TIMEOUT_MS = 1000
/** Who hears a goodbye closes the connection by then; closed at once by who says it, it may end before it is read. */
const GOODBYE_GRACE_MS = 300
/** Statuses are small and only the newest counts. */
const STATUS_QUEUE: ChannelLimits = { messagesMax: 16, bytesMax: 2 * STATUS_BYTES_MAX }
/** A node tells five a second at most, and that it lives. */
const STATUSES_PER_SECOND = 20

export type LinkLifeOptions = {
  readonly table: PeerTable
  readonly handlers: NetworkHandlers
  readonly log: NetworkLog
  readonly nowMs: () => number
  readonly pause: () => Promise<void>
  readonly maxPeers: number
  readonly refuses: (publicKey: Uint8Array, host: string, port: number) => string | undefined
  readonly isStatic: (id: string) => boolean
  readonly isBanned: (id: string) => boolean
  /** Where this node listens, as others are told. */
  readonly listensAt: () => { readonly host: string; readonly port: number }
  /** The status was exchanged; `first` when the node was not connected before. */
  readonly onEstablished: (link: Link, first: boolean) => void
  /** A connection ended; `peer` when the node is no longer connected. */
  readonly onEnded: (link: Link, peer: Peer | undefined, reason: string) => void
  /**
   * Nodes that a full one named, and each that connected: one that came by itself, too, is looked for when it has gone,
   * as it may come back and know nobody.
   */
  readonly onEnodes: (enodes: readonly string[]) => void
  readonly onMisbehaviour: (link: Link, what: 'invalid-message' | 'oversized-message', detail: string) => void
}

export type LinkLife = {
  opened(connection: Connection): void
  closed(connection: Connection): void
  onStatusStream(stream: Stream, connection: Connection): void
  linkOf(connection: Connection): Link | undefined
  /** Nodes whose connection is not yet, or not any more, one of a peer. */
  readonly pending: ReadonlySet<string>
  tellUpdate(): void
  /** Tells the reason and closes; `refused` when the other side need not come back soon. */
  close(link: Link, reason: string, refused: boolean): void
  /** Cuts the connection that has been without a status for longest; false when none has for a while. */
  dropOldestStranger(): boolean
  /** Once a second. */
  tick(): void
  /** Tells all peers and closes. */
  stop(reason: string): Promise<void>
}

/** Connections from their first byte to their end: handshake, signs of life, refusals, goodbyes. */
export const createLinkLife = (options: LinkLifeOptions): LinkLife => {
  const { table, handlers, log, nowMs, isStatic, isBanned } = options
  const links = new Map<string, Link>()
  const pending = new Set<string>()
  let tickedAtMs = nowMs()

  const tell = (link: Link, message: StatusMessage): void => {
    if (link.statusChannel === undefined)
      link.statusChannel = openChannel(link.connection, STATUS_PROTOCOL, {
        limits: STATUS_QUEUE,
        pause: options.pause,
        onFailure: reason => abort(link, reason),
      })
    link.toldAtMs = nowMs()
    link.statusChannel.send(encodeStatusMessage(message))
  }

  const tellStatus = (link: Link): void =>
    tell(link, { kind: 'status', status: handlers.status(), ...options.listensAt() })

  const abort = (link: Link, reason: string): void => {
    link.reason ??= reason
    link.connection.abort(new Error(reason))
  }

  const close = (link: Link, reason: string, enodes: readonly string[] = []): Promise<void> => {
    if (link.stage === 'closing') return Promise.resolve()
    link.stage = 'closing'
    link.reason ??= reason
    tell(link, { kind: 'goodbye', reason, refused: link.refused, enodes })
    return finish(link, GOODBYE_GRACE_MS)
  }

  const refuse = (link: Link, reason: string, enodes: readonly string[] = []): void => {
    link.refused = true
    void close(link, reason, enodes)
  }

  const endedWithin = async (link: Link, ms: number): Promise<void> => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<void>(resolve => {
      timer = setTimeout(resolve, ms)
    })
    await Promise.race([link.ended, late])
    clearTimeout(timer)
  }

  /** Lets what was said arrive, then closes. */
  const finish = async (link: Link, graceMs = 0): Promise<void> => {
    if (link.finishing) return
    link.finishing = true
    const signal = AbortSignal.timeout(CLOSE_TIMEOUT_MS)
    const timedOut = new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
    try {
      const channels = [link.statusChannel, link.consensusChannel, link.blockChannel]
      await Promise.race([
        Promise.all(channels.map(channel => channel?.idle() ?? Promise.resolve())),
        timedOut,
      ])
      if (graceMs > 0) await endedWithin(link, graceMs)
      await link.connection.close({ signal })
    } catch (cause) {
      log.debug('Connection with {peer} is cut: {reason}', { peer: nameOf(link), reason: textOf(cause) })
      link.connection.abort(new Error(link.reason))
    }
  }

  const enodeOf = (link: Link): string => {
    const { told, remoteHost, remotePort, inbound, publicKey } = link
    const host = told === undefined ? remoteHost : reachableHost(told.host, remoteHost)
    const port = told === undefined || told.port === 0 ? (inbound ? 0 : remotePort) : told.port
    return formatEnode({ publicKey, host, port })
  }

  const refusalOf = (link: Link): string | undefined => {
    if (isBanned(link.id)) return 'banned for its behaviour'
    const port = link.inbound ? (link.told?.port ?? 0) : link.remotePort
    return options.refuses(link.publicKey, link.remoteHost, port)
  }

  const isFull = (link: Link): boolean =>
    !isStatic(link.id) && table.get(link.id) === undefined && table.size >= options.maxPeers

  const othersThan = (link: Link): readonly string[] =>
    [...table.all()]
      .filter(({ peer, links: [first] }) => first?.id !== link.id && !peer.enode.endsWith(':0'))
      .slice(0, GOODBYE_ENODES_MAX)
      .map(({ peer }) => peer.enode)

  const onStatus = (link: Link, message: StatusMessage & { readonly kind: 'status' }): void => {
    if (link.stage !== 'handshake') throw new Error('a second handshake')
    link.told = message
    const own = handlers.status()
    const reason = otherChain(own, message.status)
    if (reason !== undefined) {
      // The other side finds out by itself, so that both can name what differs.
      if (link.inbound) tellStatus(link)
      refuse(link, `another chain: ${reason}`)
      handlers.onRefused(nameOf(link), reason, differingEntries(own, message.status))
      return
    }
    const refusal = refusalOf(link)
    if (refusal !== undefined) {
      log.info('Refused {peer}: {reason}', { peer: nameOf(link), reason: refusal })
      refuse(link, `refused: ${refusal}`)
      return
    }
    if (isFull(link)) {
      refuse(link, 'too many peers', othersThan(link))
      return
    }
    if (link.inbound) tellStatus(link)
    establish(link, message.status)
  }

  const establish = (link: Link, status: Peer['status']): void => {
    link.stage = 'established'
    link.establishedAtMs = nowMs()
    link.intake?.admit()
    pending.delete(link.id)
    const { address, publicKey, remoteHost, remotePort, inbound } = link
    const host = remoteHost.includes(':') ? `[${remoteHost}]` : remoteHost
    const peer: Peer = {
      address,
      publicKey,
      enode: enodeOf(link),
      remoteAddress: `${host}:${remotePort}`,
      inbound,
      status,
      connectedAtMs: nowMs(),
    }
    const entry = table.add(link, peer)
    const first = entry.links.length === 1
    link.settle(true)
    options.onEstablished(link, first)
    if (!first) return handlers.onStatus(entry.peer)
    options.onEnodes([peer.enode])
    handlers.onPeer(entry.peer)
  }

  const onMessage = (link: Link, message: StatusMessage): void => {
    if (link.stage === 'established') link.confirmed = true
    if (message.kind === 'goodbye') {
      link.stage = 'closing'
      link.reason ??= `it said: ${message.reason}`
      link.refused = message.refused
      options.onEnodes(message.enodes)
      void finish(link)
      return
    }
    if (message.kind === 'alive' || link.stage === 'closing') return
    if (message.kind === 'status') return onStatus(link, message)
    const entry = table.get(link.id)
    if (entry === undefined || link.told === undefined) throw new Error('an update before the status')
    const { headNumber, headHash, neighbours } = message
    entry.peer = { ...entry.peer, status: { ...entry.peer.status, headNumber, headHash, neighbours } }
    handlers.onStatus(entry.peer)
  }

  const tickLink = (link: Link, now: number): void => {
    if (link.retiredAtMs !== undefined && now - link.retiredAtMs > SPARE_LINGER_MS) void finish(link)
    else if (link.stage === 'handshake' && now - link.openedAtMs > HANDSHAKE_TIMEOUT_MS)
      abort(link, 'it told no status')
    else if (now - link.heardAtMs > SILENCE_MAX_MS) abort(link, `silent for ${SILENCE_MAX_MS / 1000} s`)
    else if (link.stage === 'established') {
      const refusal = refusalOf(link)
      if (refusal !== undefined) {
        log.info('Disconnected {peer}: {reason}', { peer: nameOf(link), reason: refusal })
        refuse(link, `refused: ${refusal}`)
      } else if (now - link.toldAtMs >= ALIVE_INTERVAL_MS) tell(link, { kind: 'alive' })
    }
  }

  /**
   * Ends the worse one of two connections with a node, when the other side uses the better one and nothing waits on
   * the worse one; it is closed by whoever hears of it, so that what is on its way arrives.
   */
  const tickSpares = (links: readonly Link[], now: number): void => {
    const [best, ...spares] = links
    if (best === undefined || !best.confirmed || now - best.establishedAtMs < SPARE_GRACE_MS) return
    for (const spare of spares) {
      if (spare.stage !== 'established' || !isIdle(spare)) continue
      spare.stage = 'closing'
      spare.reason ??= SECOND_CONNECTION
      spare.retiredAtMs = now
      tell(spare, { kind: 'goodbye', reason: SECOND_CONNECTION, refused: false, enodes: [] })
    }
  }

  return {
    pending,
    linkOf: connection => links.get(connection.id),
    opened: connection => {
      const link = createLink(connection, nowMs)
      if (link === undefined) {
        connection.abort(new Error('no secp256k1 key'))
        return
      }
      links.set(connection.id, link)
      if (table.get(link.id) === undefined) pending.add(link.id)
      // Who is dialed learns first who dials, so that a stranger is told nothing.
      if (!link.inbound) tellStatus(link)
    },
    closed: connection => {
      const link = links.get(connection.id)
      if (link === undefined) return
      links.delete(connection.id)
      pending.delete(link.id)
      link.stage = 'closing'
      link.settle(false)
      link.end()
      const reason = link.reason ?? 'the connection was closed'
      options.onEnded(link, table.remove(link), reason)
    },
    onStatusStream: (stream, connection) => {
      const link = links.get(connection.id)
      if (link === undefined) return stream.abort(new Error('unknown connection'))
      const rate = {
        messages: createTokenBucket(STATUSES_PER_SECOND, 2 * STATUSES_PER_SECOND, nowMs),
        bytes: createTokenBucket(STATUS_BYTES_MAX, 2 * STATUS_BYTES_MAX, nowMs),
      }
      receiveFrames(stream, link, {
        bytesMax: STATUS_BYTES_MAX,
        rate: { now: () => rate, onExceeded: () => undefined },
        onHeard: () => {
          link.heardAtMs = nowMs()
        },
        onFrame: frame => onMessage(link, decodeStatusMessage(frame)),
        onFailure: cause => {
          const oversized = (cause as { code?: unknown }).code === 'OVERSIZED'
          options.onMisbehaviour(link, oversized ? 'oversized-message' : 'invalid-message', textOf(cause))
          void close(link, `a wrong status message: ${textOf(cause)}`)
        },
      })
    },
    tellUpdate: () => {
      const { headNumber, headHash, neighbours } = handlers.status()
      for (const entry of table.all())
        for (const link of entry.links)
          if (link.stage === 'established') tell(link, { kind: 'update', headNumber, headHash, neighbours })
    },
    close: (link, reason, refused) => {
      link.refused = refused
      void close(link, reason)
    },
    dropOldestStranger: () => {
      const now = nowMs()
      // In the order in which they were opened.
      for (const link of links.values())
        if (link.stage === 'handshake' && link.inbound && now - link.openedAtMs > HANDSHAKE_GRACE_MS) {
          abort(link, 'others need the room')
          return true
        }
      return false
    },
    tick: () => {
      const now = nowMs()
      const timeJumped = now < tickedAtMs || now - tickedAtMs > STANDSTILL_MS
      tickedAtMs = now
      for (const link of links.values()) {
        if (timeJumped) {
          link.heardAtMs = now
          link.toldAtMs = now - ALIVE_INTERVAL_MS
          link.openedAtMs = Math.min(link.openedAtMs, now)
        }
        tickLink(link, now)
      }
      for (const { links: both } of table.all()) tickSpares(both, now)
    },
    stop: async reason => {
      await Promise.all([...links.values()].map(link => close(link, reason)))
    },
  }
}

/** A node in a container knows no address of its own that others reach; then the one it came from is told on. */
const reachableHost = (told: string, remote: string): string => {
  const kind = hostKind(told)
  if (kind === undefined || told === '0.0.0.0' || told === '::') return remote
  const isLocal = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.')
  return isLocal(told) && !isLocal(remote) ? remote : told
}
