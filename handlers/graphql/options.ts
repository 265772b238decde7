import type { HttpOptions } from '../http/app.ts'
import { BODY_BYTES_MAX } from '../inbound/body.ts'

export type GraphqlOptions = HttpOptions & {
  /** What one query may cost: every field 1, those that lead to a whole other thing 100. */
  readonly complexityMax: number
  /** Whether the schema may be asked for; GraphiQL needs it. */
  readonly introspection: boolean
}

/** Besu's defaults. */
export const GRAPHQL_DEFAULTS: GraphqlOptions = {
  hostAllowlist: ['localhost', '127.0.0.1'],
  corsOrigins: [],
  bodyBytesMax: BODY_BYTES_MAX,
  complexityMax: 200,
  introspection: true,
}
