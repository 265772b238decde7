/** Requests that were once answered wrongly: the method, then its parameters. */
export const PAST: readonly (readonly [method: string, ...params: readonly unknown[]])[] = [
  ['eth_call', { data: `0x${'00'.repeat(60_000)}` }, 'latest'],
  ['qbft_getSignerMetrics', 'safe'],
]
