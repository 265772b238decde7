import { type Serve, STOP_GRACE_MS } from './serve.ts'

/** The part of Deno's own API that is used; its types are not those of this project. */
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
  // Deno has no limit of its own on bodies; the application counts them as they come.
  const server = Deno.serve({ hostname, port, onListen: () => undefined }, (request, { remoteAddr }) =>
    // As Bun and Node do by themselves (RFC 9112, 3.2): Deno writes the address it listens on into the URL.
    request.headers.has('host')
      ? fetch(request, () => remoteAddr.hostname ?? '')
      : new Response(null, { status: 400 }),
  )
  return {
    hostname,
    port: server.addr.port,
    stop: async () => {
      // What is not finished by then ends with the process: Deno cuts no connection of a server that is shutting down.
      let timer: ReturnType<typeof setTimeout> | undefined
      const grace = new Promise<void>(resolve => {
        timer = setTimeout(resolve, STOP_GRACE_MS)
      })
      await Promise.race([server.shutdown(), grace])
      clearTimeout(timer)
    },
  }
}
