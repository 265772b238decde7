import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { startTestNode, type TestNode } from '../support/testNode.ts'
import { type Graphql, graphqlOf } from './support/graphqlNode.ts'

setDefaultTimeout(120_000)

let node: TestNode
let graphql: Graphql

beforeAll(async () => {
  node = await startTestNode()
  graphql = graphqlOf(node)
})
afterAll(() => node.close())

const HASH = `0x${'12'.repeat(32)}`

/** What is wrong with documents, and where; every text is Besu's. */
const INVALID: readonly (readonly [query: string, message: string, line: number, column: number])[] = [
  [
    '{ block(hash: "12") { number } }',
    "Validation error (WrongType@[block]) : argument 'hash' with value 'StringValue{value='12'}' is not a valid 'Hash' - Hash value '12' is not prefixed with 0x",
    1,
    9,
  ],
  [
    '{ block { account(address: "0x12") { balance } } }',
    "Validation error (WrongType@[block/account]) : argument 'address' with value 'StringValue{value='0x12'}' is not a valid 'Address' - Value is not any Address : 'StringValue{value='0x12'}'",
    1,
    19,
  ],
  [
    '{ block(number: 1.5) { number } }',
    "Validation error (WrongType@[block]) : argument 'number' with value 'FloatValue{value=1.5}' is not a valid 'Long' - Value is not any Long : 'FloatValue{value=1.5}'",
    1,
    9,
  ],
  [
    '{ block {\n  logs(filter: { topics: [["0x1"], [true]] }) { index } } }',
    "Validation error (WrongType@[block/logs]) : argument 'filter.topics[1][0]' with value 'BooleanValue{value=true}' is not a valid 'LogTopic' - Value is not any LogTopic : 'BooleanValue{value=true}'",
    2,
    8,
  ],
  [
    '{ block { call(data: { gasLimit: 1 }) { status } } }',
    "Validation error (WrongType@[block/call]) : argument 'data' with value 'ObjectValue{objectFields=[ObjectField{name='gasLimit', value=IntValue{value=1}}]}' contains a field not in 'CallData': 'gasLimit'",
    1,
    16,
  ],
  [
    '{ block { call(data: 1) { status } } }',
    "Validation error (WrongType@[block/call]) : argument 'data' with value 'IntValue{value=1}' must be an object type",
    1,
    16,
  ],
  [
    '{ transaction(hash: null) { hash } }',
    "Validation error (WrongType@[transaction]) : argument 'hash' with value 'NullValue{}' must not be null",
    1,
    15,
  ],
  [
    '{ pending { account { balance } } }',
    "Validation error (MissingFieldArgument@[pending/account]) : Missing field argument 'address'",
    1,
    13,
  ],
  [
    '{ nothing }',
    "Validation error (FieldUndefined@[nothing]) : Field 'nothing' in type 'Query' is undefined",
    1,
    3,
  ],
  [
    '{ block { miner { name } } }',
    "Validation error (FieldUndefined@[block/miner/name]) : Field 'name' in type 'Account' is undefined",
    1,
    19,
  ],
  [
    '{ block(at: 1) { number } }',
    "Validation error (UnknownArgument@[block]) : Unknown field argument 'at'",
    1,
    9,
  ],
  [
    '{ block }',
    "Validation error (SubselectionRequired@[block]) : Subselection required for type 'Block' of field 'block'",
    1,
    3,
  ],
  [
    '{ chainID { x } }',
    "Validation error (SubselectionNotAllowed@[chainID]) : Subselection not allowed on leaf type 'BigInt!' of field 'chainID'",
    1,
    11,
  ],
  ['{ ...F }', "Validation error (UndefinedFragment) : Undefined fragment 'F'", 1, 6],
  ['query($n: Long) { block { number } }', "Validation error (UnusedVariable) : Unused variable 'n'", 1, 7],
  [
    '{ block(number: $n) { number } }',
    "Validation error (UndefinedVariable) : Undefined variable 'n'",
    1,
    17,
  ],
  [
    '{ a: block(number: 1) { number } a: block(number: 2) { number } }',
    "Validation error (FieldsConflict) : 'a' : fields have different arguments",
    1,
    3,
  ],
  [
    'query($h: Long) { block(hash: $h) { number } }',
    "Validation error (VariableTypeMismatch) : Variable 'h' of type 'Long' used in position expecting type 'Hash'",
    1,
    31,
  ],
]

