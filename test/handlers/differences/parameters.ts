import { ADDRESS, refusal, type Row } from './row.ts'

export const PARAMETER_ROWS: readonly Row[] = [
  {
    what: 'qbft_proposeValidatorVote [a, "true"]',
    ask: ({ rpc }) => rpc('qbft_proposeValidatorVote', ADDRESS, 'true').then(({ result }) => result),
    answer: true,
  },
  ...['true', 1].map(
    (flag): Row => ({
      what: `eth_getBlockByNumber ["0x1", ${JSON.stringify(flag)}]`,
      ask: async ({ rpc }) =>
        JSON.stringify(await rpc('eth_getBlockByNumber', '0x1', flag)) ===
        JSON.stringify(await rpc('eth_getBlockByNumber', '0x1', true)),
      answer: true,
    }),
  ),
  ...[5, '5'].map(
    (block): Row => ({
      what: `the block ${JSON.stringify(block)}`,
      ask: ({ rpc }) => rpc('eth_getBalance', ADDRESS, block).then(({ result }) => result),
      answer: '0x0',
      because: '| block numbers in decimal (`5`, `"5"`) | accepted',
    }),
  ),
  {
    what: 'the block "-0x1"',
    ask: ({ rpc }) => refusal(rpc('eth_getBalance', ADDRESS, '-0x1')),
    answer: [-32602, 'Invalid block param (block not found)'],
  },
  {
    what: 'eth_getBalance []',
    ask: ({ rpc }) => refusal(rpc('eth_getBalance')),
    answer: [-32602, 'Invalid address params'],
  },
  {
    what: 'eth_getBlockByHash without 0x',
    ask: ({ rpc }) => refusal(rpc('eth_getBlockByHash', '12'.repeat(32), false)),
    answer: [-32602, 'Invalid block hash params'],
  },
  {
    what: 'eth_call without a block',
    ask: ({ rpc }) => rpc('eth_call', { to: ADDRESS }).then(({ result }) => result),
    answer: '0x',
    because: '| missing block of `eth_call` and `eth_simulateV1` | `latest`',
  },
  {
    what: 'eth_call with data without 0x',
    ask: ({ rpc }) => refusal(rpc('eth_call', { to: ADDRESS, data: '12' }, 'latest')),
    answer: [-32602, 'Invalid call params'],
  },
  {
    what: 'eth_getLogs with the topic "0x12"',
    ask: ({ rpc }) => refusal(rpc('eth_getLogs', { topics: ['0x12'] })),
    answer: [-32602, 'Invalid filter params'],
    because:
      '| log filter with an address that is not 20 bytes, a topic that is not 32 bytes, or a reversed range | refused | `[]`',
  },
  {
    what: 'eth_getFilterChanges []',
    ask: ({ rpc }) => refusal(rpc('eth_getFilterChanges')),
    answer: [-32602, 'Invalid filter params'],
  },
  {
    what: 'eth_getStorageAt with the position as a number',
    ask: ({ rpc }) => refusal(rpc('eth_getStorageAt', ADDRESS, 0, 'latest')),
    answer: [-32602, 'Invalid position params'],
  },
  {
    what: 'eth_getProof [t]',
    ask: ({ rpc }) => refusal(rpc('eth_getProof', ADDRESS)),
    answer: [-32602, 'Invalid storage keys params'],
  },
  {
    what: 'eth_feeHistory with an empty list of percentiles',
    ask: async ({ rpc }) =>
      ((await rpc('eth_feeHistory', '0x2', 'latest', [])).result as { reward: unknown }).reward,
    answer: [[], []],
  },
  {
    what: 'null among the alternatives of a topic',
    ask: async ({ rpc }) => {
      const topics = [[`0x${'12'.repeat(32)}`, null]]
      const logs = (await rpc('eth_getLogs', { fromBlock: '0x0', topics })).result as unknown[]
      return logs.length > 0
    },
    answer: true,
    because: '| `null` among the alternatives of a topic, `[[T, null]]` | any topic, as in geth | ignored |',
  },
  {
    what: 'an unknown member of a filter of txpool_besuPendingTransactions',
    ask: ({ rpc }) => refusal(rpc('txpool_besuPendingTransactions', 1, { unknown: { eq: '0x1' } })),
    answer: [-32602, 'Invalid pending transactions params'],
    because: '| a filter of `txpool_besuPendingTransactions` with an unknown member | -32602 | ignored |',
  },
  {
    what: 'an engine_ method',
    ask: ({ rpc }) => refusal(rpc('engine_exchangeCapabilities', [])),
    answer: [-32601, 'Method not found'],
    because: '| `engine_` methods | -32601',
  },
]
