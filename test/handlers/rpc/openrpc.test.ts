import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { METHODS } from '../../../handlers/rpc/methods/methodTable.ts'
import { SCHEMAS } from '../../../handlers/rpc/openrpc/schemas.ts'
import { CONNECTION_METHODS } from '../../../handlers/rpc/subscriptions/methods.ts'
import { startTestNode, type TestNode } from '../support/testNode.ts'

const ROWS = [...METHODS, ...CONNECTION_METHODS]

describe('given the method table', () => {
  test('then every row has a summary of its own, a plain sentence part', () => {
    for (const { name, summary } of ROWS)
      expect([name, summary]).toEqual([name, expect.stringMatching(/^[A-Z][^.]+$/)])
  })

  test('then every schema is used by a row or by another schema', () => {
    const used = new Set([
      ...ROWS.flatMap(({ params, result }) => [result, ...params.map(({ schema }) => schema)]),
      ...[...JSON.stringify(SCHEMAS).matchAll(/schemas\/(\w+)/g)].map(([, name]) => name),
    ])
    expect(Object.keys(SCHEMAS).filter(name => !used.has(name))).toEqual([])
  })
})

describe('given rpc_discover', () => {
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode({ rpc: { apis: ['ETH', 'TXPOOL'] } })
  })
  afterAll(() => node.close())

  type Document = {
    openrpc: string
    info: { title: string; version: string }
    methods: {
      name: string
      summary: string
      params: { name: string; required: boolean; schema: { $ref: string } }[]
      result: { schema: { $ref: string } }
    }[]
    components: { schemas: Record<string, unknown>; errors: Record<string, { code: number }> }
  }

  test('when it is called, then it is an OpenRPC document of the served methods alone', async () => {
    const document = (await node.call('rpc_discover')) as Document
    expect(document.openrpc).toMatch(/^1\.\d+\.\d+$/)
    expect(document.info).toMatchObject({ title: 'Quorate JSON-RPC', version: '0.1.0' })
    const served = METHODS.filter(({ group }) => ['RPC', 'ETH', 'TXPOOL'].includes(group))
    expect(document.methods.map(({ name }) => name)).toEqual(served.map(({ name }) => name))
    const call = document.methods.find(({ name }) => name === 'eth_call')
    expect(call?.params.map(({ name, required }) => [name, required])).toEqual([
      ['call', true],
      ['block', false],
      ['stateOverrides', false],
      ['blockOverrides', false],
    ])
    expect(document.components.errors['EXECUTION_REVERTED']?.code).toBe(3)
  })

  test('when it has references, then they resolve within it', async () => {
    const text = JSON.stringify(await node.call('rpc_discover'))
    const names = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name as string)
    expect(names.length).toBeGreaterThan(50)
    expect(names.filter(name => !Object.hasOwn(SCHEMAS, name))).toEqual([])
  })

  test('when a method is known but not served, then the error differs from that of an unknown one', async () => {
    for (const known of ['debug_traceCall', 'miner_start', 'perm_getNodesAllowlist'])
      expect((await node.rpc(known)).error?.code).toBe(-32604)
    await node.close()
    node = await startTestNode({ rpc: { apis: ['NET'] } })
    for (const name of ['txpool_content', 'eth_simulateV1', 'eth_sendRawTransactionSync'])
      expect((await node.rpc(name)).error).toMatchObject({ code: -32604, message: 'Method not enabled' })
    expect((await node.rpc('eth_nothing')).error).toEqual({ code: -32601, message: 'Method not found' })
  })
})
