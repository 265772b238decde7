/** `quorate/graphql`: GraphQL over HTTP with Besu's schema, as a web-standard handler. */
export { createGraphqlApp, type GraphqlApp } from './app.ts'
export { GRAPHQL_DEFAULTS, type GraphqlOptions } from './options.ts'
