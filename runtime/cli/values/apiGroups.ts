/** Besu's names of the JSON-RPC groups that have methods, case-sensitive. */
export const API_GROUPS: readonly string[] = [
  'ETH',
  'NET',
  'WEB3',
  'QBFT',
  'IBFT',
  'TXPOOL',
  'DEBUG',
  'ADMIN',
  'MINER',
  'PERM',
  'TRACE',
  'OTS',
  'DEV',
]

/** Groups of Besu that are accepted, and have no methods here. */
const EMPTY_GROUPS: readonly string[] = ['PLUGINS', 'ENGINE', 'TESTING']

/** The entries that name no group. */
export const unknownApiGroups = (entries: readonly string[]): readonly string[] =>
  entries.filter(entry => ![...API_GROUPS, ...EMPTY_GROUPS].includes(entry))
