import { createOwnOrigin } from '../../../handlers/http/ownOrigin.ts'
import type { RpcContext } from '../../../handlers/rpc/context.ts'
import { createWsApp, type WsApp } from '../../../handlers/ws/app.ts'
import type { NodeOptions } from '../../cli/nodeOptions.ts'
import type { Server, ServerTls } from '../../serving/serve.ts'
import { type ServerAccess, type Listener, listenFor, proxyCheckOf, startingFailed } from './listener.ts'
import { allowedOrigins } from './origins.ts'
import { apisOf, warnOfEmptyGroups } from './rpcServer.ts'

/** Maximum body length of POST /login. */
const LOGIN_BODY_BYTES_MAX = 64 * 1024

/** Maximum length of a message in frames of the maximum length, as in Besu. */
const FRAMES_PER_MESSAGE = 4

type App = Pick<WsApp, 'fetch' | 'upgrade' | 'close'>

export type WsListener = Listener<App>

const STARTING_FAILED: App = { fetch: startingFailed, upgrade: startingFailed, close: () => undefined }

/** Listens on the port of the options. @throws CommandError if it cannot listen */
export const listenForWs = (options: NodeOptions, tls?: ServerTls): Promise<WsListener> =>
  listenFor(STARTING_FAILED, late => ({
    hostname: options.rpcWsHost,
    hostOption: 'rpc-ws-host',
    portOption: 'rpc-ws-port',
    port: options.rpcWsPort,
    isProxy: proxyCheckOf(options),
    tls,
    fetch: (request, peer) => late.use(app => app.fetch(request, peer)),
    bodyBytesMax: LOGIN_BODY_BYTES_MAX,
    webSocket: {
      frameBytesMax: options.rpcWsMaxFrameSize,
      messageBytesMax: FRAMES_PER_MESSAGE * options.rpcWsMaxFrameSize,
      upgrade: (request, peer) => late.use(app => app.upgrade(request, peer)),
    },
  }))

/**
 * Serves JSON-RPC on the listener. Returns the function that counts the open connections.
 * @param http the listener of the explorer, whose pages may connect; undefined without it
 */
export const serveWs = (
  listener: WsListener,
  options: NodeOptions,
  access: ServerAccess,
  shared: RpcContext,
  development: boolean,
  http: Pick<Server, 'port'> | undefined,
): (() => number) => {
  const context: RpcContext = {
    ...shared,
    options: {
      ...shared.options,
      apis: apisOf(options.rpcWsApi, development),
      // As Besu: the message length bounds a batch.
      batchSizeMax: 0,
      timeoutMs: options.xWsTimeoutSeconds * 1000,
      prettyPrint: false,
    },
  }
  warnOfEmptyGroups(context)
  const app = createWsApp(context, {
    hostAllowlist: options.hostAllowlist,
    corsOrigins: allowedOrigins([...options.rpcHttpCorsOrigins, ...options.rpcWsCorsOrigins], context),
    isOwnOrigin:
      http === undefined ? undefined : createOwnOrigin(options.hostAllowlist, () => String(http.port)),
    connectionsMax: options.rpcWsMaxActiveConnections,
    authentication: access.ws,
    clientOf: access.clientOf,
    inbound: access.inbound,
  })
  listener.attach(app)
  return () => app.size
}
