import type { GraphQLFieldResolver, GraphQLResolveInfo } from 'graphql'
import type { Permission } from '../../auth/caller.ts'
import type { GraphqlContext, RequestScope } from '../context.ts'

/** Gives the value of a field: bytes, integers or hex for scalars, a source for objects. */
export type Resolve<Source, Args = unknown> = (
  source: Source,
  args: Args,
  scope: RequestScope,
  info: GraphQLResolveInfo,
) => unknown

/** The resolvers of one type, by field; each has its own arguments, which the schema checks. */
export type Resolvers<Source> = Readonly<Record<string, Resolve<Source, never>>>

/**
 * Converts resolvers to those of the library, which check the permission of a field first and count its value.
 * `permissionOfField` returns undefined for a field that needs none.
 */
export const executable = <Source>(
  resolvers: Resolvers<Source>,
  permissionOfField: (field: string) => Permission | undefined,
): Record<string, GraphQLFieldResolver<Source, GraphqlContext>> =>
  Object.fromEntries(
    Object.entries(resolvers).map(([field, resolve]) => {
      const needed = permissionOfField(field)
      const run: GraphQLFieldResolver<Source, GraphqlContext> = (source, args, { scope }, info) => {
        const { spend, fail } = scope.budget
        let value: unknown
        try {
          if (needed !== undefined) scope.require(needed)
          value = resolve(source, args as never, scope, info)
        } catch (error) {
          return fail(error)
        }
        return value instanceof Promise ? value.then(spend, fail) : spend(value)
      }
      return [field, run]
    }),
  )
