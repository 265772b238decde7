import { isObject } from '../../../core/json.ts'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { RpcNetwork } from '../../../handlers/rpc/context.ts'
import type { Method } from '../../../handlers/rpc/method.ts'
import { METHODS } from '../../../handlers/rpc/methods/methodTable.ts'
import { type Schema, type SchemaName, SCHEMAS } from '../../../handlers/rpc/openrpc/schemas.ts'
import { isValidFor } from '../../../handlers/rpc/openrpc/domains.ts'
import { createMinerSettings } from '../../../runtime/node/minerSettings.ts'
import { type RpcReply, startTestNode, type TestNode, VALIDATOR } from '../support/testNode.ts'
import { transfer } from '../support/transfers.ts'
import { votesInMemory } from '../support/votes.ts'
import { ADDRESS, HASH, RIGHT, STRANGE, UNORDERED, WRONG } from './domainValues.ts'

setDefaultTimeout(120_000)

/** Whether a value is one that a schema describes, as far as the schemas of the document go. */
const takes = (schema: Schema, value: unknown): boolean => {
  const { $ref, type, pattern, minimum, maximum, maxItems, items } = schema
  if (typeof $ref === 'string') return takes(SCHEMAS[$ref.replace(/^.*\//, '') as SchemaName], value)
  const anyOf = schema['oneOf'] as readonly Schema[] | undefined
  if (anyOf !== undefined) return anyOf.some(one => takes(one, value))
  const list = schema['enum'] as readonly unknown[] | undefined
  if (list !== undefined) return list.includes(value)
  switch (type) {
    case 'array':
      return (
        Array.isArray(value) &&
        value.length <= Number(maxItems ?? value.length) &&
        value.every(one => takes((items as Schema | undefined) ?? {}, one))
      )
    case 'string':
      return typeof value === 'string' && new RegExp((pattern as string | undefined) ?? '').test(value)
    case 'integer':
      return Number.isInteger(value) && inRange(value, minimum, maximum)
    case 'number':
      return typeof value === 'number' && inRange(value, minimum, maximum)
    case 'object':
      return isObject(value) && ((schema['required'] ?? []) as readonly string[]).every(name => name in value)
    default:
      return true
  }
}

const inRange = (value: unknown, minimum: unknown, maximum: unknown): boolean =>
  Number(value) >= Number(minimum ?? value) && Number(value) <= Number(maximum ?? value)

/** Rows whose answer does not come from their parameters, or that take what they do not look at. */
const UNREAD = new Set(['eth_sendTransaction.transaction', 'debug_accountRange.ignored'])

/** In brackets behind the text, or beside it. */
const isExplained = (error: RpcReply['error']): boolean =>
  typeof error?.data === 'string' || / \(.+\)$/.test(error?.message ?? '')

const DEFAULTED: ReadonlySet<string> = new Set()

const NETWORK: RpcNetwork = {
  listening: true,
  enode: `enode://${'ab'.repeat(64)}@127.0.0.1:30303`,
  capabilities: [],
  peerCount: () => 0,
  peers: () => [],
  addPeer: () => Promise.resolve(true),
  removePeer: () => Promise.resolve(true),
  whenListening: () => Promise.resolve(`enode://${'ab'.repeat(64)}@127.0.0.1:30303`),
}

describe('given the domains of parameters in the method table', () => {
  let node: TestNode
  let signed: string
  let block: string
  beforeAll(async () => {
    const yes = (): Promise<boolean> => Promise.resolve(true)
    node = await startTestNode({
      rpc: { apis: [...new Set(METHODS.map(({ group }) => group))], gasCap: 3_000_000n },
      host: {
        votes: votesInMemory(),
        network: NETWORK,
        coinbase: VALIDATOR,
        setLogLevel: () => undefined,
        miner: {
          ...createMinerSettings({
            genesisFile: undefined,
            minGasPrice: 0n,
            minPriorityFee: 0n,
            minerExtraData: undefined,
            targetGasLimit: undefined,
          }),
          start: yes,
          stop: yes,
        },
      },
    })
    signed = await transfer(0)
    await node.mine()
    block = (await node.call('debug_getRawBlock', '0x1')) as string
  })
  afterAll(() => node.close())

  const validOf = (schema: SchemaName): unknown => {
    if (schema === 'SignedTransaction') return signed
    return schema === 'BlockRlp' ? block : RIGHT[schema]
  }

  const paramsOf = ({ params }: Method): unknown[] =>
    params.map(({ name, schema }) => {
      // A range of blocks holds one at least.
      if (name === 'fromBlock') return '0x0'
      return validOf(schema)
    })

  // The chain of this test has no history of IBFT 2.0, so its methods are not enabled.
  const PARAMETERS = METHODS.filter(({ group }) => group !== 'IBFT').flatMap(row =>
    row.params
      .map(({ name: param, isRequired, schema }, index) => ({ row, param, isRequired, index, schema }))
      .filter(one => !UNREAD.has(`${one.row.name}.${one.param}`)),
  )

  test('when a method accepts a value, then the schemas of rpc_discover do, and nothing outside', () => {
    for (const { schema } of PARAMETERS) {
      const wrong = [...STRANGE.filter(value => !isValidFor(schema, value)), ...(WRONG[schema] ?? [])]
      const { type } = SCHEMAS[schema] as Schema
      // What the members of an object are is said in words, and so is the order of a list.
      if (type !== 'object' && schema !== 'CallsWithTypes')
        for (const value of wrong.filter(one => !UNORDERED.includes(one)))
          expect([schema, value, takes(SCHEMAS[schema], value)]).toEqual([schema, value, false])
      expect([schema, takes(SCHEMAS[schema], validOf(schema))]).toEqual([schema, true])
    }
  })

  test('when a method accepts a value, then it is in the domain of its parameter', async () => {
    for (const row of METHODS) {
      const { error } = await node.rpc(row.name, ...paramsOf(row))
      expect([row.name, error?.code === -32602 ? error : undefined]).toEqual([row.name, undefined])
    }
  })

  test('when a parameter is missing, then it is -32602 with a reason, or has a default', async () => {
    for (const { row, param, isRequired, index } of PARAMETERS) {
      if (!isRequired || param.endsWith('…') || DEFAULTED.has(`${row.name}.${param}`)) continue
      const { error } = await node.rpc(row.name, ...paramsOf(row).slice(0, index))
      expect([row.name, param, error?.code, isExplained(error)]).toEqual([row.name, param, -32602, true])
    }
  })

  test.each(PARAMETERS.map(one => [`${one.row.name} ${one.param}`, one] as const))(
    'when %s gets a value outside, then it is -32602 with a reason',
    async (_, { row, index, schema }) => {
      const wrong = [...STRANGE.filter(value => !isValidFor(schema, value)), ...(WRONG[schema] ?? [])]
      for (const value of wrong) {
        const params = paramsOf(row)
        params[index] = value
        const { error, result } = await node.rpc(row.name, ...params)
        // There each transaction has its own answer.
        if (row.name === 'debug_batchSendRawTransaction') expect(result).toMatchObject([{ success: false }])
        else expect([value, error?.code, isExplained(error)]).toEqual([value, -32602, true])
      }
    },
  )

  const INTEGER = [-1, 1.5, '', 'x', '-0x1', {}, true]
  const UINT64 = [...INTEGER, '0x10000000000000000']
  const UINT256 = [...INTEGER, `0x1${'00'.repeat(32)}`]
  const BYTES = ['12', '0x1', '0xzz', 5, {}]
  const HASHES = [[HASH.slice(2)], ['0x12'], HASH, [5]]
  const ADDRESSES = ['', '0x', '0xzz', `${ADDRESS}00`, 5, {}]
  const FLAGS = ['yes', 2, {}]
  const BOUNDS = ['-0x1', '-0x10', -1, 'first', HASH, {}]
  const FILTER_ADDRESSES = [...ADDRESSES, '0x12', ['0x12'], [5], [null]]

  const CALL_MEMBERS: Readonly<Record<string, readonly unknown[]>> = {
    from: ADDRESSES,
    to: ADDRESSES,
    gas: UINT64,
    nonce: UINT64,
    gasPrice: UINT256,
    maxFeePerGas: UINT256,
    maxPriorityFeePerGas: UINT256,
    maxFeePerBlobGas: UINT256,
    value: UINT256,
    chainId: UINT256,
    input: BYTES,
    data: BYTES,
    blobVersionedHashes: HASHES,
    accessList: [{}, [5], [{}], [{ address: '0x' }], [{ address: ADDRESS, storageKeys: ['0x1'] }]],
    authorizationList: [{}, [5], [{}]],
    strict: FLAGS,
  }
  const FILTER_MEMBERS: Readonly<Record<string, readonly unknown[]>> = {
    fromBlock: BOUNDS,
    toBlock: BOUNDS,
    blockHash: ['0x12', HASH.slice(2), 5],
    address: FILTER_ADDRESSES,
    topics: ['0x12', HASH, ['0x12'], [['0x12']], [5], [`${HASH}00`]],
    adress: [ADDRESS],
  }
  const ACCOUNT_MEMBERS: Readonly<Record<string, readonly unknown[]>> = {
    balance: UINT256,
    nonce: UINT64,
    code: ['0x1', '0xzz', 5],
    state: [5, { '0xzz': '0x1' }, { '0x0': 'x' }],
    stateDiff: [5, { '0xzz': '0x1' }, { '0x0': 'x' }],
    movePrecompileToAddress: ADDRESSES,
  }
  const BLOCK_MEMBERS: Readonly<Record<string, readonly unknown[]>> = {
    number: UINT64,
    time: UINT64,
    gasLimit: UINT64,
    feeRecipient: ADDRESSES,
    prevRandao: ['x', {}],
    baseFeePerGas: UINT256,
    blobBaseFee: UINT256,
    difficulty: UINT256,
    extraData: ['0x1', 5],
    withdrawals: [5, [{}]],
  }

  type Nest = (value: object) => readonly unknown[]
  const account = (value: object): object => ({ [ADDRESS]: value })
  const simulated = (block: object): readonly unknown[] => [{ blockStateCalls: [block] }, 'latest']
  const NESTED: readonly (readonly [
    method: string,
    what: string,
    members: typeof CALL_MEMBERS,
    nest: Nest,
  ])[] = [
    ...['eth_call', 'eth_estimateGas', 'eth_createAccessList', 'debug_traceCall'].map(
      method => [method, 'call', CALL_MEMBERS, (value: object) => [value, 'latest']] as const,
    ),
    ['trace_call', 'call', CALL_MEMBERS, value => [value, ['trace'], 'latest']],
    ['trace_callMany', 'call', CALL_MEMBERS, value => [[[value, ['trace']]], 'latest']],
    ['eth_simulateV1', 'call', CALL_MEMBERS, value => simulated({ calls: [value] })],
    ...['eth_getLogs', 'eth_newFilter'].map(
      method => [method, 'filter', FILTER_MEMBERS, (value: object) => [value]] as const,
    ),
    [
      'trace_filter',
      'filter',
      {
        fromBlock: BOUNDS,
        toBlock: BOUNDS,
        fromAddress: FILTER_ADDRESSES,
        toAddress: FILTER_ADDRESSES,
        after: INTEGER,
        count: INTEGER,
        mode: ['both', 5],
      },
      value => [value],
    ],
    ...['eth_call', 'eth_estimateGas', 'eth_createAccessList'].flatMap(
      method =>
        [
          [method, 'state override', ACCOUNT_MEMBERS, (value: object) => [{}, 'latest', account(value)]],
          [method, 'block override', BLOCK_MEMBERS, (value: object) => [{}, 'latest', {}, value]],
        ] as const,
    ),
    [
      'eth_simulateV1',
      'state override',
      ACCOUNT_MEMBERS,
      value => simulated({ stateOverrides: account(value) }),
    ],
    ['eth_simulateV1', 'block override', BLOCK_MEMBERS, value => simulated({ blockOverrides: value })],
    [
      'debug_traceCall',
      'option',
      {
        disableStack: FLAGS,
        limit: [-1, 1.5],
        tracer: ['none', 5],
        stateOverrides: [5],
        blockOverrides: [5],
      },
      value => [{}, 'latest', value],
    ],
    [
      'txpool_besuPendingTransactions',
      'filter',
      {
        from: [5, {}, { eq: 'x' }, { gt: ADDRESS }],
        to: [5, { action: 'call' }],
        gas: [5, { eq: -1 }, { is: '0x1' }, { eq: '0x1', gt: '0x0' }],
        data: [{ eq: '0x1' }],
      },
      value => [10, value],
    ],
  ]

  test.each(NESTED.map(one => [one[0], one[1], one] as const))(
    'when %s gets a member of a %s outside, then it is -32602 with a reason',
    async (_, _what, [method, , members, nest]) => {
      for (const [member, values] of Object.entries(members))
        for (const value of values) {
          const { error } = await node.rpc(method, ...nest({ [member]: value }))
          expect([member, value, error?.code, isExplained(error)]).toEqual([member, value, -32602, true])
        }
    },
  )
})
