import { errorText } from '../../core/text/errorText.ts'
import { DIALS_MAX } from '../limits.ts'
import { privateKeyFromRaw } from '@libp2p/crypto/keys'
import { type GossipSub, type GossipsubOpts, gossipsub } from '@libp2p/gossipsub'
import { type Identify, identify } from '@libp2p/identify'
import type { ConnectionGater, Libp2p } from '@libp2p/interface'
import { noise } from '@libp2p/noise'
import { asCrypto, defaultCrypto } from '@libp2p/noise/crypto'
import { tcp } from '@libp2p/tcp'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { createLibp2p } from 'libp2p'
import { NetworkError } from '../error.ts'
import type { ListenAddress } from '../network.ts'
import { hostKind } from './enode.ts'
import { endpointOf, listenAddressOf } from './identity.ts'
import { createStrangersBudget } from './strangersBudget.ts'
import { safeYamux } from './muxer.ts'

export type Host = Libp2p<{ identify: Identify; pubsub: GossipSub }>

/** A handshake takes 4 round trips and some milliseconds of curve arithmetic. */
const UPGRADE_TIMEOUT_MS = 5000
/** Time limit of a dial: name resolution, socket, handshake. Short, because static nodes are redialed continuously. */
export const DIAL_TIMEOUT_MS = 4000
/** Inbound connections of one address: all nodes of a network may run on one machine and start together. */
const INBOUND_PER_SECOND_AND_HOST = 100
/** Unfinished handshakes: more than one address may open in their timeout, so that its silent sockets keep no other out. */
const PENDING_INBOUND_MAX = 512
/** Streams of one connection: one each way for each protocol, some for requests, one for gossip, and slack. */
const STREAMS_PER_CONNECTION_MAX = 64
/** Bytes in flight of one stream: with a round trip of 50 ms this allows 40 MB/s. */
const STREAM_WINDOW_BYTES = 2 * 1024 * 1024
/** Above the window: a paused reader whose buffer overflows would lose its stream. */
const STREAM_READ_BUFFER_BYTES = 2 * STREAM_WINDOW_BYTES
const STREAM_INITIAL_WINDOW_BYTES = 256 * 1024

/** Where the node listens. */
type Listening = ListenAddress & { readonly ipv6?: ListenAddress | undefined }

export type HostOptions = {
  readonly privateKey: Uint8Array
  readonly host: string
  readonly port: number
  readonly ipv6?: ListenAddress | undefined
  readonly gater: ConnectionGater
  /** A hard limit of sockets; the limit of peers is checked after the handshake. */
  readonly connectionsMax: number
  readonly gossip: Partial<GossipsubOpts>
}

const addressesOf = ({ host, port, ipv6 }: Listening): readonly ListenAddress[] => [
  { host, port },
  ...(ipv6 === undefined ? [] : [ipv6]),
]

/**
 * Bits of the base point's table, which libp2p's curve builds for the first key: 8 by default, for thousands of signatures.
 * A connection takes one and checks two, which take as long with this table, and it is built in half the time.
 */
const CURVE_TABLE_BITS = 2

/** Creates a libp2p node over TCP, noise and yamux, with identify and gossipsub, without DHT, relays or files. It is not started. */
export const createHost = (options: HostOptions): Promise<Host> => {
  const { privateKey, gater, connectionsMax, gossip } = options
  secp256k1.Point.BASE.precompute(CURVE_TABLE_BITS)
  return createLibp2p({
    start: false,
    privateKey: privateKeyFromRaw(privateKey),
    nodeInfo: { name: 'quorate', version: '1', userAgent: 'quorate' },
    addresses: {
      listen: addressesOf(options).map(({ host, port }) => listenAddressOf(host, port).toString()),
    },
    transports: [tcp({ maxConnections: connectionsMax + PENDING_INBOUND_MAX })],
    connectionEncrypters: [noise(isBun() ? { crypto: bunCrypto } : {})],
    streamMuxers: [
      safeYamux(
        {
          maxInboundStreams: STREAMS_PER_CONNECTION_MAX,
          maxOutboundStreams: STREAMS_PER_CONNECTION_MAX,
          streamOptions: {
            initialStreamWindowSize: STREAM_INITIAL_WINDOW_BYTES,
            maxStreamWindowSize: STREAM_WINDOW_BYTES,
            maxReadBufferLength: STREAM_READ_BUFFER_BYTES,
          },
        },
        createStrangersBudget(() => performance.now()),
      ),
    ],
    connectionGater: gater,
    connectionManager: {
      // The gater enforces the limit: libp2p would close connections of its own choice.
      maxConnections: 2 * connectionsMax,
      maxParallelDials: DIALS_MAX,
      dialTimeout: DIAL_TIMEOUT_MS,
      addressDialTimeout: DIAL_TIMEOUT_MS,
      inboundUpgradeTimeout: UPGRADE_TIMEOUT_MS,
      inboundConnectionThreshold: INBOUND_PER_SECOND_AND_HOST,
      maxIncomingPendingConnections: PENDING_INBOUND_MAX,
      reconnectRetries: 0,
    },
    // The status protocol has its own keep-alive messages.
    connectionMonitor: { enabled: false },
    services: { identify: identify(), pubsub: gossipsub(gossip) },
  })
}

/** The port of the address of this kind, ip4 or ip6, that the node listens on. */
const portOf = (node: Host, kind: string | undefined): number | undefined => {
  const address = node.getMultiaddrs().find(each => each.getComponents()[0]?.name === kind)
  return address === undefined ? undefined : endpointOf(address).port
}

/**
 * Starts the node and returns the TCP port that it listens on at `host`.
 * @throws NetworkError PORT_IN_USE or LISTEN_FAILED
 */
export const startHost = async (node: Host, listening: Listening): Promise<number> => {
  const { host, port, ipv6 } = listening
  try {
    await node.start()
  } catch (cause) {
    await node.stop()
    const where = `${host}:${port}`
    if (isPortInUse(cause))
      throw new NetworkError(
        'PORT_IN_USE',
        `another process listens on ${where}: stop it, or give another port with --p2p-port`,
        { cause },
      )
    throw new NetworkError('LISTEN_FAILED', `cannot listen on ${where}: ${errorText(cause)}`, { cause })
  }
  // libp2p goes on without an IPv6 address that it cannot listen on.
  if (ipv6 !== undefined && portOf(node, 'ip6') === undefined) {
    await node.stop()
    const text = `cannot listen on [${ipv6.host}]:${ipv6.port}: this machine has no such address, or another process listens there`
    throw new NetworkError('LISTEN_FAILED', text)
  }
  return port === 0 ? (portOf(node, hostKind(host)) ?? port) : port
}

const isBun = (): boolean => 'Bun' in globalThis

/** Bun's crypto lacks chacha20-poly1305: the default engine of noise fails on messages that are not small. */
const bunCrypto = {
  ...defaultCrypto,
  chaCha20Poly1305Encrypt: asCrypto.chaCha20Poly1305Encrypt,
  chaCha20Poly1305Decrypt: asCrypto.chaCha20Poly1305Decrypt,
}

/** Depth of the search for the error of the socket, which libp2p wraps. */
const CAUSES_MAX = 8

const isPortInUse = (error: unknown, depth = CAUSES_MAX): boolean => {
  if (!(error instanceof Error) || depth === 0) return false
  if ((error as { code?: unknown }).code === 'EADDRINUSE' || error.message.includes('EADDRINUSE')) return true
  const inner = error instanceof AggregateError ? (error.errors as unknown[]) : []
  return [error.cause, ...inner].some(cause => isPortInUse(cause, depth - 1))
}
