import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { RUNTIME } from '../version.ts'
import { type Serve, STOP_GRACE_MS } from './serve.ts'

const listen = (server: HttpServer, port: number, hostname: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, hostname, () => {
      server.off('error', reject)
      resolve()
    })
  })

export const serveOnNode: Serve = async ({ hostname, port, fetch, connectionsMax, webSocket }) => {
  // The application counts body bytes as they come, as it does on every runtime.
  const listener = getRequestListener(
    (request, { incoming }) => fetch(request, () => incoming.socket.remoteAddress ?? ''),
    // On other runtimes another port may be served by their own server, which takes no Response but their own.
    { overrideGlobalObjects: RUNTIME === 'node' },
  )
  const server = createServer((request, response) => void listener(request, response))
  if (connectionsMax !== undefined) server.maxConnections = connectionsMax
  const closeWebSockets =
    webSocket === undefined
      ? undefined
      : (await import('./nodeWebSocket.ts')).serveWebSocket(server, webSocket)
  await listen(server, port, hostname)
  return {
    hostname,
    port: (server.address() as AddressInfo).port,
    stop: () =>
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
      }),
  }
}
