import type { InboundLimits } from '../../../handlers/inbound/inboundLimits.ts'
import { isWithin, parseIpAddress, parseIpNetwork } from '../../../handlers/auth/ipAddress.ts'
import type { Access } from '../../auth/open.ts'
import type { NodeOptions } from '../../cli/nodeOptions.ts'
import { type ServeOptions, type Server, serve } from '../../serving/serve.ts'
import { closeAll } from '../closeAll.ts'

/** Authentication and inbound limits, shared by all ports. */
export type ServerAccess = Access & { readonly inbound: InboundLimits }

/** Returns whether an address belongs to a trusted proxy. */
export const proxyCheckOf = ({ rpcTrustedProxies }: NodeOptions): ((address: string) => boolean) => {
  const networks = rpcTrustedProxies.map(parseIpNetwork).filter(network => network !== undefined)
  return text => {
    const address = parseIpAddress(text)
    return address !== undefined && networks.some(network => isWithin(address, network))
  }
}

/** A value that is set later. */
export type Deferred<T> = {
  /** Sets the value; later calls are ignored. */
  readonly set: (value: T) => void
  /** Uses the value at once if it is set, otherwise when it is. */
  use<Result>(use: (value: T) => Result | Promise<Result>): Result | Promise<Result>
}

const createDeferred = <T>(): Deferred<T> => {
  let value: { readonly is: T } | undefined
  const { promise, resolve } = Promise.withResolvers<T>()
  return {
    set: is => {
      value ??= { is }
      resolve(is)
    },
    use: use => (value === undefined ? promise.then(use) : use(value.is)),
  }
}

/**
 * A port that listens before the chain is opened: early requests wait, and a port in use fails the start before it writes
 * anything.
 */
export type Listener<App> = Server & {
  /** Answers waiting and later requests with the app. */
  attach(app: App): void
}

/** Answers requests that waited for a node that failed to start. */
export const startingFailed = (): Response => new Response(null, { status: 503 })

/**
 * Listens for an app that is attached later. A stop closes the app before its connections.
 * @param failed answers the requests that waited for a node that failed to start
 * @param optionsOf where to listen, and the request handlers over the app
 * @throws CommandError if it cannot listen
 */
export const listenFor = async <App extends { readonly fetch: unknown; close?(): unknown }>(
  failed: App,
  optionsOf: (app: Deferred<App>) => ServeOptions,
): Promise<Listener<App>> => {
  const app = createDeferred<App>()
  const server = await serve(optionsOf(app))
  return {
    hostname: server.hostname,
    port: server.port,
    renewTls: server.renewTls,
    attach: app.set,
    stop: async () => {
      app.set(failed)
      // Open subscriptions may never end by themselves.
      await closeAll([() => app.use(attached => attached.close?.()), () => server.stop()])
    },
  }
}
