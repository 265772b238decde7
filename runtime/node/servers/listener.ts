import type { InboundLimits } from '../../../handlers/inbound/inboundLimits.ts'
import { isWithin, parseIpAddress, parseIpNetwork } from '../../../handlers/auth/ipAddress.ts'
import type { Access } from '../../auth/open.ts'
import type { NodeOptions } from '../../cli/nodeOptions.ts'
import { type ServeOptions, type Server, serve } from '../../serving/serve.ts'
import { closeAll } from '../closeAll.ts'

/** Who may do what, and how much at the same time; the same on all ports. */
export type Entrance = Access & { readonly inbound: InboundLimits }

/** Whether an address is that of a trusted proxy. */
export const proxyCheckOf = ({ rpcTrustedProxies }: NodeOptions): ((address: string) => boolean) => {
  const networks = rpcTrustedProxies.map(parseIpNetwork).filter(network => network !== undefined)
  return text => {
    const address = parseIpAddress(text)
    return address !== undefined && networks.some(network => isWithin(address, network))
  }
}

/** A value that comes later, for those who wait for it and for those who come after it. */
export type Late<T> = {
  /** The first one stays. */
  readonly set: (value: T) => void
  /** Uses it now where it is there, else when it comes. */
  use<Result>(use: (value: T) => Result | Promise<Result>): Result | Promise<Result>
}

export const createLate = <T>(): Late<T> => {
  let value: { readonly is: T } | undefined
  let tell: (value: T) => void = () => undefined
  const come = new Promise<T>(resolve => {
    tell = resolve
  })
  return {
    set: is => {
      value ??= { is }
      tell(is)
    },
    use: use => (value === undefined ? come.then(use) : use(value.is)),
  }
}

/** A port that is taken before the chain is opened: whoever calls early waits, and a taken port leaves no trace. */
export type Listener<App> = Server & {
  /** Answers what waits and what comes. */
  attach(app: App): void
}

/** Answers who waits when the node does not come up. */
export const startingFailed = (): Response => new Response(null, { status: 503 })

/**
 * Listens for an app that is attached later, and closed before its connections are.
 * @param failed the app of a node that does not come up
 * @param optionsOf where to listen; what comes is given to the app by its argument
 * @throws CommandError when it cannot
 */
export const listenFor = async <App extends { readonly fetch: unknown; close?(): unknown }>(
  failed: App,
  optionsOf: (app: Late<App>) => ServeOptions,
): Promise<Listener<App>> => {
  const late = createLate<App>()
  const server = await serve(optionsOf(late))
  return {
    hostname: server.hostname,
    port: server.port,
    attach: late.set,
    stop: async () => {
      late.set(failed)
      // What is open, such as subscriptions, may never end by itself.
      await closeAll([() => late.use(app => app.close?.()), () => server.stop()])
    },
  }
}
