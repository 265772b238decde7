import { GRAPHQL_PORT } from '../ports.ts'
import { GRAPHQL_DEFAULTS } from '../../../handlers/graphql/options.ts'
import { RPC_DEFAULTS } from '../../../handlers/rpc/context.ts'
import {
  bigintOption,
  booleanOption,
  integerOption,
  listOption,
  type OptionTable,
  textOption,
} from '../option.ts'
import { checkCorsOrigins } from '../values/rpc.ts'

const GRAPHQL = 'GraphQL'

/** GraphQL over HTTP. */
export const GRAPHQL_OPTIONS = {
  graphqlHttpEnabled: booleanOption({
    name: 'graphql-http-enabled',
    group: GRAPHQL,
    fallback: false,
    description: 'Serve GraphQL over HTTP, and GraphiQL for browsers, at /graphql',
  }),
  graphqlHttpHost: textOption({
    name: 'graphql-http-host',
    group: GRAPHQL,
    fallback: '127.0.0.1',
    placeholder: '<HOST>',
    description: 'Address to listen on',
  }),
  graphqlHttpPort: integerOption({
    name: 'graphql-http-port',
    group: GRAPHQL,
    fallback: GRAPHQL_PORT,
    min: 0,
    max: 65_535,
    placeholder: '<PORT>',
    description: 'Port to listen on; 0 for a free one, which is logged',
  }),
  graphqlHttpCorsOrigins: listOption({
    name: 'graphql-http-cors-origins',
    group: GRAPHQL,
    fallback: [] as readonly string[],
    shownDefault: 'none',
    check: checkCorsOrigins,
    description: 'Allowed web origins, as regular expressions; * for all',
  }),
  graphqlHttpAuthenticationEnabled: booleanOption({
    name: 'graphql-http-authentication-enabled',
    group: GRAPHQL,
    fallback: undefined,
    shownDefault: 'as --rpc-http-authentication-enabled',
    description: 'Require a token with each request; tokens of JSON-RPC over HTTP are valid',
  }),
  graphqlMaxComplexity: integerOption({
    name: 'graphql-max-complexity',
    group: GRAPHQL,
    fallback: GRAPHQL_DEFAULTS.complexityMax,
    min: 1,
    max: 1_000_000,
    description: 'Maximum fields of one query; a field that loads another block counts as a hundred',
  }),
  graphqlMaxBlocksRange: bigintOption({
    name: 'graphql-max-blocks-range',
    group: GRAPHQL,
    fallback: RPC_DEFAULTS.graphqlBlocksRangeMax,
    placeholder: '<BLOCKS>',
    description: 'Maximum block range of one query of blocks',
  }),
  graphqlIntrospectionEnabled: booleanOption({
    name: 'graphql-introspection-enabled',
    group: GRAPHQL,
    fallback: true,
    description: 'Answer queries for the schema, which GraphiQL and other tools need',
  }),
} satisfies OptionTable
