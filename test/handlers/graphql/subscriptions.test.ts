import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Chain } from '../../../core/chain/chain.ts'
import { createFeed, mapFeed, WAITING_EVENTS_MAX } from '../../../handlers/graphql/subscriptions/feed.ts'
import {
  createSubscriptionRegistry,
  GRAPHQL_SUBSCRIPTIONS_MAX,
} from '../../../handlers/graphql/subscriptions/registry.ts'
import { createTurns } from '../../../handlers/graphql/subscriptions/turns.ts'
import { FILTER_VALUES_MAX } from '../../../handlers/rpc/logs/filter.ts'
import { DEPLOYER, type Sample, startSampleChain } from '../support/sampleChain.ts'
import { type EventStream, readEvents } from './support/eventStream.ts'
import { type Graphql, graphqlOf } from './support/graphqlNode.ts'

setDefaultTimeout(120_000)

let sample: Sample
let graphql: Graphql
/** How many listen to the chain's heads for GraphQL. */
let listeners = 0

const counted = (chain: Chain): Chain => ({
  ...chain,
  onHead: listener => {
    listeners++
    const end = chain.onHead(listener)
    return () => {
      listeners--
      end()
    }
  },
})

beforeAll(async () => {
  sample = await startSampleChain()
  graphql = graphqlOf(sample.node, { context: { chain: counted(sample.node.chain) } })
})
afterAll(() => sample.node.close())

const subscribe = async (query: string, app = graphql): Promise<EventStream> => {
  const response = await app.send('/graphql', {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  return readEvents(response)
}

let nonce = 100
const sendTransaction = async (): Promise<string> => {
  const count = await sample.node.call('eth_getTransactionCount', DEPLOYER.address, 'latest')
  nonce = Number(count)
  return (await sample.node.call(
    'eth_sendRawTransaction',
    await DEPLOYER.signTransaction({
      type: 'eip1559',
      chainId: 1337,
      nonce,
      gas: 100_000n,
      maxFeePerGas: 3_000_000_000n,
      maxPriorityFeePerGas: 1n,
      to: sample.failures,
      data: sample.encode('failures', 'count'),
    }),
  )) as string
}

describe('given subscriptions over server-sent events', () => {
  test('when a block becomes the head, then it is sent', async () => {
    const stream = await subscribe(
      'subscription { newHeads { number hash transactionCount parent { number } } }',
    )
    const first = Number(sample.node.chain.head().header.number) + 1
    for (let number = first; number < first + 3; number++) {
      await sample.node.mine()
      const event = await stream.next()
      const expected = (await sample.node.call(
        'eth_getBlockByNumber',
        `0x${number.toString(16)}`,
        false,
      )) as {
        hash: string
      }
      expect(event?.data).toEqual({
        newHeads: {
          number: `0x${number.toString(16)}`,
          hash: expected.hash,
          transactionCount: '0x0',
          parent: { number: `0x${(number - 1).toString(16)}` },
        },
      })
    }
    await stream.cancel()
  })

  test('when transactions enter the pool and are mined, then they and their logs are sent', async () => {
    const pending = await subscribe('subscription { pendingTransactions { hash index from { address } } }')
    const wanted = await subscribe(
      `subscription { logs(filter: { addresses: ["${sample.failures}"] }) { account { address } transaction { hash status } } }`,
    )
    const all = await subscribe('subscription { logs { index } }')
    const unwanted = await subscribe(
      `subscription { logs(filter: { addresses: ["${sample.token}"] }) { index } }`,
    )
    const hash = await sendTransaction()
    expect((await pending.next())?.data.pendingTransactions).toEqual({
      hash,
      index: null,
      from: { address: DEPLOYER.address.toLowerCase() },
    })
    await sample.node.mine()
    expect((await wanted.next())?.data.logs).toEqual({
      account: { address: sample.failures },
      transaction: { hash, status: '0x1' },
    })
    expect((await all.next())?.data.logs).toEqual({ index: '0x0' })
    await Promise.all([pending, wanted, all, unwanted].map(stream => stream.cancel()))
    expect(listeners).toBe(0)
  })

  test('when an event has errors, then they are sent like those of answers, and the next event follows', async () => {
    const stream = await subscribe(
      'subscription { newHeads { call(data: { gas: 1, to: "0x00000000000000000000000000000000000000aa" }) { data } } }',
    )
    await sample.node.mine()
    const event = await stream.next()
    expect(event?.errors?.[0]).toMatchObject({
      path: ['newHeads', 'call'],
      extensions: { errorCode: -32003, classification: 'DataFetchingException' },
    })
    expect(event?.data).toEqual({ newHeads: { call: null } })
    await sample.node.mine()
    expect((await stream.next())?.errors).toHaveLength(1)
    await stream.cancel()
  })

  test('when a browser’s EventSource uses GET, then events are sent, too', async () => {
    const query = encodeURIComponent('subscription { newHeads { number } }')
    const response = await graphql.send(`/graphql?query=${query}`, {
      headers: { accept: 'text/event-stream' },
    })
    const stream = readEvents(response)
    await sample.node.mine()
    expect((await stream.next())?.data.newHeads.number).toMatch(/^0x/)
    await stream.cancel()
  })
})

describe('given an open subscription', () => {
  test('when the client disconnects, then nothing listens any more', async () => {
    const stream = await subscribe('subscription { newHeads { number } }')
    expect(listeners).toBe(1)
    await stream.cancel()
    expect(listeners).toBe(0)
  })

  test('when the client accepts no events, then it ends', async () => {
    const response = await graphql.send('/graphql', {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'subscription { newHeads { number } }' }),
    })
    expect(response.status).toBe(406)
    expect(listeners).toBe(0)
  })

  test('when an event cannot be answered, then nothing listens any more', async () => {
    const addresses = Array.from({ length: FILTER_VALUES_MAX + 1 }, () => `0x${'12'.repeat(20)}`)
    const response = await graphql.send('/graphql', {
      method: 'POST',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({
        query: 'subscription($addresses: [Address!]) { logs(filter: { addresses: $addresses }) { index } }',
        variables: { addresses },
      }),
    })
    const stream = readEvents(response)
    expect(listeners).toBe(1)
    await sample.node.mine()
    expect((await stream.next())?.errors?.[0]?.message).toBe('Invalid filter params')
    expect(await stream.next()).toBeUndefined()
    expect(listeners).toBe(0)
  })

  test('when the node stops, then it ends and no more are opened', async () => {
    const app = graphqlOf(sample.node, { context: { chain: counted(sample.node.chain) } })
    const streams = [
      await subscribe('subscription { newHeads { number } }', app),
      await subscribe('subscription { pendingTransactions { hash } }', app),
    ]
    app.close()
    for (const stream of streams) expect(await stream.next()).toBeUndefined()
    expect(listeners).toBe(0)
    const { status, errors } = await app.ask('subscription { newHeads { number } }')
    expect(status).toBe(400)
    expect(errors?.[0]?.message).toBe('Exception while fetching data (/newHeads) : The node is stopping')
  })

  test('when its document is refused, then it never begins', async () => {
    for (const query of [
      'subscription { newHeads { nothing } }',
      'subscription { newHeads { number } logs { index } }',
      'subscription { newHeads { transactions { block { transactions { block { number } } } } } }',
    ])
      expect((await graphql.ask(query)).status).toBe(400)
    expect(listeners).toBe(0)
  })
})

