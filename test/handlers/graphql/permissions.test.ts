import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Authentication, Identity } from '../../../handlers/auth/authentication.ts'
import type { Permission } from '../../../handlers/auth/caller.ts'
import { permissionOfField } from '../../../handlers/graphql/permissions.ts'
import { startTestNode, type TestNode } from '../support/testNode.ts'
import { readEvents } from './support/eventStream.ts'
import { type Graphql, graphqlOf } from './support/graphqlNode.ts'

setDefaultTimeout(120_000)

let node: TestNode

beforeAll(async () => {
  node = await startTestNode()
  await node.mine()
})
afterAll(() => node.close())

/** The token is the list of permissions itself. */
const authenticationOf = (denied: Permission[], clock = { nowMs: 0 }): Authentication => ({
  login: () => Promise.resolve(new Response(null, { status: 404 })),
  identify: (authorization): Identity => ({
    permits: ({ permission }) => authorization?.split(' ').includes(permission) ?? false,
    denied: needed => denied.push(needed),
    unauthenticated: authorization === null,
    expiresAtMs: authorization === null ? undefined : 1000,
  }),
  acceptsSubprotocol: false,
  nowMs: () => clock.nowMs,
})

const ask = async (graphql: Graphql, query: string, permissions: string | null) => {
  const response = await graphql.send('/graphql', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(permissions === null ? {} : { authorization: permissions }),
    },
    body: JSON.stringify({ query }),
  })
  return {
    status: response.status,
    body: (await response.json()) as { readonly data?: unknown; readonly errors?: readonly unknown[] },
  }
}

describe('given a caller', () => {
  test('when it has no token and nothing is open, then it is refused', async () => {
    const denied: Permission[] = []
    const { status, body } = await ask(
      graphqlOf(node, { authentication: authenticationOf(denied) }),
      '{ chainID }',
      null,
    )
    expect(status).toBe(401)
    expect(body).toEqual({
      errors: [{ message: 'Unauthorized', extensions: { errorCode: -40100, errorMessage: 'Unauthorized' } }],
    })
    expect(denied).toHaveLength(1)
  })

  test('when it may read some methods, then it reads the same over GraphQL, and the rest of a query is answered', async () => {
    const denied: Permission[] = []
    const graphql = graphqlOf(node, { authentication: authenticationOf(denied) })
    const account = 'account(address: "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266")'
    const query = `{ chainID block { number ${account} { balance transactionCount } } gasPrice }`
    const all = 'eth:chainId eth:getBlockByNumber eth:getBalance eth:getTransactionCount eth:gasPrice'
    expect((await ask(graphql, query, all)).status).toBe(200)
    expect(denied).toEqual([])
    const { status, body } = await ask(
      graphql,
      query,
      'eth:chainId eth:getBlockByNumber eth:getBalance eth:gasPrice',
    )
    expect(status).toBe(401)
    expect(body).toMatchObject({
      errors: [
        {
          message: 'Exception while fetching data (/block/account/transactionCount) : Unauthorized',
          path: ['block', 'account', 'transactionCount'],
          extensions: {
            errorCode: -40100,
            errorMessage: 'Unauthorized',
            classification: 'DataFetchingException',
          },
        },
      ],
      data: { chainID: '0x539', block: null },
    })
    expect(denied.map(({ permission }) => permission)).toEqual(['eth:getTransactionCount'])
  })

  test.each([
    ['mutation { sendRawTransaction(data: "0x01") }', 'eth:sendRawTransaction'],
    ['{ logs(filter: {}) { index } }', 'eth:getLogs'],
    ['{ validators }', 'qbft:getValidatorsByBlockNumber'],
    ['{ block { call(data: {}) { data } } }', 'eth:call'],
    ['{ pending { estimateGas(data: {}) } }', 'eth:estimateGas'],
    ['{ pending { transactions { hash } } }', 'txpool:besuPendingTransactions'],
    ['subscription { newHeads { number } }', 'eth:subscribe'],
  ])('when it reads %s, then it needs the permission %s', async (query, permission) => {
    const denied: Permission[] = []
    const graphql = graphqlOf(node, { authentication: authenticationOf(denied) })
    const { status } = await ask(graphql, query, 'eth:getBlockByNumber')
    expect(status).toBe(401)
    expect(denied.map(needed => needed.permission)).toEqual([permission])
  })

  test('when it reads any field of a receipt, then it needs the permission to read receipts', () => {
    const fields = `status gasUsed cumulativeGasUsed effectiveGasPrice effectiveTip blobGasUsed blobGasPrice createdContract
      logs revertReason`
    for (const field of fields.split(/\s+/))
      expect([field, permissionOfField('Transaction', field)?.name]).toEqual([
        field,
        'eth_getTransactionReceipt',
      ])
  })

  test('when it asks for the schema, then no permission is needed', async () => {
    const graphql = graphqlOf(node, { authentication: authenticationOf([]) })
    const query = '{ __schema { queryType { name } } }'
    expect((await ask(graphql, query, 'nothing')).body).toEqual({
      data: { __schema: { queryType: { name: 'Query' } } },
    })
  })

  test('when its token expires, then its subscription ends', async () => {
    const clock = { nowMs: 0 }
    const graphql = graphqlOf(node, { authentication: authenticationOf([], clock) })
    const response = await graphql.send('/graphql', {
      method: 'POST',
      headers: { accept: 'text/event-stream', authorization: 'eth:subscribe' },
      body: 'subscription { newHeads { number } }',
    })
    const stream = readEvents(response)
    await node.mine()
    expect((await stream.next())?.data.newHeads.number).toMatch(/^0x/)
    clock.nowMs = 1000
    await node.mine()
    expect(await stream.next()).toBeUndefined()
  })
})
