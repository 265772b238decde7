import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { fromHex, toHex } from '../../../../core/bytes/hex.ts'
import { address, code } from '../../../core/evm/harness.ts'
import { type Graphql, graphqlOf } from '../../graphql/support/graphqlNode.ts'
import { startTestNode, type TestNode } from '../../support/testNode.ts'

const TEACHER = toHex(address(0xaa))
/** Returns the gas that it has left. */
const TELLS_GAS = code('GAS', 0, 'MSTORE', [32, 0, 'RETURN'])
const BURNER = toHex(address(0xbb))
/** Counts to 1,000,000, which costs some 30 M gas: more than a transaction of Osaka may have. */
const BURNS = fromHex('5f5b600101620f424081106001575f5260205ff3')
const TRANSACTION_GAS_MAX = 16_777_216
const CAP = 100_000_000

describe('given calls without gas on Osaka', () => {
  let node: TestNode
  let graphql: Graphql
  beforeAll(async () => {
    node = await startTestNode({
      genesis: genesis => {
        genesis['gasLimit'] = '0x2faf0800'
        const alloc = genesis['alloc'] as Record<string, object>
        alloc[TEACHER] = { balance: '0x0', code: toHex(TELLS_GAS) }
        alloc[BURNER] = { balance: '0x0', code: toHex(BURNS) }
      },
    })
    graphql = graphqlOf(node)
  })
  afterAll(() => node.close())

  const result = async (method: string, ...params: readonly unknown[]): Promise<unknown> => {
    const { result: found, error } = await node.rpc(method, ...params)
    return error ?? found
  }

  test('when each method runs one, then it has the gas of the call cap, less what the call itself costs', async () => {
    const to = { to: TEACHER }
    const told = {
      eth_call: await result('eth_call', to, 'latest'),
      trace_call: ((await result('trace_call', to, ['trace'], 'latest')) as { output: string }).output,
      debug_traceCall: `0x${((await result('debug_traceCall', to, 'latest', {})) as { returnValue: string }).returnValue.replace(/^0x/, '')}`,
      graphql: (await graphql.data(`{ block { call(data: { to: "${TEACHER}" }) { data } } }`)).block.call
        .data,
    }
    const expected = CAP - 21_000 - 2
    expect(Object.entries(told).map(([name, gas]) => [name, Number(gas)])).toEqual(
      Object.keys(told).map(name => [name, expected]),
    )
  })

  test('when the code needs more than a transaction may have, then calls succeed and an estimate fails', async () => {
    const to = { to: BURNER }
    expect(await result('eth_call', to, 'latest')).toBe(`0x${(1_000_000).toString(16).padStart(64, '0')}`)
    expect(await result('eth_createAccessList', to, 'latest')).toMatchObject({ accessList: [] })
    const [block] = (await result('eth_simulateV1', { blockStateCalls: [{ calls: [to] }] }, 'latest')) as [
      { calls: [{ status: string; gasUsed: string }] },
    ]
    expect(block.calls[0].status).toBe('0x1')
    expect(Number(block.calls[0].gasUsed)).toBeGreaterThan(TRANSACTION_GAS_MAX)
    expect(await result('eth_estimateGas', { to: BURNER })).toMatchObject({ code: expect.any(Number) })
  })
})
