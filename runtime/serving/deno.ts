import { type Serve, STOP_GRACE_MS } from './serve.ts'

/** The used part of Deno's API, whose types are not available here. */
type DenoServer = {
  readonly addr: { readonly port: number }
  shutdown(): Promise<void>
}
type DenoApi = {
  serve(
    options: { hostname: string; port: number; onListen: () => void },
    handler: (
      request: Request,
      info: { readonly remoteAddr: { readonly hostname?: string } },
    ) => Response | Promise<Response>,
  ): DenoServer
}

export const serveOnDeno: Serve = async ({ hostname, port, fetch }) => {
  const { Deno } = globalThis as unknown as { Deno: DenoApi }
  // Deno does not limit bodies; the application counts their bytes.
  const server = Deno.serve({ hostname, port, onListen: () => undefined }, (request, { remoteAddr }) =>
    // As Bun and Node (RFC 9112, 3.2): without a Host header Deno puts its own address into the URL.
    request.headers.has('host')
      ? fetch(request, () => remoteAddr.hostname ?? '')
      : new Response(null, { status: 400 }),
  )
  return {
    hostname,
    port: server.addr.port,
    stop: async () => {
      // Requests that are unfinished by then end with the process: Deno closes no connection during a shutdown.
      let timer: ReturnType<typeof setTimeout> | undefined
      const grace = new Promise<void>(resolve => {
        timer = setTimeout(resolve, STOP_GRACE_MS)
      })
      await Promise.race([server.shutdown(), grace])
      clearTimeout(timer)
    },
  }
}
