import { errorText } from '../../core/text/errorText.ts'
import { requestScheduler } from '../../handlers/inbound/requestScheduler.ts'
import type { Upgrade } from '../../handlers/ws/socket.ts'
import { CommandError } from '../cli/errors.ts'
import { RUNTIME } from '../version.ts'

/** Answers a request; `peer` returns the client address, empty once the connection is closed. */
export type Fetch = (request: Request, peer: () => string) => Response | Promise<Response>

/** The used part of an upgrade request. */
export type UpgradeRequest = { readonly headers: Pick<Headers, 'get'> }

/** Grants a WebSocket upgrade, or returns the refusing response. */
export type GrantUpgrade = (
  request: UpgradeRequest,
  peer: () => string,
) => Response | Upgrade | Promise<Response | Upgrade>

export const isUpgrade = ({ headers }: UpgradeRequest): boolean =>
  headers.get('upgrade')?.toLowerCase() === 'websocket'

export type WebSocketOptions = {
  readonly upgrade: GrantUpgrade
  /** Maximum length of a frame; a longer one closes its connection with code 1009. */
  readonly frameBytesMax: number
  /** Maximum length of a message of several frames. On Bun, which shows no frames, that of one frame. */
  readonly messageBytesMax: number
}

/** Interval between pings; a connection is closed after two unanswered ones. */
export const PING_INTERVAL_MS = 60_000

/** Certificate and key of a port: PEM texts, or a PKCS#12 file. */
export type ServerTls = {
  readonly cert?: string
  readonly key?: string
  readonly pfx?: Uint8Array
  readonly passphrase?: string
  /** PEM texts of the authorities that issue client certificates, which are then required; undefined accepts every client. */
  readonly authorities: readonly string[] | undefined
}

export type ServeOptions = {
  readonly hostname: string
  /** Name of the option of the host without dashes, for messages. */
  readonly hostOption: string
  /** Name of the option of the port without dashes, for messages. */
  readonly portOption: string
  /** 0 for a free port. */
  readonly port: number
  readonly fetch: Fetch
  /** Maximum length of a request body; the runtime answers 413 to a longer one. */
  readonly bodyBytesMax: number
  /** Maximum open connections; further ones are closed at once. Undefined for no limit. */
  readonly connectionsMax?: number | undefined
  /** Maximum open connections of one address where the runtime shows connections; CONNECTIONS_OF_ADDRESS_MAX when left out. */
  readonly connectionsOfAddressMax?: number | undefined
  /** Requests that one connection may carry; needs `connectionsMax`. Bun does not count them: answer with `connection: close`. */
  readonly requestsOfConnectionMax?: number | undefined
  /** Closes each connection after this time, whatever it does; needs `connectionsMax`. Undefined for no limit. */
  readonly connectionMsMax?: number | undefined
  /** Returns whether an address belongs to a trusted proxy. */
  readonly isProxy?: ((address: string) => boolean) | undefined
  /** Undefined serves plain HTTP. */
  readonly tls?: ServerTls | undefined
  /** Undefined without WebSocket. */
  readonly webSocket?: WebSocketOptions | undefined
}

/**
 * Maximum open connections of one address where the runtime shows connections: as many as its concurrent requests. Trusted
 * proxies are exempt, because they carry the connections of all their clients.
 */
export const CONNECTIONS_OF_ADDRESS_MAX = 1_000

/** A listening HTTP server, with an implementation for each runtime. */
export type Server = {
  readonly hostname: string
  readonly port: number
  /** Uses another certificate for new connections; open ones keep theirs. Undefined where the server has no TLS. */
  readonly renewTls?: ((tls: ServerTls) => Promise<void>) | undefined
  /** Accepts no more requests, waits shortly for running ones, then closes all connections. */
  stop(): Promise<void>
}

export type Serve = (options: ServeOptions) => Promise<Server>

/** Time that a stop waits for running requests before it closes their connections. */
export const STOP_GRACE_MS = 2_000

const onBun = async (): Promise<Serve> => (await import('./bun.ts')).serveOnBun
const onDeno = async (): Promise<Serve> => (await import('./deno.ts')).serveOnDeno
const onNode = async (): Promise<Serve> => (await import('./node.ts')).serveOnNode

/**
 * Each runtime has its own fast server. Those of Bun and Deno show no connections, so node:http replaces them if connections
 * are limited. A WebSocket of Deno cannot be closed without sending its queue, so node:http serves WebSocket there, and TLS,
 * because Deno's server asks for no client certificates. Bun's server reads no PKCS#12.
 */
const LOADERS: Readonly<Record<typeof RUNTIME, (options: ServeOptions) => Promise<Serve>>> = {
  bun: ({ connectionsMax, tls }) =>
    connectionsMax === undefined && tls?.pfx === undefined ? onBun() : onNode(),
  deno: ({ connectionsMax, webSocket, tls }) =>
    connectionsMax === undefined && webSocket === undefined && tls === undefined ? onDeno() : onNode(),
  node: onNode,
}

/**
 * Answers what fits into the slice of a turn, the rest in later turns. A runtime reads thousands of short requests from its
 * sockets in one turn, and answers that take microseconds each would then hold the event loop for seconds.
 */
const answerInSlices =
  (fetch: Fetch): Fetch =>
  (request, peer) => {
    const turn = requestScheduler().begin()
    return turn === undefined ? fetch(request, peer) : turn.then(() => fetch(request, peer))
  }

const isPortInUse = (error: unknown): boolean =>
  error instanceof Error &&
  ((error as { code?: unknown }).code === 'EADDRINUSE' || error.name === 'AddrInUse')

/** Listens with the server of the runtime. @throws CommandError if the port is in use or the address belongs to another machine */
export const serve: Serve = async options => {
  const serveHere = await LOADERS[RUNTIME](options)
  try {
    return await serveHere({ ...options, fetch: answerInSlices(options.fetch) })
  } catch (error) {
    if (isPortInUse(error))
      throw new CommandError(
        'PORT_IN_USE',
        `Port(s) '[${options.port}]' already in use. Check for other processes using the port(s), or give another port with --${options.portOption}.`,
        { cause: error },
      )
    const reason = errorText(error)
    throw new CommandError(
      'START_FAILED',
      `Cannot listen on ${options.hostname}:${options.port}: ${reason}. Give an address of this machine with --${options.hostOption}.`,
      { cause: error },
    )
  }
}
