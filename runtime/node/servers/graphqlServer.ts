import type { GraphqlApp } from '../../../handlers/graphql/app.ts'
import { NO_AUTHENTICATION } from '../../../handlers/auth/authentication.ts'
import type { RpcContext } from '../../../handlers/rpc/context.ts'
import { UsageError } from '../../cli/errors.ts'
import type { NodeOptions } from '../../cli/nodeOptions.ts'
import { type Entrance, type Listener, listenFor, proxyCheckOf, startingFailed } from './listener.ts'

type App = Pick<GraphqlApp, 'fetch' | 'close'>

export type GraphqlListener = Listener<App>

const STARTING_FAILED: App = { fetch: startingFailed, close: () => undefined }

/** Whether tokens are asked for: as by JSON-RPC over HTTP unless it is said. @throws UsageError */
const asksForTokens = (options: NodeOptions): boolean => {
  const { graphqlHttpAuthenticationEnabled: asked, rpcHttpAuthenticationEnabled: byHttp } = options
  if (asked === true && !byHttp)
    throw new UsageError(
      'INVALID_VALUE',
      '--graphql-http-authentication-enabled needs --rpc-http-authentication-enabled: GraphQL takes the tokens of JSON-RPC over HTTP',
    )
  return asked ?? byHttp
}

/** Listens as the options say. @throws CommandError when it cannot, UsageError when they contradict each other */
export const listenForGraphql = async (options: NodeOptions): Promise<GraphqlListener> => {
  asksForTokens(options)
  return listenFor(STARTING_FAILED, late => ({
    hostname: options.graphqlHttpHost ?? options.p2pHost,
    hostOption: 'graphql-http-host',
    port: options.graphqlHttpPort,
    isProxy: proxyCheckOf(options),
    fetch: (request, peer) => late.use(app => app.fetch(request, peer)),
    bodyBytesMax: options.rpcHttpMaxRequestContentLength,
  }))
}

/** Serves GraphQL on the listener as the options say. */
export const serveGraphql = async (
  listener: GraphqlListener,
  options: NodeOptions,
  access: Entrance,
  context: RpcContext,
): Promise<void> => {
  // The library is loaded by nodes that serve it alone.
  const { createGraphqlApp } = await import('../../../handlers/graphql/app.ts')
  listener.attach(
    createGraphqlApp(
      context,
      {
        hostAllowlist: options.hostAllowlist,
        corsOrigins: options.graphqlHttpCorsOrigins,
        bodyBytesMax: options.rpcHttpMaxRequestContentLength,
        complexityMax: options.graphqlMaxComplexity,
        introspection: options.graphqlIntrospectionEnabled,
        inbound: access.inbound,
      },
      {
        authentication: asksForTokens(options) ? access.http : NO_AUTHENTICATION,
        clientOf: access.clientOf,
      },
    ),
  )
}
