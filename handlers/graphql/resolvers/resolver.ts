import type { GraphQLFieldResolver, GraphQLResolveInfo } from 'graphql'
import type { Permission } from '../../auth/caller.ts'
import type { GraphqlContext, RequestScope } from '../context.ts'

/** Returns the value of a field: bytes, integers or hex for scalars, a source for objects. */
export type Resolve<Source, Args = unknown> = (
  source: Source,
  args: Args,
  scope: RequestScope,
  info: GraphQLResolveInfo,
) => unknown

/** The resolvers of one type, by field; each has its own arguments, which the schema checks. */
export type Resolvers<Source> = Readonly<Record<string, Resolve<Source, never>>>

/**
 * Converts resolvers to the form of the GraphQL library. Each one first checks the permission of its field, then counts the
 * value against the budget of the request.
 * @param permissionOfField returns undefined for a field that needs no permission.
 */
export const toGraphqlResolvers = <Source>(
  resolvers: Resolvers<Source>,
  permissionOfField: (field: string) => Permission | undefined,
): Record<string, GraphQLFieldResolver<Source, GraphqlContext>> =>
  Object.fromEntries(
    Object.entries(resolvers).map(([field, resolve]) => {
      const needed = permissionOfField(field)
      const run: GraphQLFieldResolver<Source, GraphqlContext> = (source, args, { scope }, info) => {
        const { countValue, countError } = scope.budget
        let value: unknown
        try {
          if (needed !== undefined) scope.require(needed)
          value = resolve(source, args as never, scope, info)
        } catch (error) {
          return countError(error)
        }
        return value instanceof Promise ? value.then(countValue, countError) : countValue(value)
      }
      return [field, run]
    }),
  )
