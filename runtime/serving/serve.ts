import type { Upgrade } from '../../handlers/ws/socket.ts'
import { CommandError } from '../cli/errors.ts'
import { RUNTIME } from '../version.ts'

/** Answers a request; `peer` gives the address of the other end of its connection, empty once that is gone. */
export type Fetch = (request: Request, peer: () => string) => Response | Promise<Response>

/** What of a request for an upgrade is looked at. */
export type UpgradeRequest = { readonly headers: Pick<Headers, 'get'> }

/** Grants an upgrade to a WebSocket, or answers why not. */
export type GrantUpgrade = (
  request: UpgradeRequest,
  peer: () => string,
) => Response | Upgrade | Promise<Response | Upgrade>

export const isUpgrade = ({ headers }: UpgradeRequest): boolean =>
  headers.get('upgrade')?.toLowerCase() === 'websocket'

export type WebSocketOptions = {
  readonly upgrade: GrantUpgrade
  /** Longest frame; a longer one closes its connection with the code 1009. */
  readonly frameBytesMax: number
  /** The same of messages, in however many frames. Where a runtime shows no frames, a message may have as much as one. */
  readonly messageBytesMax: number
}

/** A connection whose other end answers no ping for so long, twice, is given up: its end was never told. */
export const PING_INTERVAL_MS = 60_000

export type ServeOptions = {
  readonly hostname: string
  /** The option that gave it, without dashes, for messages. */
  readonly hostOption: string
  /** 0 takes a free one. */
  readonly port: number
  readonly fetch: Fetch
  /** Longest request body the runtime reads before it answers 413 by itself. */
  readonly bodyBytesMax: number
  /** Connections at the same time, one more is closed at once; undefined for any number. */
  readonly connectionsMax?: number | undefined
  /** Whether an address is that of a trusted proxy. */
  readonly isProxy?: ((address: string) => boolean) | undefined
  /** Undefined where nothing is upgraded. */
  readonly webSocket?: WebSocketOptions | undefined
}

/**
 * Connections of one address at the same time, where the runtime shows connections: as many as it may have requests under way.
 * The connections of a trusted proxy are those of all its clients.
 */
export const CONNECTIONS_OF_ADDRESS_MAX = 1_000

/** A listening HTTP server; one implementation for each runtime stands behind it. */
export type Server = {
  readonly hostname: string
  readonly port: number
  /** Takes no more requests, lets those under way finish for a moment, then closes every connection. */
  stop(): Promise<void>
}

export type Serve = (options: ServeOptions) => Promise<Server>

/** What a stop waits for answers under way before it cuts the connections. */
export const STOP_GRACE_MS = 2_000

const onBun = async (): Promise<Serve> => (await import('./bun.ts')).serveOnBun
const onDeno = async (): Promise<Serve> => (await import('./deno.ts')).serveOnDeno
const onNode = async (): Promise<Serve> => (await import('./node.ts')).serveOnNode

/**
 * Each runtime has a fast server of its own. Those of Bun and Deno show no connections, so where these are to be limited
 * node:http stands in for them; and a WebSocket of Deno's cannot be closed without what it has queued, so there it is
 * node:http too.
 */
const LOADERS: Readonly<Record<typeof RUNTIME, (options: ServeOptions) => Promise<Serve>>> = {
  bun: options => (options.connectionsMax === undefined ? onBun() : onNode()),
  deno: options =>
    options.connectionsMax === undefined && options.webSocket === undefined ? onDeno() : onNode(),
  node: onNode,
}

const isPortInUse = (error: unknown): boolean =>
  error instanceof Error &&
  ((error as { code?: unknown }).code === 'EADDRINUSE' || error.name === 'AddrInUse')

/** Listens with what the runtime has. @throws CommandError when the port is taken or the address is not this machine's. */
export const serve: Serve = async options => {
  const serveHere = await LOADERS[RUNTIME](options)
  try {
    return await serveHere(options)
  } catch (error) {
    if (isPortInUse(error))
      throw new CommandError(
        'PORT_IN_USE',
        `Port(s) '[${options.port}]' already in use. Check for other processes using the port(s).`,
        { cause: error },
      )
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(
      'START_FAILED',
      `Cannot listen on ${options.hostname}:${options.port}: ${reason}. Give an address of this machine with --${options.hostOption}.`,
      { cause: error },
    )
  }
}
