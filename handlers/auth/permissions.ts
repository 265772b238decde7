import type { Permission } from './caller.ts'

/**
 * Creates the test whether a list of permissions grants a permission, by Besu's rule: an entry must equal `*:*`, the group as
 * in `eth:*`, or the name as in `eth:blockNumber`. Other patterns grant nothing; entries are case-sensitive.
 */
export const createGrants = (permissions: readonly string[]): ((needed: Permission) => boolean) => {
  const entries = new Set(permissions)
  if (entries.has('*:*')) return () => true
  return ({ permission }) =>
    entries.has(permission) || entries.has(`${permission.slice(0, permission.indexOf(':'))}:*`)
}
