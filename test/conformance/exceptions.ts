/** Published cases that cannot hold, with why; handlers/README.md says more. */
export const EXCEPTIONS: ReadonlyMap<string, { readonly suite: string; readonly why: string }> = new Map([
  [
    'eth_getNewFilter_topicOnly.json',
    { suite: "Besu's", why: 'the first id of a counter, where ids are random' },
  ],
  ['eth_getNewFilter_validFilterLatestBlock.json', { suite: "Besu's", why: 'the same' }],
  ['eth_getNewFilter_validFilterWithBlockNumber.json', { suite: "Besu's", why: 'the same' }],
  ['eth_newPendingTransactionFilter.json', { suite: "Besu's", why: 'the same' }],
])

/** Published GraphQL cases that differ on purpose, with why; handlers/README.md says more. */
export const GRAPHQL_EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  [
    'eth_gasPrice.json',
    'the suggested price is enough for the head, too, in which clients estimate and call',
  ],
])
