import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { getIntrospectionQuery } from 'graphql'
import { createBudget, RESULT_CHARACTERS_MAX } from '../../../handlers/graphql/limits/budget.ts'
import { createTextCache } from '../../../handlers/graphql/limits/documentCache.ts'
import { startTestNode, type TestNode } from '../support/testNode.ts'
import { type Graphql, graphqlOf } from './support/graphqlNode.ts'
import { turns } from '../../support/turns.ts'
import { until } from '../../support/until.ts'

/** A dozen of them take longer than the request may. */
const SLOW_READ_MS = 15

setDefaultTimeout(120_000)

/** Returns a megabyte of zeros. */
const GENEROUS = `0x${'9e'.repeat(20)}`

let node: TestNode
let graphql: Graphql

beforeAll(async () => {
  node = await startTestNode({
    genesis: genesis => {
      const alloc = genesis['alloc'] as Record<string, unknown>
      alloc[GENEROUS] = { balance: '0x0', code: '0x621000006000f3' }
    },
  })
  graphql = graphqlOf(node)
  for (let count = 0; count < 12; count++) await node.mine()
})
afterAll(() => node.close())

/** The one error of a query that is refused as a whole. */
const aborted = async (query: string, app = graphql) => {
  const { status, text, errors } = await app.ask(query)
  expect(status).toBe(400)
  expect(JSON.parse(text)).toEqual({
    errors: [{ message: errors?.[0]?.message as string, extensions: { classification: 'ExecutionAborted' } }],
  })
  return errors?.[0]?.message
}

const repeat = (count: number, one: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => one(index)).join(' ')

describe('given the complexity of a query', () => {
  test.each([
    ['{ block { transactions { block { transactions { block { number }}}}}}', 204],
    ['{ __schema { types { fields { type { fields { name }}}}}}', 204],
    [`{ ${repeat(201, () => 'chainID')} }`, 201],
    [
      '{ ...F ...F block { ...B } } fragment F on Query { block { ...B } } fragment B on Block { transactions { block { number } } }',
      3 * (1 + 1 + 100 + 1),
    ],
    [
      'query { ... on Query { block { transactions { block { number } } b: transactions { block { number } } } } }',
      205,
    ],
  ])('when it has %s, then it is counted as in Besu', async (query, cost) => {
    expect(await aborted(query)).toBe(`maximum query complexity exceeded ${cost} > 200`)
  })

  test('when it is at the limit, then the query is answered; skipped fields and __typename cost nothing', async () => {
    expect((await graphql.ask(`{ ${repeat(200, () => 'chainID')} }`)).status).toBe(200)
    const skipped = `query($no: Boolean = false, $yes: Boolean!) { ${repeat(150, () => 'chainID @include(if: $no)')}
      ${repeat(150, () => 'chainID @skip(if: $yes)')} ${repeat(150, () => '__typename')} chainID }`
    expect(await graphql.data(skipped, { yes: true })).toEqual({ __typename: 'Query', chainID: '0x539' })
  })

  test('when fragments contain fragments, then they are counted without expansion', async () => {
    const levels = repeat(
      40,
      index => `fragment F${index} on Block { parent { ...F${index + 1} ...F${index + 1} } }`,
    )
    const query = `{ block { ...F0 } } ${levels} fragment F40 on Block { number }`
    expect(await aborted(query)).toMatch(/^maximum query (complexity|depth) exceeded/)
  })

  test('when a variable’s default includes a field, then the field counts', async () => {
    const query = `query($yes: Boolean = true, $no: Boolean = false) { block {
      transactions @include(if: $yes) { block { transactions @skip(if: $no) { block { number } } } } } }`
    expect(await aborted(query)).toBe('maximum query complexity exceeded 204 > 200')
  })

  test('when fragments cost nothing, then each is visited once', async () => {
    const levels = repeat(45, index => `fragment F${index} on Block { ...F${index + 1} ...F${index + 1} }`)
    const query = `{ block { ...F0 } } ${levels} fragment F45 on Block { __typename }`
    expect(await graphql.data(query)).toEqual({ block: { __typename: 'Block' } })
  })

  test('when another limit is configured, then it applies', async () => {
    const query = '{ block { transactions { block { transactions { block { number }}}}}}'
    expect((await graphqlOf(node, { complexityMax: 204 }).ask(query)).status).toBe(200)
    expect(await aborted('{ block { number hash } }', graphqlOf(node, { complexityMax: 2 }))).toBe(
      'maximum query complexity exceeded 3 > 2',
    )
  })
})

describe('given a query for the schema', () => {
  test('when a tool sends it, then it is answered although it costs more than others may', async () => {
    const { __schema } = await graphql.data(getIntrospectionQuery())
    const types = (
      __schema.types as readonly { name: string; description: string | null; kind: string }[]
    ).filter(({ name }) => !name.startsWith('__') && name !== 'Boolean' && name !== 'String')
    expect(types.length).toBeGreaterThan(20)
    const undocumented = types.filter(
      ({ name, description }) => description === null && !/^(Query|Mutation)$/.test(name),
    )
    expect(undocumented).toEqual([])
    const fields = __schema.types.flatMap(
      ({ name, fields: own, inputFields }: { name: string; fields: object[]; inputFields: object[] }) =>
        name.startsWith('__') ? [] : [...(own ?? []), ...(inputFields ?? [])],
    ) as readonly { name: string; description: string | null }[]
    expect(fields.length).toBeGreaterThan(120)
    expect(fields.filter(({ description }) => description === null)).toEqual([])
  })

  test('when introspection is off, then it is refused', async () => {
    const closed = graphqlOf(node, { introspection: false })
    const { status, data } = await closed.ask('{ __schema { types { name } } }')
    expect([status, data]).toEqual([400, undefined])
    expect((await closed.ask('{ __type(name: "Block") { name } }')).status).toBe(400)
    expect(await closed.data('{ block { __typename } }')).toEqual({ block: { __typename: 'Block' } })
  })
})

