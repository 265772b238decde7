import type { HttpOptions } from '../http/app.ts'
import { BODY_BYTES_MAX } from '../inbound/body.ts'

export type GraphqlOptions = HttpOptions & {
  /** Complexity limit of one query: every field costs 1, those that lead to another object 100. */
  readonly complexityMax: number
  /** True when introspection is allowed; GraphiQL needs it. */
  readonly introspection: boolean
}

/** Besu's defaults. */
export const GRAPHQL_DEFAULTS: GraphqlOptions = {
  hostAllowlist: ['localhost', '127.0.0.1'],
  corsOrigins: [],
  corsOption: '--graphql-http-cors-origins',
  bodyBytesMax: BODY_BYTES_MAX,
  complexityMax: 200,
  introspection: true,
}
