import { describe, expect, test } from 'bun:test'
import { rawHeaderHash } from '../../../core/block/codec/header.ts'
import { ZERO_HASH } from '../../../core/bytes/bytes.ts'
import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import { createGraphqlApp } from '../../../handlers/graphql/app.ts'
import { createGraphqlEndpoint } from '../../../handlers/graphql/endpoint.ts'
import { GRAPHQL_DEFAULTS } from '../../../handlers/graphql/options.ts'
import { createQueryEngine } from '../../../handlers/graphql/queryEngine.ts'
import { NO_AUTHENTICATION } from '../../../handlers/auth/authentication.ts'
import { createRpcApp, HTTP_DEFAULTS, OPEN_ACCESS, type RpcApp } from '../../../handlers/http/app.ts'
import type { ForwardCall, RpcContext } from '../../../handlers/rpc/context.ts'
import { createWsApp } from '../../../handlers/ws/app.ts'
import { modelAccount, type SampleChain, sampleChain } from '../../support/chains/sampleChain.ts'
import { readEvents } from '../../handlers/graphql/support/eventStream.ts'
import { openMovingReader } from '../../support/readers/movingReader.ts'
import { until } from '../../support/until.ts'

/** The chain with blooms that let each log be found. */
const withBlooms = (sample: SampleChain): SampleChain => {
  let parentHash = ZERO_HASH
  const commits = sample.commits.map(commit => {
    const hasLogs = commit.receipts.some(({ logs }) => logs.length > 0)
    const logsBloom = new Uint8Array(256).fill(hasLogs ? 0xff : 0)
    const header = { ...commit.block.header, parentHash, logsBloom }
    parentHash = rawHeaderHash(header)
    return { ...commit, block: { ...commit.block, header }, hash: parentHash }
  })
  return { ...sample, commits }
}

const chain = withBlooms(
  sampleChain({ seed: 35, blocks: 120, accounts: 4, slots: 1, changesMax: 2, transactionsMax: 3 }),
)
/** The account that each block changes. */
const ACCOUNT = chain.addresses[0] as Uint8Array
const FIRST = 30
/** Blocks that are added while a request is answered. */
const MOVES = 2

const READERS = [
  { how: 'whose requests share reads', isPerRequest: false },
  { how: 'as a Worker has it', isPerRequest: true },
]

const commitOf = (number: number) => chain.commits[number] as (typeof chain.commits)[number]

/** What the state after a block says of the account. */
const accountAt = (number: number) => {
  const account = modelAccount(chain.states[number] as (typeof chain.states)[number], ACCOUNT)
  return { nonce: toQuantity(account?.nonce ?? 0n), balance: toQuantity(account?.balance ?? 0n) }
}

const call = (id: number, method: string, ...params: readonly unknown[]): object => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})