describe('given an invalid document', () => {
  test.each(INVALID)(
    'when it has %s, then the error has Besu’s text',
    async (query, message, line, column) => {
      const { status, errors, data } = await graphql.ask(query)
      expect(status).toBe(400)
      expect(data).toBeUndefined()
      expect(errors?.[0]).toMatchObject({ message, extensions: { classification: 'ValidationError' } })
      expect(errors?.[0]?.locations?.[0]).toEqual({ line, column })
      expect(errors?.[0]?.path).toBeUndefined()
    },
  )

  test('when it is not GraphQL, then the error names the position', async () => {
    const { status, text } = await graphql.ask('{ block { number }')
    expect(status).toBe(400)
    expect(JSON.parse(text)).toEqual({
      errors: [
        {
          message: "Invalid Syntax : offending token '<EOF>' at line 1 column 19",
          locations: [{ line: 1, column: 19 }],
          extensions: { classification: 'InvalidSyntax' },
        },
      ],
    })
    expect((await graphql.ask('{ block(number:: 1) }')).errors?.[0]?.message).toBe(
      "Invalid Syntax : offending token ':' at line 1 column 16",
    )
  })

  test('when it has more than a hundred errors, then a hundred are reported', async () => {
    const { errors } = await graphql.ask(`{ ${'nothing '.repeat(300)} }`)
    expect(errors?.length).toBeLessThanOrEqual(101)
  })
})

describe('given variables', () => {
  test('when they do not match their types, then the error names them', async () => {
    const ask = async (type: string, value: unknown) => {
      const field =
        type === 'Address!' ? 'block { account(address: $v) { balance } }' : 'block(number: $v) { number }'
      const { status, errors, data } = await graphql.ask(`query($v: ${type}) { ${field} }`, { v: value })
      expect(status).toBe(400)
      expect(data).toBeUndefined()
      return errors?.[0]
    }
    expect(await ask('Long', 'x')).toEqual({
      message: "Variable 'v' has an invalid value: Unable to parse variable value x as an Long",
      locations: [{ line: 1, column: 7 }],
      extensions: { classification: 'ValidationError' },
    })
    expect((await ask('Long', 1.5))?.message).toBe(
      "Variable 'v' has an invalid value: Unable to parse variable value 1.5 as an Long",
    )
    expect((await ask('Address!', null))?.message).toBe(
      "Variable 'v' has coerced Null value for NonNull type 'Address!'",
    )
    expect((await ask('Address!', undefined))?.message).toBe(
      "Variable 'v' has coerced Null value for NonNull type 'Address!'",
    )
  })
})

describe('given a field that cannot be answered', () => {
  test('when its block does not exist, then it is null beside the error', async () => {
    expect(JSON.parse((await graphql.ask('{ chainID block(number: 99) { number } }')).text)).toEqual({
      errors: [
        {
          message: 'Exception while fetching data (/block) : Block number 99 was not found',
          locations: [{ line: 1, column: 11 }],
          path: ['block'],
          extensions: { classification: 'DataFetchingException' },
        },
      ],
      data: { chainID: '0x539', block: null },
    })
    const byHash = await graphql.ask(`{ b: block(hash: "${HASH}") { number } }`)
    expect(byHash.status).toBe(400)
    expect(byHash.errors?.[0]?.message).toBe(
      `Exception while fetching data (/b) : Block hash ${HASH} was not found`,
    )
  })

  test.each([
    ['number and hash', `{ block(number: 0, hash: "${HASH}") { number } }`, 'block', { block: null }],
    ['a range without a beginning', '{ blocks { number } }', 'blocks', null],
    ['a range that ends before it begins', '{ blocks(from: 5, to: 3) { number } }', 'blocks', null],
    [
      'logs of such a range',
      '{ logs(filter: { fromBlock: 5, toBlock: 3, topics: [] }) { index } }',
      'logs',
      null,
    ],
    [
      'bytes that are no transaction',
      'mutation { sendRawTransaction(data: "0x1234") }',
      'sendRawTransaction',
      null,
    ],
  ] as const)(
    'when it has %s, then the error is invalid params with its code',
    async (_name, query, field, data) => {
      const reply = await graphql.ask(query)
      expect(reply.status).toBe(400)
      expect(Object.keys(JSON.parse(reply.text) as object)).toEqual(['errors', 'data'])
      expect(reply.data).toEqual(data)
      expect(reply.errors).toHaveLength(1)
      expect(reply.errors?.[0]).toMatchObject({
        message: expect.stringContaining(`Exception while fetching data (/${field}) : Invalid params`),
        path: [field],
        extensions: {
          errorCode: -32602,
          errorMessage: expect.stringMatching(/^Invalid params( \(.+\))?$/),
          classification: 'DataFetchingException',
        },
      })
      expect(Object.keys(reply.errors?.[0]?.extensions ?? {})).toEqual([
        'errorCode',
        'errorMessage',
        'classification',
      ])
    },
  )

  test('when the node fails, then the client gets an internal error and the log the cause', async () => {
    const told: unknown[] = []
    const broken = graphqlOf(node, {
      context: {
        chain: {
          ...node.chain,
          store: { ...node.chain.store, header: () => Promise.reject(new Error('disk')) },
        },
        reportError: (_, error) => told.push(error),
      },
    })
    await node.mine()
    const reply = await broken.ask('{ block(number: 0) { number } }')
    expect(reply.errors?.[0]).toMatchObject({
      message: 'Exception while fetching data (/block) : Internal error',
      extensions: { errorCode: -32603 },
    })
    expect(told).toEqual([expect.objectContaining({ message: 'disk' })])
  })
})
