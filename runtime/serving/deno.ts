import { type Serve, STOP_GRACE_MS } from './serve.ts'

/** The part of Deno's own API that is used; its types are not those of this project. */
type DenoServer = {
  readonly addr: { readonly port: number }
  shutdown(): Promise<void>
}
type DenoApi = {
  serve(
    options: { hostname: string; port: number; signal: AbortSignal; onListen: () => void },
    handler: (
      request: Request,
      info: { readonly remoteAddr: { readonly hostname?: string } },
    ) => Response | Promise<Response>,
  ): DenoServer
}

export const serveOnDeno: Serve = async ({ hostname, port, fetch }) => {
  const { Deno } = globalThis as unknown as { Deno: DenoApi }
  const abort = new AbortController()
  // Deno has no limit of its own on bodies; the application counts them as they come.
  const server = Deno.serve(
    { hostname, port, signal: abort.signal, onListen: () => undefined },
    (request, { remoteAddr }) => fetch(request, () => remoteAddr.hostname ?? ''),
  )
  return {
    hostname,
    port: server.addr.port,
    stop: async () => {
      const timer = setTimeout(() => abort.abort(), STOP_GRACE_MS)
      await server.shutdown()
      clearTimeout(timer)
    },
  }
}
