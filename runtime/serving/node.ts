import { createServer, type Server as HttpServer } from 'node:http'
import { createServer as createTlsServer, type ServerOptions, type Server as TlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { type BodyUnits, setBodyUnits } from '../../handlers/inbound/bodyUnits.ts'
import { RUNTIME } from '../version.ts'
import { type Answer, answerInTurn } from './answerInTurn.ts'
import { countBody } from './countedBody.ts'
import {
  CONNECTIONS_OF_ADDRESS_MAX,
  type Serve,
  type ServeOptions,
  type ServerTls,
  STOP_GRACE_MS,
} from './serve.ts'
import { limitUnreadBody } from './unreadBody.ts'

/**
 * Connections that the system keeps until the node accepts them; it may allow fewer. With Node's 511, a burst of one address
 * fills the queue while the node is busy for a moment, and everybody's next connection waits a second or more to try again.
 */
const WAITING_CONNECTIONS_MAX = 4_096

const listen = (server: HttpServer, port: number, hostname: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host: hostname, backlog: WAITING_CONNECTIONS_MAX }, () => {
      server.off('error', reject)
      resolve()
    })
  })

const TOO_MANY_CONNECTIONS =
  'HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n'

/** Answers 503 to the connections of an address beyond the limit, and closes them. */
const limitConnections = (
  server: HttpServer,
  { isProxy = () => false, connectionsOfAddressMax = CONNECTIONS_OF_ADDRESS_MAX }: ServeOptions,
): void => {
  const counts = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const count = counts.get(address) ?? 0
    if (count >= connectionsOfAddressMax && !isProxy(address)) {
      // The client may have disconnected already.
      socket.on('error', () => undefined)
      socket.end(TOO_MANY_CONNECTIONS, () => socket.destroy())
      return
    }
    counts.set(address, count + 1)
    socket.once('close', () => {
      const left = (counts.get(address) ?? 1) - 1
      if (left === 0) counts.delete(address)
      else counts.set(address, left)
    })
  })
}

/** Closes each connection after a time, also one that sends nothing or does not read. */
const limitConnectionTime = (server: HttpServer, timeMsMax: number): void => {
  server.on('connection', (socket: Socket) => {
    const timer = setTimeout(() => socket.destroy(), timeMsMax)
    socket.once('close', () => clearTimeout(timer))
  })
}

const tlsOf = ({ authorities, pfx, ...own }: ServerTls): ServerOptions => ({
  ...own,
  ...(pfx === undefined ? {} : { pfx: Buffer.from(pfx) }),
  minVersion: 'TLSv1.2',
  ...(authorities === undefined ? {} : { ca: [...authorities], requestCert: true, rejectUnauthorized: true }),
})

type Listening = {
  readonly server: HttpServer | TlsServer
  readonly closeWebSockets: (() => void) | undefined
}

/** Listens on the port, with the limits of the options. */
const openServer = async (
  options: ServeOptions,
  port: number,
  tls: ServerTls | undefined,
  answer: Answer,
): Promise<Listening> => {
  const { hostname, connectionsMax, webSocket, connectionMsMax, requestsOfConnectionMax } = options
  const server = tls === undefined ? createServer(answer) : createTlsServer(tlsOf(tls), answer)
  limitConnections(server, options)
  if (connectionMsMax !== undefined) limitConnectionTime(server, connectionMsMax)
  if (requestsOfConnectionMax !== undefined) server.maxRequestsPerSocket = requestsOfConnectionMax
  if (connectionsMax !== undefined) server.maxConnections = connectionsMax
  const closeWebSockets =
    webSocket === undefined
      ? undefined
      : (await import('./nodeWebSocket.ts')).serveWebSocket(server, webSocket)
  await listen(server, port, hostname)
  return { server, closeWebSockets }
}

const stopServer = ({ server, closeWebSockets }: Listening): Promise<void> =>
  new Promise(resolve => {
    const timer = setTimeout(() => {
      closeWebSockets?.()
      server.closeAllConnections()
    }, STOP_GRACE_MS)
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
    server.closeIdleConnections()
  })

/** Changes the certificate of a server where it can; false on Bun. */
const changeCertificate = ({ server }: Listening, tls: ServerTls): boolean => {
  if (!('setSecureContext' in server)) return false
  server.setSecureContext(tlsOf(tls))
  return true
}

export const serveOnNode: Serve = async options => {
  const unitsOf = new WeakMap<object, BodyUnits>()
  // The application limits the body, as on every runtime.
  const listener = getRequestListener(
    (request, { incoming }) => {
      const units = unitsOf.get(incoming)
      if (units !== undefined) setBodyUnits(request, units)
      return options.fetch(request, () => incoming.socket.remoteAddress ?? '')
    },
    // On other runtimes another port may use the runtime's own server, which accepts only its own Response.
    { overrideGlobalObjects: RUNTIME === 'node' },
  )
  const answer = answerInTurn((request, response) => {
    limitUnreadBody(request, response)
    const units = countBody(request, response, options.bodyBytesMax)
    if (units !== undefined) unitsOf.set(request, units)
    void listener(request, response)
  })
  let current = await openServer(options, options.port, options.tls, answer)
  const { port } = current.server.address() as AddressInfo
  /** Those of earlier certificates that have open connections. */
  const earlier = new Set<Listening>()

  const renewTls = async (tls: ServerTls): Promise<void> => {
    if (changeCertificate(current, tls)) return
    const before = current
    earlier.add(before)
    before.server.close(() => earlier.delete(before))
    current = await openServer(options, port, tls, answer)
  }

  return {
    hostname: options.hostname,
    port,
    renewTls: options.tls === undefined ? undefined : renewTls,
    stop: async () => {
      await Promise.all([current, ...earlier].map(stopServer))
    },
  }
}
