import { privateKeyFromRaw } from '@libp2p/crypto/keys'
import { type GossipSub, gossipsub } from '@libp2p/gossipsub'
import { type Identify, identify } from '@libp2p/identify'
import type { ConnectionGater, Libp2p } from '@libp2p/interface'
import { noise } from '@libp2p/noise'
import { asCrypto, defaultCrypto } from '@libp2p/noise/crypto'
import { tcp } from '@libp2p/tcp'
import { createLibp2p } from 'libp2p'
import { NetworkError, textOf } from './error.ts'
import { endpointOf, listenAddressOf } from './identity.ts'
import { gossipOptions } from './gossip.ts'
import { safeYamux } from './muxer.ts'

export type Host = Libp2p<{ identify: Identify; pubsub: GossipSub }>

/** A handshake takes 4 round trips and some milliseconds of curve arithmetic. */
const UPGRADE_TIMEOUT_MS = 5000
/** Dials that run at once. */
export const DIALS_MAX = 16
/** Whole dial: name, socket, handshake. Short, since a static node is dialed again and again. */
export const DIAL_TIMEOUT_MS = 4000
/** All nodes of a network may be on one machine and start together. */
const INBOUND_PER_SECOND_AND_HOST = 100
/** One host alone opens no more within the time it has for a handshake: silent sockets of one keep nobody else out. */
const PENDING_INBOUND_MAX = 512
/** Streams of one connection: each protocol holds one each way, requests a few, gossip one, the rest is slack. */
const STREAMS_PER_CONNECTION_MAX = 64
/** What one stream may have on its way: with 50 ms between two nodes that is 40 MB/s. */
const STREAM_WINDOW_BYTES = 2 * 1024 * 1024
/** Above the window, or a reader that pauses would lose its stream. */
const STREAM_READ_BUFFER_BYTES = 2 * STREAM_WINDOW_BYTES
const STREAM_INITIAL_WINDOW_BYTES = 256 * 1024

export type HostOptions = {
  readonly privateKey: Uint8Array
  readonly host: string
  readonly port: number
  readonly gater: ConnectionGater
  /** A hard limit of sockets; who is a peer is decided later. */
  readonly connectionsMax: number
  readonly transactionsTopic: string
}

/** A libp2p node over TCP, noise, yamux, with identify and gossipsub; no DHT, no relays, nothing on disk. Not started. */
export const createHost = (options: HostOptions): Promise<Host> => {
  const { privateKey, host, port, gater, connectionsMax, transactionsTopic } = options
  return createLibp2p({
    start: false,
    privateKey: privateKeyFromRaw(privateKey),
    nodeInfo: { name: 'quorate', version: '1', userAgent: 'quorate' },
    addresses: { listen: [listenAddressOf(host, port).toString()] },
    transports: [tcp({ maxConnections: connectionsMax + PENDING_INBOUND_MAX })],
    connectionEncrypters: [noise(isBun() ? { crypto: bunCrypto } : {})],
    streamMuxers: [
      safeYamux({
        maxInboundStreams: STREAMS_PER_CONNECTION_MAX,
        maxOutboundStreams: STREAMS_PER_CONNECTION_MAX,
        streamOptions: {
          initialStreamWindowSize: STREAM_INITIAL_WINDOW_BYTES,
          maxStreamWindowSize: STREAM_WINDOW_BYTES,
          maxReadBufferLength: STREAM_READ_BUFFER_BYTES,
        },
      }),
    ],
    connectionGater: gater,
    connectionManager: {
      // The gater keeps the limit; libp2p would close connections of its own choice.
      maxConnections: 2 * connectionsMax,
      maxParallelDials: DIALS_MAX,
      dialTimeout: DIAL_TIMEOUT_MS,
      addressDialTimeout: DIAL_TIMEOUT_MS,
      inboundUpgradeTimeout: UPGRADE_TIMEOUT_MS,
      inboundConnectionThreshold: INBOUND_PER_SECOND_AND_HOST,
      maxIncomingPendingConnections: PENDING_INBOUND_MAX,
      reconnectRetries: 0,
    },
    // Peers tell each other that they live, over the status protocol.
    connectionMonitor: { enabled: false },
    services: { identify: identify(), pubsub: gossipsub(gossipOptions(transactionsTopic)) },
  })
}

/**
 * Listens; gives the TCP port that it listens on.
 * @throws NetworkError PORT_IN_USE or LISTEN_FAILED
 */
export const startHost = async (node: Host, host: string, port: number): Promise<number> => {
  try {
    await node.start()
  } catch (cause) {
    await node.stop()
    const where = `${host}:${port}`
    if (isPortInUse(cause))
      throw new NetworkError('PORT_IN_USE', `another process listens on ${where}`, { cause })
    throw new NetworkError('LISTEN_FAILED', `cannot listen on ${where}: ${textOf(cause)}`, { cause })
  }
  const [address] = node.getMultiaddrs()
  return address === undefined ? port : endpointOf(address).port
}

const isBun = (): boolean => 'Bun' in globalThis

/** Bun's crypto lacks chacha20-poly1305: above small messages noise's own choice fails on it. */
const bunCrypto = {
  ...defaultCrypto,
  chaCha20Poly1305Encrypt: asCrypto.chaCha20Poly1305Encrypt,
  chaCha20Poly1305Decrypt: asCrypto.chaCha20Poly1305Decrypt,
}

/** libp2p wraps what the socket said, once or more. */
const CAUSES_MAX = 8

const isPortInUse = (error: unknown, depth = CAUSES_MAX): boolean => {
  if (!(error instanceof Error) || depth === 0) return false
  if ((error as { code?: unknown }).code === 'EADDRINUSE' || error.message.includes('EADDRINUSE')) return true
  const inner = error instanceof AggregateError ? (error.errors as unknown[]) : []
  return [error.cause, ...inner].some(cause => isPortInUse(cause, depth - 1))
}