const post = (
  app: RpcApp,
  body: object,
  path = '/',
  more: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  Promise.resolve(
    app.fetch(
      new Request(`http://localhost${path}`, {
        method: 'POST',
        headers: {
          host: 'localhost',
          'content-type': 'application/json',
          authorization: 'Bearer mine',
          ...more,
        },
        body: JSON.stringify(body),
      }),
      () => 'test',
    ),
  )

const address = toHex(ACCOUNT)
const BATCH = [
  call(1, 'eth_blockNumber'),
  call(2, 'eth_getTransactionCount', address, 'latest'),
  call(3, 'eth_getBlockByNumber', 'latest', false),
  call(4, 'eth_getBalance', address, 'latest'),
  call(5, 'eth_getBlockReceipts', 'latest'),
  call(6, 'eth_blockNumber'),
]

/** Checks that each answer of BATCH is of this block. */
const expectBatchOf = (number: number, answers: unknown): void => {
  const { nonce, balance } = accountAt(number)
  const { hash, receipts } = commitOf(number)
  expect(answers).toMatchObject([
    { id: 1, result: toQuantity(BigInt(number)) },
    { id: 2, result: nonce },
    { id: 3, result: { number: toQuantity(BigInt(number)), hash: toHex(hash) } },
    { id: 4, result: balance },
    { id: 5, result: receipts.map(() => ({ blockHash: toHex(hash) })) },
    { id: 6, result: toQuantity(BigInt(number)) },
  ])
}

const connect = (context: RpcContext) => {
  const received: unknown[] = []
  const app = createWsApp(context, {
    hostAllowlist: ['localhost'],
    corsOrigins: [],
    connectionsMax: 1,
    authentication: NO_AUTHENTICATION,
    clientOf: peer => peer,
  })
  const headers = new Headers({ host: 'localhost', authorization: 'Bearer mine' })
  const upgrade = app.upgrade({ headers }, () => 'test')
  if (upgrade instanceof Response) throw new Error(`refused with ${upgrade.status}`)
  const session = upgrade.open({
    send: text => void received.push(JSON.parse(text)),
    bufferedBytes: () => 0,
    close: () => undefined,
    terminate: () => undefined,
  })
  return {
    received,
    send: (body: object): void => session.message(JSON.stringify(body)),
  }
}

describe.each(READERS)('a reader $how, whose head moves while it answers', ({ isPerRequest }) => {
  const open = () => openMovingReader(chain, FIRST, { isPerRequest })

  test('given a batch, then all its answers are of the block that the answer names', async () => {
    const { context, growAtReads, headNumber } = await open()
    const app = createRpcApp(context, HTTP_DEFAULTS)
    for (let number = FIRST; number < FIRST + 3 * MOVES; number += MOVES) {
      growAtReads(MOVES)
      const response = await post(app, BATCH)
      expect(response.headers.get('x-quorate-block')).toBe(`${number}:${toHex(commitOf(number).hash)}`)
      expectBatchOf(number, await response.json())
      expect(headNumber()).toBe(number + MOVES)
    }
  })

  test('given a message of a WebSocket, then all its answers are of one block', async () => {
    const { context, growAtReads, headNumber } = await open()
    const { received, send } = connect(context)
    growAtReads(MOVES)
    send(BATCH)
    await until(() => received.length === 1)
    expectBatchOf(FIRST, received[0])
    expect(headNumber()).toBe(FIRST + MOVES)
    send(call(7, 'eth_blockNumber'))
    await until(() => received.length === 2)
    expect(received[1]).toMatchObject({ id: 7, result: toQuantity(BigInt(FIRST + MOVES)) })
  })

  test.each([
    ['the engine of a node', createGraphqlApp],
    [
      'the engine of a Worker',
      (context: RpcContext, options: typeof GRAPHQL_DEFAULTS, access: typeof OPEN_ACCESS): RpcApp =>
        createGraphqlEndpoint(context, options, access, createQueryEngine),
    ],
  ])(
    'given a GraphQL query with %s, then all its fields are of the block that the answer names',
    async (_, create) => {
      const { context, growAtReads, headNumber } = await open()
      const app = create(context, { ...GRAPHQL_DEFAULTS, complexityMax: 10_000 }, OPEN_ACCESS)
      const account = `account(address: "${address}") { transactionCount balance }`
      const query = `{ block { number hash ${account} } pending { ${account} } again: block { number parent { number } } }`
      growAtReads(MOVES)
      const response = await post(app, { query }, '/graphql')
      expect(response.headers.get('x-quorate-block')).toBe(`${FIRST}:${toHex(commitOf(FIRST).hash)}`)
      const { nonce, balance } = accountAt(FIRST)
      const found = { transactionCount: nonce, balance }
      expect(await response.json()).toEqual({
        data: {
          block: { number: toQuantity(BigInt(FIRST)), hash: toHex(commitOf(FIRST).hash), account: found },
          pending: { account: found },
          again: { number: toQuantity(BigInt(FIRST)), parent: { number: toQuantity(BigInt(FIRST - 1)) } },
        },
      })
      expect(headNumber()).toBe(FIRST + MOVES)
    },
  )
})

describe('subscriptions of a reader', () => {
  test('given a store that gains many blocks at once, then each head and each log comes once and in order', async () => {
    const { context, grow } = await openMovingReader(chain, FIRST, { isPerRequest: false })
    const { received, send } = connect(context)
    send(call(1, 'eth_subscribe', 'newHeads'))
    send(call(2, 'eth_subscribe', 'logs', {}))
    await until(() => received.length === 2)
    const [heads, logs] = received.map(message => (message as { result: string }).result)
    const results = (subscription: string | undefined): readonly Record<string, unknown>[] =>
      received.flatMap(message => {
        const { params } = message as { params?: { subscription: string; result: Record<string, unknown> } }
        return params?.subscription === subscription && params !== undefined ? [params.result] : []
      })
    await grow(9)
    await grow(1)
    await grow(20)
    const added = chain.commits.slice(FIRST + 1, FIRST + 31)
    const expectedLogs = added.flatMap(({ block, receipts }) =>
      receipts.flatMap(receipt =>
        receipt.logs.map(log => [toQuantity(block.header.number), toHex(log.address)]),
      ),
    )
    expect(expectedLogs.length).toBeGreaterThan(10)
    await until(() => results(heads).length >= added.length && results(logs).length >= expectedLogs.length)
    expect(results(heads).map(({ hash }) => hash)).toEqual(added.map(({ hash }) => toHex(hash)))
    expect(results(logs).map(log => [log['blockNumber'], log['address']])).toEqual(expectedLogs)
  })

  test('given a store that fails while a block is read for its subscribers, then the block comes once the store is back', async () => {
    const errors: unknown[] = []
    const { context, grow, setFailing } = await openMovingReader(chain, FIRST, {
      isPerRequest: false,
      reportError: (_, error) => void errors.push(error),
    })
    const { received, send } = connect(context)
    send(call(1, 'eth_subscribe', 'newHeads'))
    await until(() => received.length === 1)
    setFailing(true)
    await grow(2)
    await until(() => errors.length > 0)
    setFailing(false)
    await until(() => received.length === 3)
    const numbers = received
      .slice(1)
      .map(message => (message as { params: { result: { number: string } } }).params.result.number)
    expect(numbers).toEqual([FIRST + 1, FIRST + 2].map(number => toQuantity(BigInt(number))))
  })

  test('given a store that gains many blocks at once, then each head and each log comes over GraphQL as well', async () => {
    const { context, grow } = await openMovingReader(chain, FIRST, { isPerRequest: false })
    const app = createGraphqlApp(context, GRAPHQL_DEFAULTS, OPEN_ACCESS)
    const subscribe = async (query: string) =>
      readEvents(await post(app, { query }, '/graphql', { accept: 'text/event-stream' }))
    const heads = await subscribe('subscription { newHeads { number } }')
    const logs = await subscribe('subscription { logs { transaction { block { number } } } }')
    await grow(9)
    await grow(1)
    const added = chain.commits.slice(FIRST + 1, FIRST + 11)
    for (const { block } of added)
      expect((await heads.next())?.data).toEqual({ newHeads: { number: toQuantity(block.header.number) } })
    const blocksOfLogs = added.flatMap(({ block, receipts }) =>
      receipts.flatMap(receipt => receipt.logs.map(() => toQuantity(block.header.number))),
    )
    for (const number of blocksOfLogs)
      expect((await logs.next())?.data).toEqual({ logs: { transaction: { block: { number } } } })
    await heads.cancel()
    await logs.cancel()
  })

  test('given the transactions of a pool, which a reader does not have, then they are refused with the reason', async () => {
    const { context } = await openMovingReader(chain, FIRST, { isPerRequest: false })
    const { received, send } = connect(context)
    for (const topic of ['newPendingTransactions', 'droppedPendingTransactions'])
      send(call(1, 'eth_subscribe', topic))
    await until(() => received.length === 2)
    const error = {
      code: -32604,
      message: 'Method not enabled',
      data: 'a reader has no pool: subscribe at a node',
    }
    expect(received).toMatchObject([{ error }, { error }])
    const app = createGraphqlApp(context, GRAPHQL_DEFAULTS, OPEN_ACCESS)
    const query = 'subscription { pendingTransactions { hash } }'
    const answer = await post(app, { query }, '/graphql', { accept: 'text/event-stream' })
    expect(await answer.text()).toContain('"errorCode":-32604')
  })
})

describe('a reader with an upstream node', () => {
  test('given a call that needs a pool over HTTP, in a batch, over WebSocket and in GraphQL, then it goes there with the token of the caller', async () => {
    const calls: (readonly unknown[])[] = []
    const forwardCall: ForwardCall = (method, params, authorization) => {
      calls.push([method, ...params, authorization])
      return Promise.resolve({ result: `0x${'ab'.repeat(32)}` })
    }
    const { context } = await openMovingReader(chain, FIRST, { isPerRequest: false, forwardCall })
    const rpc = createRpcApp(context, HTTP_DEFAULTS)
    const sent = call(1, 'eth_sendRawTransaction', '0x01')
    await post(rpc, sent)
    await post(rpc, [call(2, 'eth_newBlockFilter'), call(3, 'eth_blockNumber')])
    const { received, send } = connect(context)
    send(sent)
    await until(() => received.length === 1)
    const graphql = createGraphqlApp(context, GRAPHQL_DEFAULTS, OPEN_ACCESS)
    const query = 'mutation { sendRawTransaction(data: "0x01") }'
    const answer = await post(graphql, { query }, '/graphql')
    expect(await answer.json()).toEqual({ data: { sendRawTransaction: `0x${'ab'.repeat(32)}` } })
    const raw = ['eth_sendRawTransaction', '0x01', 'Bearer mine']
    expect(calls).toEqual([raw, ['eth_newBlockFilter', 'Bearer mine'], raw, raw])
  })

  test('given no upstream node, then GraphQL says that the method is not enabled', async () => {
    const { context } = await openMovingReader(chain, FIRST, { isPerRequest: false })
    const graphql = createGraphqlApp(context, GRAPHQL_DEFAULTS, OPEN_ACCESS)
    const answer = await post(graphql, { query: 'mutation { sendRawTransaction(data: "0x01") }' }, '/graphql')
    expect(await answer.json()).toMatchObject({ errors: [{ extensions: { errorCode: -32604 } }] })
  })
})
