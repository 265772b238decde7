import type { Permission } from './caller.ts'

/**
 * What a list of permissions grants, by Besu's rule: a method when one of the entries equals one of three strings:
 * `*:*`, its group as in `eth:*`, or its name as in `eth:blockNumber`. No other pattern means anything, and case counts.
 */
export const createGrants = (permissions: readonly string[]): ((needed: Permission) => boolean) => {
  const entries = new Set(permissions)
  if (entries.has('*:*')) return () => true
  return ({ permission }) =>
    entries.has(permission) || entries.has(`${permission.slice(0, permission.indexOf(':'))}:*`)
}
