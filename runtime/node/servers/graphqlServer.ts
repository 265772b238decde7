import type { GraphqlApp } from '../../../handlers/graphql/app.ts'
import { NO_AUTHENTICATION } from '../../../handlers/auth/authentication.ts'
import type { RpcContext } from '../../../handlers/rpc/context.ts'
import { UsageError } from '../../cli/errors.ts'
import type { NodeOptions } from '../../cli/nodeOptions.ts'
import type { ServerTls } from '../../serving/serve.ts'
import { type ServerAccess, type Listener, listenFor, proxyCheckOf, startingFailed } from './listener.ts'
import { allowedOrigins } from './origins.ts'

type App = Pick<GraphqlApp, 'fetch' | 'close'>

export type GraphqlListener = Listener<App>

const STARTING_FAILED: App = { fetch: startingFailed, close: () => undefined }

/** Whether requests need a token: by default as for JSON-RPC over HTTP. @throws UsageError */
export const requiresTokens = (options: NodeOptions): boolean => {
  const { graphqlHttpAuthenticationEnabled: own, rpcHttpAuthenticationEnabled: http } = options
  if (own === true && !http)
    throw new UsageError(
      'INVALID_VALUE',
      '--graphql-http-authentication-enabled needs --rpc-http-authentication-enabled: GraphQL accepts the tokens of JSON-RPC over HTTP',
    )
  return own ?? http
}

/** Listens on the port of the options. @throws CommandError if it cannot listen; UsageError for contradicting options */
export const listenForGraphql = async (options: NodeOptions, tls?: ServerTls): Promise<GraphqlListener> => {
  requiresTokens(options)
  return listenFor(STARTING_FAILED, late => ({
    hostname: options.graphqlHttpHost,
    hostOption: 'graphql-http-host',
    portOption: 'graphql-http-port',
    port: options.graphqlHttpPort,
    isProxy: proxyCheckOf(options),
    tls,
    fetch: (request, peer) => late.use(app => app.fetch(request, peer)),
    bodyBytesMax: options.rpcHttpMaxRequestContentLength,
  }))
}

/** Serves GraphQL on the listener. */
export const serveGraphql = async (
  listener: GraphqlListener,
  options: NodeOptions,
  access: ServerAccess,
  context: RpcContext,
): Promise<void> => {
  // Only nodes that serve GraphQL load its library.
  const { createGraphqlApp } = await import('../../../handlers/graphql/app.ts')
  listener.attach(
    createGraphqlApp(
      context,
      {
        hostAllowlist: options.hostAllowlist,
        corsOrigins: allowedOrigins(options.graphqlHttpCorsOrigins, context),
        corsOption: '--graphql-http-cors-origins',
        bodyBytesMax: options.rpcHttpMaxRequestContentLength,
        complexityMax: options.graphqlMaxComplexity,
        introspection: options.graphqlIntrospectionEnabled,
        inbound: access.inbound,
      },
      {
        authentication: requiresTokens(options) ? access.http : NO_AUTHENTICATION,
        clientOf: access.clientOf,
      },
    ),
  )
}
