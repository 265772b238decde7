import type { Stream } from '@libp2p/interface'
import type { YieldTurn } from '../../core/scheduler.ts'
import type { Hash } from '../../core/bytes/bytes.ts'
import { toBareHex, toHex } from '../../core/bytes/hex.ts'
import { createRecentHashes, type RecentHashes } from '../gossip/recentHashes.ts'
import type { Log } from '../log.ts'
import { nameOf, type PeerConnection } from '../peers/connection.ts'
import type { PeerTable } from '../peers/peerTable.ts'
import { type ChannelLimits, openChannel } from '../transport/channel.ts'
import { receiveWhenReady } from '../transport/receive.ts'
import { createTokenBucket } from '../transport/tokenBucket.ts'
import {
  SENT_BLOCK_BYTES_MAX,
  BLOCK_MESSAGE_BYTES_MAX,
  type BlockMessage,
  blockMessageParts,
  decodeBlockMessage,
} from './blockMessages.ts'
import { createServedBlocks, type ServedBlocks } from './servedBlocks.ts'
import { createWantedBlocks, type WantedBlocks } from './wantedBlocks.ts'

/** Queue for a slow peer: one that lags further behind requests ranges. */
const QUEUE: ChannelLimits = { messagesMax: 64, bytesMax: 2 * SENT_BLOCK_BYTES_MAX }
/** Hashes kept for each peer; only the last few are used. */
const KNOWN_MAX = 256
/** Allows ten blocks a second, each announced and requested, with slack. */
const MESSAGES_PER_SECOND = 100
const BYTES_PER_SECOND = 32 * 1024 * 1024

export type BlockExchange = {
  announce(number: bigint, hash: Hash, block: Uint8Array): void
  receive(stream: Stream, connection: PeerConnection): void
  /** Requests the blocks that this peer sent from other announcers: its blocks were wrong. */
  distrust(id: string): void
  disconnected(id: string): void
  stop(): void
}

export type BlockExchangeOptions = {
  readonly protocol: string
  readonly table: PeerTable
  readonly log: Log
  readonly nowMs: () => number
  readonly pause: YieldTurn
  /** The number of this node's head: blocks up to it are not requested. */
  readonly headNumber: () => bigint
  /** True if this node sent consensus messages recently. */
  readonly participates: () => boolean
  readonly onBlock: (connection: PeerConnection, block: Uint8Array) => void
  readonly onFlooding: (connection: PeerConnection) => void
  readonly onFailure: (connection: PeerConnection, cause: unknown) => void
  readonly onChannelFailure: (connection: PeerConnection, reason: string) => void
}

type State = {
  readonly options: BlockExchangeOptions
  readonly served: ServedBlocks
  readonly wanted: WantedBlocks
  /** By peer: hashes of the blocks that it is known to have. */
  readonly known: Map<string, RecentHashes>
  /** By peer: hashes of the blocks that it was sent. */
  readonly sent: Map<string, RecentHashes>
}

const hashesOf = (map: Map<string, RecentHashes>, id: string): RecentHashes => {
  const found = map.get(id)
  if (found !== undefined) return found
  const created = createRecentHashes(KNOWN_MAX)
  map.set(id, created)
  return created
}

const send = (options: BlockExchangeOptions, connection: PeerConnection, message: BlockMessage): void => {
  connection.blockChannel ??= openChannel(connection.libp2p, options.protocol, {
    limits: QUEUE,
    pause: options.pause,
    onFailure: reason => options.onChannelFailure(connection, reason),
  })
  connection.blockChannel.send(...blockMessageParts(message))
}

const onMessage = (state: State, connection: PeerConnection, message: BlockMessage): void => {
  const { options, served, wanted, known, sent } = state
  const { id } = connection
  const { hash } = message
  switch (message.kind) {
    case 'announcement':
      hashesOf(known, id).add(hash)
      if (!served.has(toBareHex(hash)) && message.number > options.headNumber())
        wanted.announced(id, hash, options.participates())
      return
    case 'request': {
      const block = served.get(toBareHex(hash))
      // Once to each peer: a small request must not cost many blocks.
      if (block !== undefined && hashesOf(sent, id).add(hash))
        send(options, connection, { kind: 'block', hash: hash.slice(), block })
      return
    }
    case 'block':
      if (!wanted.received(id, hash)) return
      options.log.debug('Received block {hash} from {peer}', { hash: toHex(hash), peer: nameOf(connection) })
      options.onBlock(connection, message.block)
  }
}

const receive = (state: State, stream: Stream, connection: PeerConnection): void => {
  const { options } = state
  const { nowMs } = options
  const rate = {
    messages: createTokenBucket(MESSAGES_PER_SECOND, 2 * MESSAGES_PER_SECOND, nowMs),
    bytes: createTokenBucket(BYTES_PER_SECOND, 4 * SENT_BLOCK_BYTES_MAX, nowMs),
  }
  receiveWhenReady(stream, connection, {
    bytesMax: BLOCK_MESSAGE_BYTES_MAX,
    rate: { now: () => rate, onExceeded: () => options.onFlooding(connection) },
    onReceived: () => {
      connection.receivedAtMs = nowMs()
    },
    onFrame: frame => onMessage(state, connection, decodeBlockMessage(frame)),
    onFailure: cause => options.onFailure(connection, cause),
  })
}

/**
 * Exchanges new blocks: announces their hashes to every peer that is not known to have them, and sends the blocks on request.
 * Validators have most blocks when they are announced, so that each block crosses the network once.
 */
export const createBlockExchange = (options: BlockExchangeOptions): BlockExchange => {
  const { table } = options
  const wanted = createWantedBlocks((id, hash) => {
    const connection = table.connection(id)
    if (connection !== undefined) send(options, connection, { kind: 'request', hash })
    return connection !== undefined
  })
  const state: State = { options, served: createServedBlocks(), wanted, known: new Map(), sent: new Map() }
  return {
    announce: (number, hash, block) => {
      const key = toBareHex(hash)
      state.served.add(key, block)
      wanted.forget(key)
      for (const {
        connections: [connection],
      } of table.all())
        if (connection !== undefined && hashesOf(state.known, connection.id).add(hash))
          send(options, connection, { kind: 'announcement', hash, number })
    },
    receive: (stream, connection) => receive(state, stream, connection),
    distrust: id => wanted.distrust(id),
    disconnected: id => {
      state.known.delete(id)
      state.sent.delete(id)
      wanted.disconnected(id)
    },
    stop: () => wanted.stop(),
  }
}
