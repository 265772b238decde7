import { booleanOption, customOption, InvalidValue, type OptionTable, pathOption } from '../option.ts'

const PERMISSIONS = 'Permissions'

const parseAddress = (text: string): string => {
  if (!/^0x[0-9a-f]{40}$/i.test(text))
    throw new InvalidValue(`: '${text}' is not an address of 20 bytes in hex`)
  return text.toLowerCase()
}

/** Which nodes may be connected, and whose transactions are accepted. */
export const PERMISSION_OPTIONS = {
  permissionsNodesConfigFileEnabled: booleanOption({
    name: 'permissions-nodes-config-file-enabled',
    group: PERMISSIONS,
    fallback: false,
    description: 'Connect to listed nodes only',
  }),
  permissionsNodesConfigFile: pathOption({
    name: 'permissions-nodes-config-file',
    group: PERMISSIONS,
    fallback: undefined,
    shownDefault: '<data-path>/permissions_config.toml',
    description: 'TOML file with nodes-allowlist, an array of enode URLs',
  }),
  permissionsAccountsConfigFileEnabled: booleanOption({
    name: 'permissions-accounts-config-file-enabled',
    group: PERMISSIONS,
    fallback: false,
    description: 'Accept transactions of listed accounts only; blocks are not checked against the list',
  }),
  permissionsAccountsConfigFile: pathOption({
    name: 'permissions-accounts-config-file',
    group: PERMISSIONS,
    fallback: undefined,
    shownDefault: '<data-path>/permissions_config.toml',
    description: 'TOML file with accounts-allowlist, an array of addresses',
  }),
  permissionsAccountsContract: customOption<string | undefined>({
    name: 'permissions-accounts-contract',
    group: PERMISSIONS,
    fallback: undefined,
    placeholder: '<ADDRESS>',
    parse: parseAddress,
    description:
      'Contract whose transactionAllowed(...) decides whether the pool accepts a transaction; blocks are not checked against it',
  }),
} satisfies OptionTable
