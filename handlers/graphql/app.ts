import { type HttpAccess, OPEN_ACCESS } from '../http/app.ts'
import type { RpcContext } from '../rpc/context.ts'
import { createGraphqlEndpoint, type GraphqlApp } from './endpoint.ts'
import type { GraphqlOptions } from './options.ts'
import { createYogaEngine } from './yogaEngine.ts'

export type { GraphqlApp }

/** The endpoint of GraphQL (endpoint.ts) with subscriptions over server-sent events. */
export const createGraphqlApp = (
  context: RpcContext,
  options: GraphqlOptions,
  access: HttpAccess = OPEN_ACCESS,
): GraphqlApp => createGraphqlEndpoint(context, options, access, createYogaEngine)
