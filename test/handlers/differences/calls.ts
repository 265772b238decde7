import { DEPLOYER } from '../support/sampleChain.ts'
import { ADDRESS, type Row } from './row.ts'

const BROKE = `0x${'77'.repeat(20)}`

export const CALL_ROWS: readonly Row[] = [
  {
    what: 'eth_call with a value above the balance',
    ask: ({ rpc }) =>
      rpc('eth_call', { from: BROKE, to: ADDRESS, value: '0x1' }, 'latest').then(({ error }) => error?.code),
    answer: -32004,
  },
  {
    what: 'eth_estimateGas with a value above the balance',
    ask: ({ rpc }) =>
      rpc('eth_estimateGas', { from: BROKE, to: ADDRESS, value: '0x1' }).then(({ error }) => error?.code),
    answer: -32004,
    because: '| `eth_estimateGas` with a value above the balance | an error | `0x5208` |',
  },
  {
    what: 'eth_estimateGas with less gas than is needed',
    ask: async ({ rpc, sample }) => {
      const call = { from: DEPLOYER.address, to: sample.failures, data: sample.encode('failures', 'count') }
      const [bound, unbound] = [
        await rpc('eth_estimateGas', { ...call, gas: '0x5208' }),
        await rpc('eth_estimateGas', call),
      ]
      return [Number(bound.result) > 21_000, bound.result === unbound.result]
    },
    answer: [true, true],
  },
  {
    what: 'eth_createAccessList with an entry without keys, and with a value above the balance',
    ask: async ({ rpc }) => {
      const accessList = [{ address: BROKE, storageKeys: [] }]
      const { result } = await rpc('eth_createAccessList', { to: ADDRESS, accessList }, 'latest')
      const unpaid = await rpc('eth_createAccessList', { from: BROKE, to: ADDRESS, value: '0x1' }, 'latest')
      return [(result as { accessList: unknown }).accessList, unpaid.error?.code]
    },
    answer: [[{ address: BROKE, storageKeys: [] }], -32004],
    because:
      '| `eth_createAccessList` with an entry without keys, with `gas`, with a value above the balance |',
  },
  {
    what: 'trace_call that cannot be paid',
    ask: ({ rpc }) =>
      rpc('trace_call', { from: BROKE, to: ADDRESS, value: '0x1' }, ['trace'], 'latest').then(
        ({ error }) => error?.code,
      ),
    answer: -32004,
    because: '| `trace_call` that cannot be paid | -32004 | -32603 |',
  },
]
