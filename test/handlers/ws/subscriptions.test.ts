import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { fromHex } from '../../../core/bytes/hex.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import type { ChainHead } from '../../../core/store/store.ts'
import type { PooledTransaction } from '../../../core/txpool/pool.ts'
import {
  type Authentication,
  type Identity,
  NO_AUTHENTICATION,
} from '../../../handlers/auth/authentication.ts'
import { EVERYONE } from '../../../handlers/auth/caller.ts'
import type { RpcContext } from '../../../handlers/rpc/context.ts'
import type { SyncingStatus } from '../../../core/chain/syncingStatus.ts'
import { CONNECTION_SUBSCRIPTIONS_MAX, HELD_MAX } from '../../../handlers/rpc/subscriptions/subscriptions.ts'
import { createWsApp, type WsApp } from '../../../handlers/ws/app.ts'
import type { Session } from '../../../handlers/ws/socket.ts'
import { DEPLOYER, RECEIVER, type Sample, startSampleChain } from '../support/sampleChain.ts'
import { until } from '../../support/until.ts'
import { turns } from '../../support/turns.ts'

type PoolListener = (transaction: PooledTransaction) => void

type Json = Record<string, unknown>

/** Counts who listens to the chain and the pool. */
const counting = (context: RpcContext) => {
  const listeners = { heads: 0, added: 0, dropped: 0 }
  const count =
    <Listener>(name: keyof typeof listeners, add: (listener: Listener) => () => void) =>
    (listener: Listener): (() => void) => {
      listeners[name]++
      const remove = add(listener)
      return () => {
        listeners[name]--
        remove()
      }
    }
  const { chain, pool } = context
  return {
    listeners,
    context: {
      ...context,
      // The store and the head are getters of the chain, which a copy would freeze.
      chain: new Proxy(chain, {
        get: (target, key) =>
          key === 'onHead'
            ? count('heads', (listener: (head: ChainHead) => void) => chain.onHead(listener))
            : (target[key as keyof Chain] as unknown),
      }),
      pool: {
        ...pool,
        onAdded: count('added', (listener: PoolListener) => pool.onAdded(listener)),
        onDropped: count('dropped', (listener: PoolListener) => pool.onDropped(listener)),
      },
    } as RpcContext,
  }
}

/** A connection whose reader reads at once. */
const connect = (app: WsApp) => {
  const received: Json[] = []
  const upgrade = app.upgrade({ headers: new Headers({ host: 'localhost' }) }, () => '127.0.0.1')
  if (upgrade instanceof Response) throw new Error(`refused with ${upgrade.status}`)
  let session: Session | undefined
  const ends: number[] = []
  session = upgrade.open({
    send: text => void received.push(JSON.parse(text) as Json),
    bufferedBytes: () => 0,
    close: code => {
      ends.push(code)
      session?.closed()
    },
    terminate: () => undefined,
  })
  let id = 0
  return {
    received,
    ends,
    session,
    request: async (method: string, ...params: readonly unknown[]): Promise<Json> => {
      const own = ++id
      session?.message(JSON.stringify({ id: own, method, params }))
      return await until(() => received.find(message => message['id'] === own), { pollMs: 1 })
    },
    results: async (subscription: unknown, count: number): Promise<unknown[]> => {
      const found = await until(() => {
        const all = received
          .map(({ params }) => params as { subscription: string; result: unknown } | undefined)
          .filter(params => params?.subscription === subscription)
        return all.length >= count && all
      })
      return found.map(params => params?.result)
    },
  }
}

let sample: Sample
let syncing: SyncingStatus | undefined

beforeAll(async () => {
  sample = await startSampleChain({ host: { syncing: () => syncing } })
})
afterAll(() => sample.node.close())

const start = (authentication: Authentication = NO_AUTHENTICATION) => {
  const { context, listeners } = counting(sample.node.context)
  const app = createWsApp(context, {
    hostAllowlist: ['localhost'],
    corsOrigins: [],
    connectionsMax: 3,
    authentication,
    clientOf: peer => peer,
  })
  return { app, listeners }
}

