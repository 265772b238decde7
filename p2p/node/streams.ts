import { errorText } from '../../core/text/errorText.ts'
import type { Stream } from '@libp2p/interface'
import type { YieldTurn } from '../../core/scheduler.ts'
import type { BlockExchange } from '../blocks/blockExchange.ts'
import { answerRange, RANGES_AT_ONCE_MAX } from '../blocks/ranges.ts'
import { answerRecords, RECORDS_AT_ONCE_MAX } from '../blocks/records.ts'
import { createConsensusRates, receiveConsensusMessages } from '../consensus.ts'
import { NetworkError } from '../error.ts'
import { answerPoolList, POOL_LISTS_AT_ONCE_MAX } from '../gossip/poolLists.ts'
import type { NetworkHandlers, Scoring } from '../network.ts'
import type { Log } from '../log.ts'
import { nameOf, type PeerConnection } from '../peers/connection.ts'
import type { ConnectionManager } from '../peers/connectionManager.ts'
import type { Discovery } from '../peers/discovery.ts'
import type { PeerEvents } from '../peers/events.ts'
import { answerWithEnodes } from '../peers/peerExchange.ts'
import type { PeerTable } from '../peers/peerTable.ts'
import type { Host } from '../transport/host.ts'
import { type Protocols, STATUS_PROTOCOL } from '../transport/protocols.ts'
import type { TokenBucket } from '../transport/tokenBucket.ts'

/** Inbound streams of one long-lived protocol and peer: the next one may be opened before the last has ended. */
const CHANNEL_STREAMS_MAX = 2

export type StreamOptions = {
  readonly host: Host
  readonly protocols: Protocols
  readonly handlers: NetworkHandlers
  readonly table: PeerTable
  readonly scoring: Scoring
  readonly events: PeerEvents
  readonly connections: ConnectionManager
  readonly blocks: BlockExchange
  readonly discovery: Discovery
  readonly log: Log
  readonly nowMs: () => number
  readonly pause: YieldTurn
  /** Ends a connection over which an invalid message came. */
  readonly onInvalidMessage: (connection: PeerConnection, cause: unknown) => void
}

type StreamHandler = (stream: Stream, connection: PeerConnection) => void

const handle = (
  { host, connections }: StreamOptions,
  protocol: string,
  streamsMax: number,
  handler: StreamHandler,
): Promise<void> =>
  host.handle(
    protocol,
    (stream, libp2p) => {
      const connection = connections.connectionOf(libp2p)
      if (connection === undefined) stream.abort(new Error('unknown connection'))
      else handler(stream, connection)
    },
    { maxInboundStreams: streamsMax, maxOutboundStreams: streamsMax },
  )

/** Answers the one request of a stream once the statuses are exchanged. A failure aborts the stream and is logged. */
const answer = (
  { events, log }: StreamOptions,
  stream: Stream,
  connection: PeerConnection,
  respond: () => Promise<void>,
  requests: TokenBucket = connection.requests,
): void => {
  const respondWhenReady = async (): Promise<void> => {
    if (!(await connection.ready)) throw new NetworkError('NOT_CONNECTED', 'no status was sent')
    if (requests.take(1) > 0) {
      events.misbehaved.emit(connection, 'flooding', 'more requests than allowed')
      throw new NetworkError('BAD_MESSAGE', 'too many requests')
    }
    await respond()
  }
  respondWhenReady().catch(cause => {
    log.debug('A request of {peer} failed: {reason}', { peer: nameOf(connection), reason: errorText(cause) })
    stream.abort(cause instanceof Error ? cause : new Error(errorText(cause)))
  })
}

const consensusHandler = (options: StreamOptions): StreamHandler => {
  const { handlers, table, scoring, events, nowMs } = options
  const rates = createConsensusRates(nowMs)
  return (stream, connection) =>
    receiveConsensusMessages(stream, connection, nowMs, {
      rate: () => rates(connection.id, handlers.roleOf(connection.address)),
      message: (code, data) => {
        const entry = table.get(connection.id)
        if (entry !== undefined && !scoring.isBanned(connection.id))
          handlers.onConsensusMessage(entry.peer, code, data)
      },
      flooding: () => events.misbehaved.emit(connection, 'flooding', 'more consensus messages than allowed'),
      failure: cause => options.onInvalidMessage(connection, cause),
    })
}

/** Registers the handlers of all protocols that peers open streams for. */
export const handleStreams = async (options: StreamOptions): Promise<void> => {
  const { host, protocols, handlers, connections, blocks, discovery, pause } = options
  await host.handle(STATUS_PROTOCOL, (stream, libp2p) => connections.onStatusStream(stream, libp2p), {
    maxInboundStreams: CHANNEL_STREAMS_MAX,
  })
  await handle(options, protocols.consensus, CHANNEL_STREAMS_MAX, consensusHandler(options))
  await handle(options, protocols.blocks, CHANNEL_STREAMS_MAX, (stream, connection) =>
    blocks.receive(stream, connection),
  )
  await handle(options, protocols.ranges, RANGES_AT_ONCE_MAX, (stream, connection) =>
    answer(options, stream, connection, () => answerRange(stream, handlers.blocks, pause)),
  )
  await handle(options, protocols.records, RECORDS_AT_ONCE_MAX, (stream, connection) =>
    answer(options, stream, connection, () => answerRecords(stream, handlers.records, pause)),
  )
  await handle(options, protocols.pool, POOL_LISTS_AT_ONCE_MAX, (stream, connection) =>
    answer(
      options,
      stream,
      connection,
      () => answerPoolList(stream, handlers, pause),
      connection.poolRequests,
    ),
  )
  await handle(options, protocols.peers, CHANNEL_STREAMS_MAX, (stream, connection) =>
    answer(options, stream, connection, () => answerWithEnodes(stream, discovery.enodesFor(connection))),
  )
}
