import { type Authentication, NO_AUTHENTICATION } from '../../../../handlers/auth/authentication.ts'
import { createGraphqlApp, type GraphqlApp } from '../../../../handlers/graphql/app.ts'
import { GRAPHQL_DEFAULTS, type GraphqlOptions } from '../../../../handlers/graphql/options.ts'
import type { RpcContext } from '../../../../handlers/rpc/context.ts'
import type { TestNode } from '../../support/testNode.ts'

export type GraphqlError = {
  readonly message: string
  readonly locations?: readonly { readonly line: number; readonly column: number }[]
  readonly path?: readonly (string | number)[]
  readonly extensions?: Readonly<Record<string, unknown>>
}

/** Whatever was asked for. */
export type Data = ReturnType<typeof JSON.parse>

export type GraphqlReply = {
  readonly status: number
  readonly data: Data
  readonly errors: readonly GraphqlError[] | undefined
  readonly text: string
}

export type Graphql = GraphqlApp & {
  /** A request for the endpoint with a query as JSON. */
  ask(query: string, variables?: Readonly<Record<string, unknown>>): Promise<GraphqlReply>
  /** The data. @throws when there are errors */
  data(query: string, variables?: Readonly<Record<string, unknown>>): Promise<Data>
  /** Any request; the host is one that is allowed unless headers say otherwise. */
  send(path: string, init?: RequestInit): Promise<Response>
}

export type GraphqlTestOptions = Partial<GraphqlOptions> & {
  readonly authentication?: Authentication
  readonly context?: Partial<RpcContext>
}

/** GraphQL over a node of the tests. */
export const graphqlOf = (
  node: Pick<TestNode, 'context'>,
  { authentication = NO_AUTHENTICATION, context = {}, ...options }: GraphqlTestOptions = {},
): Graphql => {
  const app = createGraphqlApp(
    { ...node.context, ...context },
    { ...GRAPHQL_DEFAULTS, ...options },
    { authentication, clientOf: peer => peer },
  )
  const send: Graphql['send'] = async (path, { headers, ...init } = {}) =>
    await app.fetch(
      new Request(`http://localhost${path}`, {
        ...init,
        headers: { host: 'localhost', ...(headers as Record<string, string> | undefined) },
      }),
    )
  const ask: Graphql['ask'] = async (query, variables) => {
    const response = await send('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    })
    const text = await response.text()
    const { data, errors } = JSON.parse(text) as { data?: Data; errors?: readonly GraphqlError[] }
    return { status: response.status, data, errors, text }
  }
  return {
    ...app,
    send,
    ask,
    data: async (query, variables) => {
      const reply = await ask(query, variables)
      if (reply.errors !== undefined || reply.status !== 200)
        throw new Error(`${reply.status}: ${JSON.stringify(reply.errors)}`)
      return reply.data
    },
  }
}
