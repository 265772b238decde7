import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startTestNode, type TestNode } from '../../support/testNode.ts'

const ACCOUNT = `0x${'99'.repeat(20)}`

describe('given malformed state overrides', () => {
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode()
  })
  afterAll(() => node.close())

  test.each([
    [{ [ACCOUNT]: { state: {}, stateDiff: {} } }, 'state and stateDiff exclude each other'],
    [{ [ACCOUNT]: { balance: 'x' } }, 'balance'],
    [{ [ACCOUNT]: { nonce: '-1' } }, 'nonce'],
    [{ [ACCOUNT]: { code: '0x1' } }, 'code'],
    [{ [ACCOUNT]: { movePrecompileToAddress: 5 } }, 'movePrecompileToAddress'],
    [{ [ACCOUNT]: { state: { '0xzz': '0x1' } } }, 'a slot must have at most 32 bytes'],
    [{ [ACCOUNT]: { stateDiff: { '0x0': 'x' } } }, 'the value of a slot must have at most 32 bytes'],
    [{ [ACCOUNT]: 5 }, 'each account must be an object'],
    [{ '0xzz': {} }, 'each name must be the address of an account'],
    ['x', 'must be an object of accounts'],
  ])(
    'when they are %j, then they are refused with the reason, where Besu answers an internal error',
    async (overrides, detail) => {
      const refused = { code: -32602, message: `Invalid params (state overrides: ${detail})` }
      for (const method of ['eth_call', 'eth_estimateGas', 'eth_createAccessList'])
        expect((await node.rpc(method, { to: ACCOUNT }, 'latest', overrides)).error).toEqual(refused)
      const options = { stateOverrides: overrides }
      expect((await node.rpc('debug_traceCall', { to: ACCOUNT }, 'latest', options)).error).toEqual(refused)
      const simulation = { blockStateCalls: [{ stateOverrides: overrides }] }
      expect((await node.rpc('eth_simulateV1', simulation, 'latest')).error).toEqual(refused)
    },
  )
})
