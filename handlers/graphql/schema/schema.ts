import { extendSchema, GraphQLSchema, isObjectType, parse } from 'graphql'
import { ACCOUNT_RESOLVERS } from '../resolvers/account.ts'
import { BLOCK_RESOLVERS } from '../resolvers/block.ts'
import { LOG_RESOLVERS } from '../resolvers/log.ts'
import { PENDING_RESOLVERS } from '../resolvers/pending.ts'
import { MUTATION_RESOLVERS, QBFT_RESOLVERS, QUERY_RESOLVERS } from '../resolvers/query.ts'
import { toGraphqlResolvers, type Resolvers } from '../resolvers/resolver.ts'
import { subscriptionResolvers } from '../resolvers/subscription.ts'
import { TRANSACTION_RESOLVERS } from '../resolvers/transaction.ts'
import { permissionOfField } from '../permissions.ts'
import { SCALAR_TYPES } from '../scalars.ts'
import type { SubscriptionRegistry } from '../subscriptions/registry.ts'
import { BLOCK_TYPES } from './block.ts'
import { INPUTS } from './inputs.ts'
import { ROOT_TYPES } from './roots.ts'
import { TRANSACTION_TYPES } from './transaction.ts'

/** Resolvers of fields that the source has under the same names. */
const members = (...names: readonly string[]): Resolvers<Readonly<Record<string, unknown>>> =>
  Object.fromEntries(names.map(name => [name, source => source[name]]))

/** Resolvers of types whose fields are computed; each type has its own source. */
const RESOLVERS: Readonly<Record<string, Resolvers<never>>> = {
  Query: QUERY_RESOLVERS,
  Mutation: MUTATION_RESOLVERS,
  Block: BLOCK_RESOLVERS,
  Transaction: TRANSACTION_RESOLVERS,
  Log: LOG_RESOLVERS,
  Account: ACCOUNT_RESOLVERS,
  Pending: PENDING_RESOLVERS,
  Qbft: QBFT_RESOLVERS,
  CallResult: members('data', 'gasUsed', 'status'),
  AccessTuple: members('address', 'storageKeys'),
}

const ROOTS = 'extend schema { query: Query mutation: Mutation subscription: Subscription }'

type FieldFunctions = Readonly<Record<string, unknown>>

/** Gives the fields of a type their resolvers; those of a subscription have two functions. */
const attach = (schema: GraphQLSchema, name: string, resolvers: FieldFunctions): void => {
  const type = schema.getType(name)
  if (!isObjectType(type)) throw new Error(`the schema has no type ${name}`)
  const fields = type.getFields()
  for (const [field, functions] of Object.entries(resolvers)) {
    const definition = fields[field]
    if (definition === undefined) throw new Error(`the type ${name} has no field ${field}`)
    Object.assign(definition, typeof functions === 'function' ? { resolve: functions } : functions)
  }
}

/** The schema with its resolvers. */
export const createGraphqlSchema = (registry: SubscriptionRegistry): GraphQLSchema => {
  const text = [ROOT_TYPES, BLOCK_TYPES, TRANSACTION_TYPES, INPUTS, ROOTS].join('\n')
  const schema = extendSchema(new GraphQLSchema({ types: Object.values(SCALAR_TYPES) }), parse(text))
  for (const [type, resolvers] of Object.entries(RESOLVERS))
    attach(
      schema,
      type,
      toGraphqlResolvers(resolvers, field => permissionOfField(type, field)),
    )
  attach(schema, 'Subscription', subscriptionResolvers(registry))
  return schema
}
