import type { InboundLimits } from '../../../handlers/inbound/inboundLimits.ts'
import type { RpcContext } from '../../../handlers/rpc/context.ts'
import type { Access } from '../../auth/open.ts'
import { enabledBy } from '../../cli/enabled.ts'
import type { NodeOptions } from '../../cli/nodeOptions.ts'
import { type GraphqlListener, serveGraphql } from './graphqlServer.ts'
import { type RpcListener, serveRpc } from './rpcServer.ts'
import type { WsListener } from './wsServer.ts'

export type ClientServices = {
  readonly options: NodeOptions
  readonly access: Access
  readonly development: boolean
  readonly listeners: {
    readonly http: RpcListener | undefined
    readonly ws: WsListener | undefined
    readonly graphql: GraphqlListener | undefined
  }
  readonly inbound: InboundLimits
  /** Gets the number of open WebSocket connections. */
  readonly measured: { webSockets: () => number }
  /** Gets what stops a service that no listener stops. */
  readonly stops: (() => Promise<void> | void)[]
}

/** Answers the clients of all ports and of the socket file. @throws CommandError */
export const serveClients = async (services: ClientServices, context: RpcContext): Promise<void> => {
  const { options, access, development, stops } = services
  const { http, ws, graphql } = services.listeners
  const serverAccess = { ...access, inbound: services.inbound }
  if (http !== undefined) serveRpc(http, options, serverAccess, context, ws)
  const pages = enabledBy(options).explorer ? http : undefined
  if (ws !== undefined) {
    const { serveWs } = await import('./wsServer.ts')
    services.measured.webSockets = serveWs(ws, options, serverAccess, context, development, pages)
  }
  if (graphql !== undefined) await serveGraphql(graphql, options, serverAccess, context)
  if (!options.xRpcIpcEnabled) return
  const { serveIpc } = await import('./ipcServer.ts')
  stops.push(await serveIpc(options, serverAccess, context, development))
}
