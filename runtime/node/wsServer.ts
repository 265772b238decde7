import type { RpcContext } from '../../handlers/rpc/context.ts'
import { createWsApp, type WsApp } from '../../handlers/ws/app.ts'
import type { Access } from '../auth/open.ts'
import type { NodeOptions } from '../cli/nodeOptions.ts'
import { type Server, serve } from '../serving/serve.ts'
import { createLate } from './late.ts'
import { apisOf, warnOfEmptyGroups } from './rpcServer.ts'

/** Of the bodies of POST /login. */
const LOGIN_BODY_BYTES_MAX = 64 * 1024

/** Besu's: a message may have as many times what one frame may have. */
const FRAMES_PER_MESSAGE = 4

/** A port that is taken before the chain is opened: whoever calls early waits. */
export type WsListener = Server & {
  /** Answers what waits and what comes. */
  attach(app: Pick<WsApp, 'fetch' | 'upgrade' | 'close'>): void
}

const startingFailed = (): Response => new Response(null, { status: 503 })

const STARTING_FAILED: Pick<WsApp, 'fetch' | 'upgrade' | 'close'> = {
  fetch: startingFailed,
  upgrade: startingFailed,
  close: () => undefined,
}

/** Listens as the options say. @throws CommandError when it cannot */
export const listenForWs = async (options: NodeOptions): Promise<WsListener> => {
  const late = createLate<Pick<WsApp, 'fetch' | 'upgrade' | 'close'>>()
  const server = await serve({
    hostname: options.rpcWsHost ?? options.p2pHost,
    hostOption: 'rpc-ws-host',
    port: options.rpcWsPort,
    fetch: (request, peer) => late.use(app => app.fetch(request, peer)),
    bodyBytesMax: LOGIN_BODY_BYTES_MAX,
    webSocket: {
      // What the runtimes have shows messages and no frames, so that the bound of frames stands in the one of messages.
      messageBytesMax: FRAMES_PER_MESSAGE * options.rpcWsMaxFrameSize,
      upgrade: (request, peer) => late.use(app => app.upgrade(request, peer)),
    },
  })
  return {
    hostname: server.hostname,
    port: server.port,
    attach: late.set,
    stop: async () => {
      late.set(STARTING_FAILED)
      await late.use(app => app.close())
      await server.stop()
    },
  }
}

/** Serves JSON-RPC on the listener as the options say. */
export const serveWs = (
  listener: WsListener,
  options: NodeOptions,
  access: Access,
  shared: RpcContext,
  development: boolean,
): void => {
  const context: RpcContext = {
    ...shared,
    options: {
      ...shared.options,
      apis: apisOf(options.rpcWsApi, development),
      // As Besu: what a message may have bounds its batch.
      batchSizeMax: 0,
      timeoutMs: options.xWsTimeoutSeconds * 1000,
      prettyPrint: false,
    },
  }
  warnOfEmptyGroups(context)
  listener.attach(
    createWsApp(context, {
      hostAllowlist: options.hostAllowlist,
      connectionsMax: options.rpcWsMaxActiveConnections,
      authentication: access.ws,
      clientOf: access.clientOf,
    }),
  )
}
