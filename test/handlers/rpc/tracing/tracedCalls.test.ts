import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { callsOf, startTracingChain, type TracingChain } from './tracingChain.ts'

setDefaultTimeout(120_000)

let chain: TracingChain
beforeAll(async () => {
  chain = await startTracingChain()
})
afterAll(() => chain.node.close())

const { call, error } = callsOf(() => chain)

describe('given traced calls', () => {
  test('when debug_traceCall has overrides of state and block, then they apply as in geth', async () => {
    const to = `0x${'77'.repeat(20)}`
    // NUMBER, then SLOAD of 0, both returned.
    const code = '0x4360005260005460205260406000f3'
    const options = {
      stateOverrides: { [to]: { code, stateDiff: { [`0x${'0'.repeat(64)}`]: '0x2a' } } },
      blockOverrides: { number: '0x1234' },
    }
    const { returnValue, failed } = (await call('debug_traceCall', { to }, 'latest', options)) as {
      readonly returnValue: string
      readonly failed: boolean
    }
    expect(failed).toBe(false)
    expect(returnValue).toBe(`0x${'1234'.padStart(64, '0')}${'2a'.padStart(64, '0')}`)
    expect(await call('debug_traceCall', { to })).toEqual({
      gas: 21_000,
      failed: false,
      returnValue: '0x',
      structLogs: [],
    })
    expect(await error('debug_traceCall', { to }, '0x1000')).toEqual([-32000, 'Block not found'])
  })

  test('when they name pending, then they run in the head', async () => {
    const to = `0x${'77'.repeat(20)}`
    const head = Number(await call('eth_blockNumber'))
    // NUMBER, returned.
    const stateOverrides = { [to]: { code: '0x4360005260206000f3' } }
    const { returnValue } = (await call('debug_traceCall', { to }, 'pending', { stateOverrides })) as {
      readonly returnValue: string
    }
    expect(Number(returnValue)).toBe(head)
    // The same as initialization code.
    const creation = { data: '0x4360005260206000f3' }
    for (const block of ['pending', 'latest']) {
      const { output } = (await call('trace_call', creation, ['trace'], block)) as { readonly output: string }
      expect(Number(output)).toBe(head)
      const [traced] = (await call('trace_callMany', [[creation, []]], block)) as {
        readonly output: string
      }[]
      expect(Number(traced?.output)).toBe(head)
    }
  })

  test('when the call cannot begin, then debug_traceCall has the error of eth_call', async () => {
    const to = `0x${'77'.repeat(20)}`
    for (const method of ['debug_traceCall', 'eth_call']) {
      expect(await error(method, { to, gas: '0x1' })).toEqual([
        -32003,
        'Intrinsic gas exceeds gas limit (intrinsic gas cost 21000 exceeds gas limit 1)',
      ])
      expect(await error(method, { to, chainId: '0x1' })).toEqual([-32000, 'Wrong chainId'])
    }
    expect(await error('trace_call', { to, gas: '0x1' }, [])).toEqual([
      -32003,
      'Intrinsic gas exceeds gas limit (intrinsic gas cost 21000 exceeds gas limit 1)',
    ])
  })
})