describe('given a document beyond a limit', () => {
  test.each([
    [
      'a thousand aliases',
      `{ ${repeat(1000, i => `a${i}: block { number }`)} }`,
      'maximum number of aliases exceeded 1000 > 200',
    ],
    [
      'thousands of fields',
      `{ ${repeat(5000, () => 'chainID')} }`,
      'maximum number of fields exceeded 5000 > 500',
    ],
    [
      'levels upon levels',
      `{ block { ${'parent { '.repeat(40)} number ${'} '.repeat(40)} } }`,
      'maximum query depth exceeded 42 > 32',
    ],
    [
      'fragments by the hundred',
      `{ block { ...F0 } } ${repeat(900, i => `fragment F${i} on Block { parent { ...F${(i + 1) % 900} } }`)}`,
      'maximum number of fragments exceeded 900 > 50',
    ],
    [
      'more tokens than a person writes',
      `{ ${'chainID '.repeat(20_000)} }`,
      "More than 15000 'grammar' tokens have been presented. To prevent Denial Of Service attacks, parsing has been cancelled.",
    ],
    [
      'nesting to overflow the stack',
      '{a'.repeat(7000),
      "More than 256 deep 'grammar' rules have been entered. To prevent Denial Of Service attacks, parsing has been cancelled.",
    ],
    [
      'nesting of values',
      `{ logs(filter: { topics: ${'['.repeat(7000)} }) { index } }`,
      "More than 256 deep 'grammar' rules have been entered. To prevent Denial Of Service attacks, parsing has been cancelled.",
    ],
    [
      'a text of megabytes',
      `{ chainID } #${'x'.repeat(1_100_000)}`,
      'More than 1048576 characters have been presented. To prevent Denial Of Service attacks, parsing has been cancelled.',
    ],
  ])('when it has %s, then it is refused before validation', async (_name, query, message) => {
    expect(await aborted(query)).toBe(message)
  })

  test('when fragments form a deep cycle, then it is an error', async () => {
    const cycle = repeat(50, i => `fragment F${i} on Block { parent { ...F${(i + 1) % 50} } }`)
    const { status, errors } = await graphql.ask(`{ block { ...F0 } } ${cycle}`)
    expect(status).toBe(400)
    expect(errors?.[0]?.message).toBe('Validation error (FragmentCycle@[F0]) : Fragment cycles not allowed')
  })
})

describe('given a query for too much', () => {
  test.each([
    '{ blocks(from: 0, to: 1000000) { number } }',
    '{ logs(filter: { fromBlock: 0, toBlock: 1000000, topics: [] }) { index } }',
  ])('when it has %s, then it is refused', async query => {
    const { status, errors } = await graphql.ask(query)
    expect(status).toBe(400)
    expect(errors?.[0]?.extensions).toEqual({
      errorCode: -32005,
      errorMessage: 'Requested range exceeds maximum RPC range limit',
      classification: 'DataFetchingException',
    })
  })

  test('when its answer would be too long, then the answer is never built', async () => {
    const query = `{ block { ${repeat(40, i => `c${i}: call(data: { to: "${GENEROUS}" }) { data }`)} } }`
    expect(await aborted(query)).toMatch(/^maximum result size exceeded/)
    const few = await graphql.data(`{ block { call(data: { to: "${GENEROUS}" }) { data } } }`)
    expect(few.block.call.data).toHaveLength(2 * 1_048_576 + 2)
  })

  test('when it returns bytes, then the budget counts their hex', () => {
    const told: Error[] = []
    const { countValue } = createBudget(error => told.push(error))
    const half = new Uint8Array(RESULT_CHARACTERS_MAX / 4)
    expect(countValue(half)).toBe(half)
    expect(() => countValue(half)).toThrow('maximum result size exceeded')
    expect(told).toHaveLength(1)
  })

  test('when it takes too long, then it ends with a timeout and reads no further', async () => {
    const { chain, options } = node.context
    let reads = 0
    let readsDone = 0
    const slow = graphqlOf(node, {
      context: {
        options: { ...options, timeoutMs: 40 },
        chain: {
          ...chain,
          store: {
            ...chain.store,
            header: async number => {
              reads++
              await Bun.sleep(SLOW_READ_MS)
              readsDone++
              return await chain.store.header(number)
            },
          },
        },
      },
    })
    const reply = await slow.ask('{ blocks(from: 0, to: 11) { number } }')
    expect(reply.status).toBe(504)
    expect(JSON.parse(reply.text)).toEqual({
      errors: [{ message: 'Timeout expired', extensions: { classification: 'ExecutionAborted' } }],
    })
    await until(() => readsDone === reads)
    await turns(5)
    expect(reads).toBeLessThan(12)
  })
})

describe('given the cache of documents', () => {
  test('when texts exceed its limit, then the least recently used one is evicted', () => {
    const cache = createTextCache<number>(10)
    cache.set('aaaa', 1)
    cache.set('bbbb', 2)
    expect(cache.get('aaaa')).toBe(1)
    cache.set('cccc', 3)
    expect([cache.get('aaaa'), cache.get('bbbb'), cache.get('cccc')]).toEqual([1, undefined, 3])
    cache.set('x'.repeat(50_000), 4)
    expect(cache.get('x'.repeat(50_000))).toBeUndefined()
  })
})
