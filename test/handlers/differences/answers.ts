import { ADDRESS, ENODE, refusal, type Row } from './row.ts'

export const ANSWER_ROWS: readonly Row[] = [
  {
    what: 'the revertReason of a receipt',
    ask: async ({ rpc, sample }) => {
      const [failed] = sample.hashes[3] ?? []
      const { status, revertReason } = (await rpc('eth_getTransactionReceipt', failed)).result as {
        status: string
        revertReason: string
      }
      return [status, typeof revertReason]
    },
    answer: ['0x0', 'string'],
    because: '| `revertReason` of a receipt | present by default',
  },
  {
    what: 'eth_protocolVersion',
    ask: async ({ rpc }) => (await rpc('eth_protocolVersion')).result,
    answer: '0x45',
  },
  {
    what: 'the text of an opcode that there is not',
    ask: async ({ rpc }) => {
      const to = `0x${'99'.repeat(20)}`
      return (await rpc('eth_call', { to }, 'latest', { [to]: { code: '0xfe' } })).error?.message
    },
    answer: 'Transaction processing could not be completed due to an exception (Invalid opcode: 0xfe)',
  },
  {
    what: 'the order of qbft_getSignerMetrics',
    ask: async ({ rpc }) =>
      (
        (await rpc('qbft_getSignerMetrics', '0x0', '0x3')).result as { lastProposedBlockNumber: string }[]
      ).map(({ lastProposedBlockNumber }) => lastProposedBlockNumber),
    answer: ['0x0', '0x2'],
  },
  {
    what: 'txpool_besuStatistics.maxSize',
    ask: async ({ rpc }) => ((await rpc('txpool_besuStatistics')).result as { maxSize: number }).maxSize,
    answer: 32_768,
    because: '| `txpool_besuStatistics.maxSize` | number of transactions that the pool holds | -1',
  },
  {
    what: 'admin_logsRepairCache',
    ask: ({ rpc }) => refusal(rpc('admin_logsRepairCache')),
    answer: [-32604, 'Method not enabled'],
    because: '`admin_logsRemoveCache` | -32604',
  },
  {
    what: 'debug_standardTraceBlockToFile',
    ask: ({ rpc }) => refusal(rpc('debug_standardTraceBlockToFile', ADDRESS)),
    answer: [-32604, 'Method not enabled'],
    because: '`debug_traceBlockByHash` returns the same traces',
  },
  {
    what: 'eth_config before Cancun',
    ask: async ({ beforeCancun }) => {
      const { current } = (await beforeCancun.call('eth_config')) as { current: Record<string, unknown> }
      return [current['activationTime'], current['blobSchedule'], current['systemContracts']]
    },
    answer: [0, { baseFeeUpdateFraction: 0, max: 0, target: 0 }, {}],
    because: '`activationTime` of a fork by block is 0; before Cancun',
  },
  {
    what: 'admin_nodeInfo',
    ask: async ({ beforeCancun }) => {
      const info = (await beforeCancun.call('admin_nodeInfo')) as {
        enode: string
        protocols: { eth: { config: { qbft: object } } }
      }
      return [info.enode, info.protocols.eth.config.qbft]
    },
    answer: [
      ENODE,
      { epochLength: 30_000, blockPeriodSeconds: 1, requestTimeoutSeconds: 4, blockReward: '5' },
    ],
    because: '| `admin_nodeInfo` | has `blockReward` in the `qbft` section | without it |',
  },
  {
    what: 'the header that the hash of a block of eth_simulateV1 is made from',
    ask: async ({ rpc }) => {
      const [block] = (await rpc('eth_simulateV1', { blockStateCalls: [{}] }, 'latest')).result as [
        Record<string, unknown>,
      ]
      return [block['parentBeaconBlockRoot'], block['requestsHash']]
    },
    answer: [`0x${'00'.repeat(32)}`, '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  },
  {
    what: 'debug_traceTransaction has the gas of the receipt',
    ask: async ({ rpc, sample }) => {
      const hash = sample.hashes[1]?.[0]
      const { gas } = (await rpc('debug_traceTransaction', hash)).result as { gas: number }
      const { gasUsed } = (await rpc('eth_getTransactionReceipt', hash)).result as { gasUsed: string }
      return gas - Number(gasUsed)
    },
    answer: 0,
    because: '| `debug_traceTransaction` | `gas` as in the receipt',
  },
  {
    what: 'prestateTracer and trace_replayTransaction',
    ask: async ({ rpc, sample }) => {
      const hash = sample.hashes[1]?.[0]
      const traced = [
        await rpc('debug_traceTransaction', hash, { tracer: 'prestateTracer' }),
        await rpc('trace_replayTransaction', hash, ['trace']),
      ]
      return traced.map(({ error }) => error)
    },
    answer: [undefined, undefined],
    because: '| `prestateTracer`, `trace_replayTransaction` | served | fails, missing |',
  },
  {
    what: 'eth_mining',
    ask: async ({ rpc }) => typeof (await rpc('eth_mining')).result,
    answer: 'boolean',
    because: '| `eth_mining` | whether this node makes blocks | -32601 |',
  },
  {
    what: 'debug_setHead',
    ask: ({ rpc }) => refusal(rpc('debug_setHead', '0x1')),
    answer: [-32604, 'Method not enabled'],
    because: '| `debug_setHead`, `debug_replayBlock`, `debug_metrics`, `plugins_reloadPluginConfig` | -32604',
  },
  {
    what: 'the data of a revert in structLogs',
    ask: async ({ rpc }) => {
      const to = `0x${'99'.repeat(20)}`
      const stateOverrides = { [to]: { code: '0x60ff5f5260205ffd' } }
      const { result } = await rpc('debug_traceCall', { to, gas: '0x20000' }, 'latest', { stateOverrides })
      const { returnValue, structLogs } = result as { returnValue: string; structLogs: { reason?: string }[] }
      return [returnValue, structLogs.at(-1)?.reason]
    },
    answer: [`0x${'00'.repeat(31)}ff`, `0x${'00'.repeat(31)}ff`],
    because: '| `reason` and `returnValue` of a revert in structLogs | the whole data |',
  },
]
