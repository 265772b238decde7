import type { Server as BunServer, ServerWebSocket, TLSOptions, WebSocketHandler } from 'bun'
import { createConnectionUnits } from '../../handlers/inbound/unitBudget.ts'
import type { Session, Socket, Upgrade } from '../../handlers/ws/socket.ts'
import {
  type Fetch,
  isUpgrade,
  PING_INTERVAL_MS,
  type Serve,
  type ServeOptions,
  type ServerTls,
  STOP_GRACE_MS,
  type WebSocketOptions,
} from './serve.ts'

/** Bun's maximum: a connection is closed after this time without a byte. */
const IDLE_TIMEOUT_SECONDS = 255

/** Idle timeout of a port with WebSocket: clients upgrade soon after they connect. */
const UPGRADE_TIMEOUT_SECONDS = 60

type Server = BunServer<unknown> | BunServer<Data>

/** The granted upgrade of a connection, and its session once it is open. */
type Data = { readonly granted: Upgrade; session: Session | undefined; readonly takeUnit: () => boolean }

const socketOf = (webSocket: ServerWebSocket<Data>): Socket => ({
  send: (text, isCompressed) => void webSocket.sendText(text, isCompressed),
  bufferedBytes: () => webSocket.getBufferedAmount(),
  close: (code, reason) => webSocket.close(code, reason),
  terminate: () => webSocket.terminate(),
})

/** Pings and pongs are answered before they are told; frames of a message are not told. */
const countControl = (webSocket: ServerWebSocket<Data>): void => {
  if (!webSocket.data.takeUnit()) webSocket.terminate()
}

const handlerOf = ({ frameBytesMax }: WebSocketOptions): WebSocketHandler<Data> => ({
  open: webSocket => {
    webSocket.data.session = webSocket.data.granted.open(socketOf(webSocket))
  },
  message: ({ data }, message) =>
    data.session?.message(typeof message === 'string' ? message : message.toString()),
  ping: countControl,
  pong: countControl,
  close: ({ data }) => data.session?.closed(),
  // One limit for frames, for messages and for decompressed messages.
  maxPayloadLength: frameBytesMax,
  // Shared by all connections, without context from one message to the next.
  perMessageDeflate: { compress: 'shared', decompress: 'shared' },
  // The session limits the queued bytes: it sends a close reason first.
  backpressureLimit: 0,
  idleTimeout: (2 * PING_INTERVAL_MS) / 1000,
  sendPings: true,
})

/**
 * Closes the connection of a request whose body in chunks was not read: Bun would go on to parse it, however long it is. A body of a
 * known length ends by itself.
 */
const closingUnread =
  (fetch: Fetch): Fetch =>
  (request, peer) => {
    const answered = fetch(request, peer)
    if (!request.headers.has('transfer-encoding')) return answered
    const close = (response: Response): Response => {
      if (!request.bodyUsed) response.headers.set('connection', 'close')
      return response
    }
    return answered instanceof Promise ? answered.then(close) : close(answered)
  }

const upgrading =
  (webSocket: WebSocketOptions | undefined, fetch: Fetch) =>
  (request: Request, server: BunServer<Data>): Response | undefined | Promise<Response | undefined> => {
    const peer = (): string => server.requestIP(request)?.address ?? ''
    if (webSocket === undefined || !isUpgrade(request)) return fetch(request, peer)
    const grant = (granted: Response | Upgrade): Response | undefined => {
      if (granted instanceof Response) return granted
      const headers: HeadersInit =
        granted.protocol === undefined ? {} : { 'sec-websocket-protocol': granted.protocol }
      const data = { granted, session: undefined, takeUnit: createConnectionUnits('WebSocket frames') }
      const isDone = server.upgrade(request, { data, headers })
      return isDone ? undefined : new Response(null, { status: 400 })
    }
    const granted = webSocket.upgrade(request, peer)
    return granted instanceof Promise ? granted.then(grant) : grant(granted)
  }

const tlsOf = ({ cert, key, authorities }: ServerTls): TLSOptions => ({
  ...(cert === undefined || key === undefined ? {} : { cert, key }),
  ...(authorities === undefined ? {} : { ca: [...authorities], requestCert: true, rejectUnauthorized: true }),
})

const startServer = (
  { hostname, fetch: answer, bodyBytesMax, webSocket }: ServeOptions,
  port: number,
  tls: ServerTls | undefined,
): Server => {
  const fetch = closingUnread(answer)
  const common = {
    hostname,
    port,
    maxRequestBodySize: bodyBytesMax,
    idleTimeout: webSocket === undefined ? IDLE_TIMEOUT_SECONDS : UPGRADE_TIMEOUT_SECONDS,
    development: false,
    // Otherwise Bun shares a port in use, and two nodes would answer in turn.
    reusePort: false,
    ...(tls === undefined ? {} : { tls: tlsOf(tls) }),
  }
  return webSocket === undefined
    ? Bun.serve({
        ...common,
        fetch: (request, server) => fetch(request, () => server.requestIP(request)?.address ?? ''),
      })
    : Bun.serve<Data>({
        ...common,
        fetch: upgrading(webSocket, fetch),
        websocket: handlerOf(webSocket),
      })
}

export const serveOnBun: Serve = async options => {
  let { tls } = options
  let current = startServer(options, options.port, tls)
  const port = current.port as number
  /** Those of earlier certificates that have open connections. */
  const earlier = new Set<Server>()

  const replace = async (next: ServerTls | undefined): Promise<void> => {
    const before = current
    earlier.add(before)
    // It listens no more at once, and its connections stay; Bun's servers cannot change their certificate.
    void before.stop(false).then(() => earlier.delete(before))
    current = startServer(options, port, next)
    tls = next
  }

  return {
    hostname: options.hostname,
    port,
    renewTls:
      tls === undefined
        ? undefined
        : next =>
            replace(next).catch(async (error: unknown) => {
              await replace(tls)
              throw error
            }),
    stop: async () => {
      const servers = [current, ...earlier]
      const finished = Promise.all(servers.map(server => server.stop(false)))
      await Promise.race([finished, Bun.sleep(STOP_GRACE_MS)])
      await Promise.all(servers.map(server => server.stop(true)))
    },
  }
}
