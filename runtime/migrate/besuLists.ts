import { checkCredentialsFile } from '../auth/credentialsFile.ts'
import { readPermissions } from '../permissions/permissionsFile.ts'

/** Files of a Besu node with permitted nodes and accounts, and with the users of JSON-RPC. */
export type BesuLists = {
  /** Named by options, which the new node keeps. */
  readonly permissions: readonly string[]
  /** In the data path, where Besu looks without such an option; it has to be copied. */
  readonly copied: string | undefined
  readonly credentials: readonly (readonly [path: string, port: 'HTTP' | 'WS'])[]
}

const PERMISSIONS = ['permissions-nodes-config-file', 'permissions-accounts-config-file'] as const
const CREDENTIALS = [
  ['rpc-http-authentication-credentials-file', 'HTTP'],
  ['rpc-ws-authentication-credentials-file', 'WS'],
] as const

/**
 * The files that the options of a configuration file name. @param located the path that an option names
 * @param kept the path of `permissions_config.toml` in the data path, if it exists
 */
export const findLists = (
  entries: readonly (readonly [name: string, value: unknown])[],
  located: (name: string) => string | undefined,
  kept: string | undefined,
): BesuLists => {
  const isEnabled = (name: string): boolean =>
    entries.some(([key, value]) => key === name && String(value) === 'true')
  const enabled = PERMISSIONS.filter(name => isEnabled(`${name}-enabled`))
  return {
    permissions: [...new Set(enabled.flatMap(name => located(name) ?? []))],
    copied: enabled.some(name => located(name) === undefined) ? kept : undefined,
    credentials: CREDENTIALS.flatMap(([name, port]) => {
      const path = located(name)
      return path === undefined ? [] : [[path, port] as const]
    }),
  }
}

/** What the files hold. @throws CommandError, UsageError for one that a start would refuse */
export const describeLists = ({ permissions, copied, credentials }: BesuLists): readonly string[] => [
  ...[...permissions, ...(copied === undefined ? [] : [copied])].map(path => {
    const { nodes, accounts } = readPermissions(path)
    return `  permissions   ${path} (nodes: ${nodes?.length ?? 0}, accounts: ${accounts?.length ?? 0})`
  }),
  ...credentials.map(
    ([path, port]) => `  credentials   ${path} (users: ${checkCredentialsFile(path, port).users.length})`,
  ),
]
