import { requestScheduler } from '../../../handlers/inbound/requestScheduler.ts'
import { createRpcApp, HTTP_DEFAULTS, type HttpOptions } from '../../../handlers/http/app.ts'
import { RPC_DEFAULTS, type RpcContext } from '../../../handlers/rpc/context.ts'

export const BODY_BYTES_MAX = 1000

/** A context without a chain: routes, hosts, origins and bodies are checked before any chain is read. */
export const contextWith = (more: Partial<RpcContext> = {}): RpcContext =>
  ({
    options: { ...RPC_DEFAULTS, clientVersion: 'quorate/v0', networkId: 1337n },
    chain: { configuration: { chainId: 1337n } },
    network: undefined,
    scheduler: requestScheduler(),
    syncing: () => undefined,
    differences: () => [],
    warn: () => undefined,
    reportError: (_: string, error: unknown) => {
      throw error
    },
    ...more,
  }) as unknown as RpcContext

/** Sends a request to an endpoint of its own. */
export const send = async (
  path: string,
  init: RequestInit = {},
  options: Partial<HttpOptions> = {},
  context: RpcContext = contextWith(),
): Promise<Response> => {
  const { fetch } = createRpcApp(context, { ...HTTP_DEFAULTS, bodyBytesMax: BODY_BYTES_MAX, ...options })
  const headers = new Headers(init.headers)
  if (!headers.has('host')) headers.set('host', 'localhost:8545')
  return await fetch(new Request(`http://localhost:8545${path}`, { ...init, headers }))
}
