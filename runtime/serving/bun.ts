import { type Serve, STOP_GRACE_MS } from './serve.ts'

/** The most Bun takes: a connection without a byte for longer is given up. */
const IDLE_TIMEOUT_SECONDS = 255

export const serveOnBun: Serve = async ({ hostname, port, fetch, bodyBytesMax }) => {
  const server = Bun.serve({
    hostname,
    port,
    fetch: (request, server) => fetch(request, () => server.requestIP(request)?.address ?? ''),
    maxRequestBodySize: bodyBytesMax,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    development: false,
    // Without it Bun shares a port that is taken, and two nodes would answer on it in turn.
    reusePort: false,
  })
  return {
    hostname,
    port: server.port as number,
    stop: async () => {
      const finished = server.stop(false)
      await Promise.race([finished, Bun.sleep(STOP_GRACE_MS)])
      await server.stop(true)
    },
  }
}