const transfer = async (value: bigint): Promise<`0x${string}`> => {
  const nonce = Number(await sample.node.call('eth_getTransactionCount', DEPLOYER.address, 'pending'))
  return await DEPLOYER.signTransaction({
    type: 'eip1559',
    chainId: 1337,
    nonce,
    gas: 100_000n,
    maxFeePerGas: 2_000_000_000n,
    maxPriorityFeePerGas: 1n,
    to: sample.token,
    data: sample.encode('token', 'transfer', [RECEIVER.address, value]),
  })
}

test('given a connection, when it calls rpc_discover, then the methods of connections are included', async () => {
  const { app } = start()
  const { result } = (await connect(app).request('rpc_discover')) as {
    result: { methods: { name: string }[] }
  }
  const names = result.methods.map(({ name }) => name)
  expect(names).toContain('eth_call')
  expect(names.slice(-3)).toEqual(['eth_subscribe', 'eth_unsubscribe', 'rpc_authenticate'])
  app.close()
  const overHttp = (await sample.node.call('rpc_discover')) as typeof result
  expect(overHttp.methods.length).toBe(names.length - 3)
})

describe('given connections that subscribe', () => {
  test('when they close, then nothing listens to the chain or the pool any more', async () => {
    const { app, listeners } = start()
    const clients = [connect(app), connect(app)]
    for (const { request } of clients)
      for (const params of [
        ['newHeads'],
        ['newHeads', { includeTransactions: true }],
        ['logs', {}],
        ['newPendingTransactions'],
        ['droppedPendingTransactions'],
        ['syncing'],
      ])
        expect(await request('eth_subscribe', ...params)).toHaveProperty('result')
    expect([app.size, listeners]).toEqual([2, { heads: 2, added: 1, dropped: 1 }])
    clients[0]?.session.closed()
    expect([app.size, listeners]).toEqual([1, { heads: 2, added: 1, dropped: 1 }])
    clients[1]?.session.closed()
    expect([app.size, listeners]).toEqual([0, { heads: 0, added: 0, dropped: 0 }])
  })

  test('when one closes while its token is verified, then it does not subscribe', async () => {
    const known = Promise.withResolvers<Identity>()
    const { app, listeners } = start({ ...NO_AUTHENTICATION, identify: () => known.promise })
    const { session, received } = connect(app)
    session.message('{"id":1,"method":"eth_subscribe","params":["newHeads"]}')
    session.closed()
    known.resolve({ ...EVERYONE, unauthenticated: false, expiresAtMs: undefined })
    await turns(3)
    expect([received, listeners.heads]).toEqual([[], 0])
  })

  test('when the token expires, then its subscriptions end a minute later with a message', async () => {
    let isValid = true
    const { app, listeners } = start({
      ...NO_AUTHENTICATION,
      identify: () => ({
        permits: () => isValid,
        denied: () => undefined,
        unauthenticated: false,
        expiresAtMs: isValid ? 1 : undefined,
      }),
      // Nearly the whole minute has gone.
      nowMs: () => 59_980,
    })
    const { request, received } = connect(app)
    expect(await request('eth_subscribe', 'newHeads')).toHaveProperty('result')
    isValid = false
    await until(() => listeners.heads === 0)
    const message = 'Subscriptions have ended: the token no longer permits them'
    expect(received.at(-1)).toEqual({ jsonrpc: '2.0', id: null, error: { code: -40100, message } })
    expect(app.size).toBe(1)
    app.close()
  })

  test('when subscriptions are created, then ids count up over all connections, and are invalid on another one', async () => {
    const { app, listeners } = start()
    const [one, other] = [connect(app), connect(app)]
    const [first, second] = [
      (await one.request('eth_subscribe', 'newHeads'))['result'],
      (await other.request('eth_subscribe', 'newHeads'))['result'],
    ]
    expect([first, second]).toEqual(['0x1', '0x2'])
    const notFound = { error: { code: -32000, message: 'Subscription not found' } }
    expect(await one.request('eth_unsubscribe', second)).toMatchObject(notFound)
    expect(await one.request('eth_unsubscribe', '0x01')).toMatchObject({ result: true })
    expect(await one.request('eth_unsubscribe', first)).toMatchObject(notFound)
    expect(listeners.heads).toBe(1)
    await sample.node.mine()
    await other.results(second, 1)
    expect(await one.results(first, 0)).toEqual([])
    app.close()
    expect([app.size, one.ends, other.ends]).toEqual([0, [1001], [1001]])
  })

  test('when there are too many on one connection, then the request fails with the reason', async () => {
    const { app, listeners } = start()
    const { request, session } = connect(app)
    for (let i = 0; i < CONNECTION_SUBSCRIPTIONS_MAX; i++) await request('eth_subscribe', 'syncing')
    const refused = { error: { code: -32005, message: 'Too many subscriptions on this connection' } }
    expect(await request('eth_subscribe', 'newHeads')).toMatchObject(refused)
    session.closed()
    const { request: again } = connect(app)
    const topics = [Array.from({ length: 9000 }, (_, i) => `0x${i.toString(16).padStart(64, '0')}`)]
    expect(await again('eth_subscribe', 'logs', { topics })).toHaveProperty('result')
    expect(await again('eth_subscribe', 'logs', { topics })).toMatchObject(refused)
    app.close()
    expect(listeners.heads).toBe(0)
  })

  test('when there are too many connections, then one more is refused', () => {
    const { app } = start()
    const clients = [connect(app), connect(app), connect(app)]
    expect(() => connect(app)).toThrow('refused with 503')
    clients[1]?.session.closed()
    expect(connect(app).ends).toEqual([])
    app.close()
  })

  test.each([
    [[]],
    [['newheads']],
    [[null]],
    [['newHeads', { includeTransactions: 2 }]],
    [['newPendingTransactions', 'x']],
    [['logs', 7]],
    [['logs', { address: 'x' }]],
    [['logs', { fromBlock: {} }]],
  ])('when the parameters are %j, then the request is invalid, with the reason', async params => {
    const { app } = start()
    const data: unknown = expect.any(String)
    const invalid = { error: { code: -32600, message: 'Invalid Request', data } }
    const { request } = connect(app)
    expect(await request('eth_subscribe', ...params)).toMatchObject(invalid)
    app.close()
  })
})

