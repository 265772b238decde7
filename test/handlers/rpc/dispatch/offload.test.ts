import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createRpcContext } from '../../../../handlers/http/app.ts'
import { RUN_MS_MAX } from '../../../../handlers/rpc/dispatch/offload.ts'
import type { Outcome } from '../../../../handlers/rpc/dispatch/envelope.ts'
import { errorOutcome } from '../../../../handlers/rpc/dispatch/envelope.ts'
import type { Method } from '../../../../handlers/rpc/method.ts'
import { METHODS } from '../../../../handlers/rpc/methods/methodTable.ts'
import { createRunner } from '../../../../handlers/rpc/dispatch/runner.ts'
import { startTestNode, type TestNode } from '../../support/testNode.ts'

/** Creation code that returns one at once, that counts to 65,535 before, and that jumps back for ever. */
const SHORT = { data: '0x600160005260206000f3' }
const LONG = { data: '0x61ffff5b600190038060035750600160005260206000f3' }
const ENDLESS = { data: '0x5b600056', gas: '0xffffffffffff' }
/** Code that is long where it is called with anything. */
const CONTRACT = `0x${'c0'.repeat(20)}`
const LONG_CALL = { to: CONTRACT, data: '0xaabbccdd00' }
const OVERRIDES = { [CONTRACT]: { code: '0x61ffff5b600190038060035750600160005260206000f3' } }
const ONE: Outcome = { result: `0x${'1'.padStart(64, '0')}` }
const THERE: Outcome = { resultText: '"there"' }

let node: TestNode
beforeAll(async () => {
  node = await startTestNode({ rpc: { gasCap: 0n } })
})
afterAll(() => node.close())

const row = (name: string): Method => METHODS.find(method => method.name === name) as Method

/** A runner whose other thread answers with `outcome`, and what was given to it. */
const runnerWith = (outcome: Outcome | undefined) => {
  const moved: string[] = []
  const callWorkers = {
    run: (method: string) => {
      moved.push(method)
      return Promise.resolve(outcome)
    },
  }
  const runner = createRunner(METHODS, { ...node.context, callWorkers })
  const run = async (name: string, ...params: readonly unknown[]): Promise<Outcome> =>
    await runner.run(row(name), { params, expired: () => false })
  return { run, moved }
}

describe('given a method with offload', () => {
  test('when its call is short, then it stays, an estimate with all its runs, too', async () => {
    const { run, moved } = runnerWith(THERE)
    expect(await run('eth_call', SHORT, 'latest')).toEqual(ONE)
    expect('result' in (await run('eth_estimateGas', SHORT))).toBe(true)
    expect(await run('eth_call', { data: 5 }, 'latest')).toMatchObject({ error: { code: -32602 } })
    expect(moved).toEqual([])
  })

  test('when its call becomes long, then it moves, and the answer comes from the worker', async () => {
    const { run, moved } = runnerWith(THERE)
    expect(await run('eth_call', LONG, 'latest')).toEqual(THERE)
    expect(await run('eth_estimateGas', LONG)).toEqual(THERE)
    expect(moved).toEqual(['eth_call', 'eth_estimateGas'])
  })

  test('when the same function was long before, then it moves at once', async () => {
    const { run, moved } = runnerWith(THERE)
    expect(await run('eth_call', LONG_CALL, 'latest', OVERRIDES)).toEqual(THERE)
    expect(await run('eth_call', { to: CONTRACT, input: '0xaabbccdd01' }, 'latest')).toEqual(THERE)
    expect(moved).toHaveLength(2)
    expect(await run('eth_call', { to: CONTRACT, input: '0xaabbccee' }, 'latest')).toEqual({ result: '0x' })
    expect(moved).toHaveLength(2)
  })

  test('when its parameters are large, then it moves at once, whatever they contain', async () => {
    const { run, moved } = runnerWith(THERE)
    const slots = Object.fromEntries(
      Array.from({ length: 2000 }, (_, slot) => [`0x${slot.toString(16).padStart(64, '0')}`, '0x1']),
    )
    const large: readonly (readonly unknown[])[] = [
      [{ data: `0x${'00'.repeat(40_000)}` }, 'latest'],
      [SHORT, 'latest', { [CONTRACT]: { state: slots } }],
      [{ ...SHORT, accessList: Array.from({ length: 40_000 }, () => 1) }, 'latest'],
    ]
    for (const params of large) expect(await run('eth_call', ...params)).toEqual(THERE)
    expect(moved).toHaveLength(large.length)
  })

  test('when it always offloads, then it moves at once; other methods never do', async () => {
    const { run, moved } = runnerWith(THERE)
    for (const name of [
      'eth_createAccessList',
      'eth_simulateV1',
      'eth_getProof',
      'debug_traceCall',
      'trace_call',
    ])
      expect(await run(name, SHORT)).toEqual(THERE)
    await run('eth_blockNumber')
    expect(moved).not.toContain('eth_blockNumber')
    expect(moved).toHaveLength(5)
  })

  test('when no worker can take it, then it runs here', async () => {
    const { run, moved } = runnerWith(undefined)
    expect(await run('eth_call', LONG, 'latest')).toEqual(ONE)
    expect(moved).toEqual(['eth_call'])
  })
})

describe('given no call workers', () => {
  test('when a call exceeds its time on this thread, then it ends, and the next one is unaffected', async () => {
    let nowMs = 0
    let looks = 0
    const context = createRpcContext({
      ...node.context,
      nowMs: () => {
        looks++
        return (nowMs += RUN_MS_MAX / 10)
      },
    })
    const runner = createRunner(METHODS, context)
    const run = (call: object): unknown =>
      runner.run(row('eth_call'), { params: [call, 'latest'], expired: () => false })
    expect(await run(ENDLESS)).toEqual(errorOutcome('TIMEOUT'))
    expect(looks).toBeLessThan(20)
    expect(await run(LONG)).toEqual(ONE)
  })
})