describe('given a feed', () => {
  const pushed = <T>() => {
    let push: (event: T) => void = () => undefined
    let ended = 0
    const feed = createFeed<T>(
      to => {
        push = to
        return () => void ended++
      },
      () => void ended++,
    )
    return { feed, push: (event: T) => push(event), ended: () => ended }
  }

  test('when events arrive, then they keep their order and wake the reader', async () => {
    const { feed, push } = pushed<number>()
    const waiting = feed.next()
    push(1)
    push(2)
    expect(await waiting).toEqual({ done: false, value: 1 })
    expect(await feed.next()).toEqual({ done: false, value: 2 })
  })

  test('when too many wait, then it ends with an error that says so', async () => {
    const { feed, push, ended } = pushed<number>()
    for (let event = 0; event <= WAITING_EVENTS_MAX; event++) push(event)
    expect(ended()).toBe(2)
    expect(feed.next()).rejects.toThrow(`${WAITING_EVENTS_MAX} events waited`)
    expect(await feed.next()).toEqual({ done: true, value: undefined })
  })

  test('when it is closed while somebody waits, then the wait ends', async () => {
    const { feed, ended } = pushed<number>()
    const mapped = mapFeed(feed, event => Promise.resolve([event]))
    const waiting = mapped.next()
    await mapped.return?.()
    expect(await waiting).toEqual({ done: true, value: undefined })
    expect(ended()).toBe(2)
  })

  test('when one event becomes several or none, then the feed gives as many', async () => {
    const { feed, push } = pushed<number>()
    const mapped = mapFeed(feed, count => Promise.resolve(Array.from({ length: count }, (_, index) => index)))
    push(2)
    push(0)
    push(1)
    const values = [await mapped.next(), await mapped.next(), await mapped.next()].map(
      ({ value }) => value as number,
    )
    expect(values).toEqual([0, 1, 0])
  })
})

test('given the maximum of subscriptions, when one more opens, then it is refused until another ends', () => {
  const registry = createSubscriptionRegistry()
  const open = () => registry.open(() => () => undefined)
  const feeds = Array.from({ length: GRAPHQL_SUBSCRIPTIONS_MAX }, open)
  expect(open).toThrow(`The node serves ${GRAPHQL_SUBSCRIPTIONS_MAX} subscriptions already`)
  feeds[0]?.close()
  open()
  registry.close()
  expect(open).toThrow('The node is stopping')
})

test('given events of many subscriptions, when they are read, then a few at the same time, the others in order, also after an error', async () => {
  const turns = createTurns(2)
  let running = 0
  let most = 0
  const order: number[] = []
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, number) =>
      turns(async () => {
        most = Math.max(most, ++running)
        order.push(number)
        await Promise.resolve()
        running--
        if (number % 5 === 0) throw new Error('a bad block')
      }),
    ),
  )
  expect([most, running]).toEqual([2, 0])
  expect(order).toEqual(Array.from({ length: 20 }, (_, number) => number))
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(4)
})
