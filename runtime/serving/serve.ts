import { CommandError } from '../cli/errors.ts'
import { RUNTIME } from '../version.ts'

/** Answers a request; `peer` gives the address of the other end of its connection, empty once that is gone. */
export type Fetch = (request: Request, peer: () => string) => Response | Promise<Response>

export type ServeOptions = {
  readonly hostname: string
  /** 0 takes a free one. */
  readonly port: number
  readonly fetch: Fetch
  /** Longest request body the runtime reads before it answers 413 by itself. */
  readonly bodyBytesMax: number
}

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

const LOADERS: Readonly<Record<typeof RUNTIME, () => Promise<Serve>>> = {
  bun: async () => (await import('./bun.ts')).serveOnBun,
  deno: async () => (await import('./deno.ts')).serveOnDeno,
  node: async () => (await import('./node.ts')).serveOnNode,
}

const isPortInUse = (error: unknown): boolean =>
  error instanceof Error &&
  ((error as { code?: unknown }).code === 'EADDRINUSE' || error.name === 'AddrInUse')

/** Listens with what the runtime has. @throws CommandError when the port is taken or the address is not this machine's. */
export const serve: Serve = async options => {
  const serveHere = await LOADERS[RUNTIME]()
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
      `Cannot listen on ${options.hostname}:${options.port}: ${reason}. Give an address of this machine with --rpc-http-host.`,
      { cause: error },
    )
  }
}