test.each([[[]], [['x']], [[{}]], [['0x10000000000000000']]])(
  'given a connection, when it ends the subscription %j, then the request is invalid',
  async params => {
    const { app } = start()
    expect(await connect(app).request('eth_unsubscribe', ...params)).toMatchObject({
      error: {
        code: -32600,
        message: 'Invalid Request',
        data: expect.stringContaining('an integer of at most 64 bits in hex'),
      },
    })
    app.close()
  },
)

describe('given subscriptions', () => {
  test('when blocks arrive, then heads are notified completely, and only matching logs', async () => {
    const { app } = start()
    const { request, results, received } = connect(app)
    const head = Number(await sample.node.call('eth_blockNumber'))
    const subscribe = async (...params: readonly unknown[]): Promise<unknown> =>
      (await request('eth_subscribe', ...params))['result']
    const heads = await subscribe('newHeads')
    const full = await subscribe('newHeads', { includeTransactions: true })
    const all = await subscribe('logs', { fromBlock: 'earliest' })
    const mine = await subscribe('logs', {
      address: sample.token,
      topics: [null, null, [RECEIVER.address.replace('0x', `0x${'0'.repeat(24)}`)]],
    })
    const others = await subscribe('logs', { address: RECEIVER.address })
    const later = await subscribe('logs', { fromBlock: head + 2, toBlock: `0x${(head + 2).toString(16)}` })
    for (let i = 1; i <= 3; i++) {
      await sample.node.call('eth_sendRawTransaction', await transfer(BigInt(i)))
      await sample.node.mine()
    }
    const numbers = [1, 2, 3].map(i => `0x${(head + i).toString(16)}`)
    const blocks = await Promise.all(numbers.map(n => sample.node.call('eth_getBlockByNumber', n, false)))
    expect(await results(heads, 3)).toEqual(blocks)
    expect((await results(full, 3))[1]).toEqual(
      await sample.node.call('eth_getBlockByNumber', numbers[1], true),
    )
    const logs = await sample.node.call('eth_getLogs', { fromBlock: numbers[0], toBlock: numbers[2] })
    expect(await results(all, 3)).toEqual(logs as unknown[])
    expect(await results(mine, 3)).toEqual(logs as unknown[])
    expect(await results(later, 1)).toEqual([(logs as unknown[])[1]])
    expect(await results(others, 0)).toEqual([])
    expect(Object.keys(received.at(-1) as Json)).toEqual(['jsonrpc', 'method', 'params'])
    app.close()
  })

  test('when transactions enter the pool and leave it, then both are notified', async () => {
    const { app } = start()
    const { request, results } = connect(app)
    const hashes = (await request('eth_subscribe', 'newPendingTransactions'))['result']
    const details = (await request('eth_subscribe', 'newPendingTransactions', { includeTransactions: true }))[
      'result'
    ]
    const dropped = (await request('eth_subscribe', 'droppedPendingTransactions', {}))['result']
    const hash = (await sample.node.call('eth_sendRawTransaction', await transfer(9n))) as string
    expect(await results(hashes, 1)).toEqual([hash])
    const [detail] = (await results(details, 1)) as [Json]
    expect(Object.keys(detail)).toEqual(
      'from gas gasPrice hash input nonce to type value yParity v r s'.split(' '),
    )
    expect(detail).toMatchObject({ hash, gasPrice: null, to: sample.token, type: '0x2' })
    expect(await results(dropped, 0)).toEqual([])
    sample.node.pool.remove(fromHex(hash))
    expect(await results(dropped, 1)).toEqual([hash])
    app.close()
  })

  test('when they are created in the form of geth, then notifications have the form of geth', async () => {
    const { app } = start()
    const { request, results } = connect(app)
    const subscribe = async (...params: readonly unknown[]): Promise<unknown> =>
      (await request('eth_subscribe', ...params))['result']
    const hashes = await subscribe('newPendingTransactions', false)
    const transactions = await subscribe('newPendingTransactions', true)
    const heads = await subscribe('newHeads', false)
    const logs = [await subscribe('logs'), await subscribe('logs', null)]
    const hash = await sample.node.call('eth_sendRawTransaction', await transfer(4n))
    expect(await results(hashes, 1)).toEqual([hash])
    expect(await results(transactions, 1)).toEqual([await sample.node.call('eth_getTransactionByHash', hash)])
    await sample.node.mine()
    expect(await results(heads, 1)).toEqual([await sample.node.call('eth_getBlockByNumber', 'latest', false)])
    const mined = await sample.node.call('eth_getLogs', {})
    expect(mined).toBeArrayOfSize(1)
    for (const subscription of logs) expect(await results(subscription, 1)).toEqual(mined as unknown[])
    app.close()
  })

  test('when the node falls behind and catches up, then both are notified, and nothing before', async () => {
    const { app } = start()
    const { request, results } = connect(app)
    const id = (await request('eth_subscribe', 'syncing'))['result']
    syncing = { startingBlock: 1n, currentBlock: 2n, highestBlock: 30n }
    const status = { startingBlock: '0x1', currentBlock: '0x2', highestBlock: '0x1e' }
    expect(await results(id, 1)).toEqual([status])
    syncing = undefined
    expect(await results(id, 2)).toEqual([status, false])
    app.close()
  })

  test('when blocks arrive before the answer with the id, then they are notified after it', async () => {
    const { app } = start()
    const { session, received } = connect(app)
    const slow = { id: 2, method: 'eth_getLogs', params: [{ fromBlock: '0x0' }] }
    session.message(
      JSON.stringify([
        { id: 1, method: 'eth_subscribe', params: ['newHeads'] },
        ...Array.from({ length: 50 }, () => slow),
      ]),
    )
    // The first blocks may come before the subscription.
    await until(async () => {
      await sample.node.mine()
      return received.length > 1
    })
    const kinds = received.map(message => (Array.isArray(message) ? 'answer' : 'notification'))
    expect(kinds.slice(0, 2)).toEqual(['answer', 'notification'])
    expect(HELD_MAX).toBeGreaterThan(1)
    app.close()
  })
})
