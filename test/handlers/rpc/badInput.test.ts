import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { METHODS } from '../../../handlers/rpc/methods/methodTable.ts'
import { startTestNode, type TestNode } from '../support/testNode.ts'

const ADDRESS = `0x${'12'.repeat(20)}`
const HASH = `0x${'12'.repeat(32)}`

type Row = readonly [method: string, params: readonly unknown[], code: number, text: string]

const NUMBER_ERROR = 'Invalid block number params'
const BLOCK_ERROR = 'Invalid block param (block not found)'
const BAD_NUMBERS: readonly unknown[] = [
  undefined,
  null,
  '',
  'first',
  '0x',
  '0xg',
  {},
  [],
  true,
  1.5,
  '0x8000000000000000',
  '1e3',
  '-0x1',
  '-0x10',
  -1,
]

/** Whatever is wrong with an address. */
const BAD_ADDRESSES: readonly unknown[] = [undefined, null, 5, {}, '', '0x', '0xzz', `0x${'12'.repeat(21)}`]

const each = (
  method: string,
  values: readonly unknown[],
  params: (value: unknown) => readonly unknown[],
  code: number,
  text: string,
): Row[] => values.map(value => [method, params(value), code, text])

const NUMBER_METHODS = [
  'eth_getBlockByNumber',
  'eth_getBlockTransactionCountByNumber',
  'eth_getUncleCountByBlockNumber',
  'eth_getUncleByBlockNumberAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
]
const HASH_METHODS = [
  'eth_getBlockByHash',
  'eth_getBlockTransactionCountByHash',
  'eth_getUncleCountByBlockHash',
  'eth_getUncleByBlockHashAndIndex',
  'qbft_getValidatorsByBlockHash',
]
const BAD_HASHES: readonly unknown[] = [
  undefined,
  null,
  5,
  {},
  HASH.slice(2),
  '0x12',
  `${HASH}34`,
  `0x${'zz'.repeat(32)}`,
]

const STATE_METHODS: readonly (readonly [method: string, between: readonly unknown[]])[] = [
  ['eth_getBalance', []],
  ['eth_getCode', []],
  ['eth_getTransactionCount', []],
  ['eth_getStorageAt', ['0x0']],
  ['eth_getProof', [[]]],
]

const ROWS: readonly Row[] = [
  ...NUMBER_METHODS.flatMap(method =>
    each(
      method,
      BAD_NUMBERS,
      value => [value, method.endsWith('Index') ? '0x0' : false],
      -32602,
      NUMBER_ERROR,
    ),
  ),
  ...each('qbft_getValidatorsByBlockNumber', BAD_NUMBERS, value => [value], -32602, BLOCK_ERROR),
  ...HASH_METHODS.flatMap(method =>
    each(
      method,
      BAD_HASHES,
      value => [value, method.endsWith('Index') ? '0x0' : false],
      -32602,
      'Invalid block hash params',
    ),
  ),
  ...each(
    'eth_getTransactionByBlockHashAndIndex',
    BAD_HASHES,
    value => [value, '0x0'],
    -32602,
    'Invalid transaction hash params',
  ),
  ...each(
    'eth_getTransactionReceipt',
    BAD_HASHES,
    value => [value],
    -32602,
    'Invalid transaction hash params',
  ),
  ...each(
    'eth_getTransactionByHash',
    BAD_HASHES.slice(2),
    value => [value],
    -32602,
    'Invalid transaction hash params',
  ),
  ['eth_getTransactionByHash', [], -32602, 'Invalid number of params'],
  ['eth_getTransactionByHash', [null], -32602, 'Invalid number of params'],
  ['eth_getTransactionByHash', [HASH, HASH], -32602, 'Invalid number of params'],
  ...each(
    'eth_getBlockByNumber',
    [undefined, null, 'yes', 2, 'TRUE'],
    value => ['latest', value],
    -32602,
    'Invalid return complete transaction params',
  ),
  ...each(
    'eth_getBlockByHash',
    [undefined, ''],
    value => [HASH, value],
    -32602,
    'Invalid return complete transaction params',
  ),
  ...['eth_getTransactionByBlockNumberAndIndex', 'eth_getTransactionByBlockHashAndIndex'].flatMap(method =>
    each(
      method,
      [undefined, '0xz', -1, {}, '0x80000000'],
      value => [method.includes('Hash') ? HASH : 'latest', value],
      -32602,
      'Invalid transaction index params',
    ),
  ),
  ...each(
    'eth_getUncleByBlockNumberAndIndex',
    [undefined, '0xz'],
    value => ['latest', value],
    -32602,
    'Invalid block index params',
  ),
  ...STATE_METHODS.flatMap(([method, between]) => [
    ...each(method, BAD_ADDRESSES, value => [value, ...between, 'latest'], -32602, 'Invalid address params'),
    ...each(method, BAD_ADDRESSES, value => [value, ...between], -32602, 'Invalid address params'),
    ...each(
      method,
      [
        'first',
        HASH.slice(0, -2),
        `${HASH}34`,
        ADDRESS,
        {},
        { blockHash: '0x12' },
        { blockNumber: 'x' },
        { blockHash: HASH, blockNumber: '0x0' },
        { blockHash: HASH, requireCanonical: 'yes' },
        true,
        '-0x1',
        '-0x10',
        -1,
        2 ** 64,
      ],
      value => [ADDRESS, ...between, value],
      -32602,
      BLOCK_ERROR,
    ),
  ]),
  ...each(
    'eth_getStorageAt',
    [undefined, 0, '0xasdf', '', {}, `0x1${'00'.repeat(32)}`],
    value => [ADDRESS, value, 'latest'],
    -32602,
    'Invalid position params',
  ),
  ...each(
    'eth_getProof',
    [undefined, '0x0', [5], ['0xz'], [null], {}],
    value => [ADDRESS, value, 'latest'],
    -32602,
    'Invalid storage keys params',
  ),
  ...each(
    'eth_getBlockReceipts',
    [undefined, 'first', HASH.slice(0, -2)],
    value => [value],
    -32602,
    BLOCK_ERROR,
  ),
  ...each(
    'eth_feeHistory',
    [undefined, 0, '0x0', 1025, '0x401', 'x', -1, {}],
    value => [value, 'latest'],
    -32602,
    'Invalid block count params',
  ),
  ...each('eth_feeHistory', [undefined, 'first', '0x99'], value => ['0x1', value], -32602, NUMBER_ERROR),
  ...each(
    'eth_feeHistory',
    [
      'x',
      {},
      [{}],
      ['x'],
      [''],
      [null],
      [-1],
      [101],
      [50, 20],
      [20, 20],
      Array.from({ length: 101 }, (_, i) => i / 2),
    ],
    value => ['0x1', 'latest', value],
    -32602,
    'Invalid reward percentiles params',
  ),
  ...['eth_call', 'eth_estimateGas', 'eth_createAccessList'].flatMap(
    method =>
      [
        ...each(
          method,
          [
            'x',
            [],
            { from: 5 },
            { to: `0x${'12'.repeat(21)}` },
            { gas: 'x' },
            { gas: '0x10000000000000000' },
            { value: -1 },
            { data: '0x1' },
            { data: '12' },
            { data: '0x01', input: '0x02' },
            { accessList: {} },
            { accessList: [{ address: ADDRESS, storageKeys: ['0x1'] }] },
            { accessList: [null] },
            { blobVersionedHashes: ['0x0'] },
            { authorizationList: [{}] },
            { nonce: {} },
            { strict: 'yes' },
          ],
          value => [value, 'latest'],
          -32602,
          'Invalid call params',
        ),
        [
          method,
          [{ blobVersionedHashes: [] }, 'latest'],
          -32602,
          'Invalid blob count (blob transactions must have at least one blob)',
        ],
        [method, [{}, 'first'], -32602, BLOCK_ERROR],
      ] satisfies Row[],
  ),
  ['eth_call', [], -32602, BLOCK_ERROR],
  ['eth_call', ['0x8'], -32602, BLOCK_ERROR],
  ['eth_estimateGas', [], -32602, 'Invalid call params'],
  ['eth_estimateGas', [{}, '0x99'], -32000, 'Block not found'],
  ['web3_sha3', [], -32602, 'Invalid number of params'],
  ['web3_sha3', ['0x1', '0x2'], -32602, 'Invalid number of params'],
  ...each('web3_sha3', ['68656c', '0x1', '0xzz', 5], value => [value], -32602, 'Invalid data params'),
  ...each('txpool_contentFrom', BAD_ADDRESSES, value => [value], -32602, 'Invalid address params'),
  ...['debug_getRawHeader', 'debug_getRawBlock'].flatMap(
    method =>
      [
        [method, ['2'], -32602, 'Invalid params'],
        [method, ['0x99'], -32000, 'Block not found'],
        [method, [], -32602, NUMBER_ERROR],
      ] satisfies Row[],
  ),
  ['debug_getRawReceipts', [], -32602, BLOCK_ERROR],
  ['debug_getRawTransaction', [HASH.slice(2)], -32602, 'Invalid params'],
  ...each(
    'txpool_besuPendingTransactions',
    [-1, 1.5, '1'],
    value => [value],
    -32602,
    'Invalid transaction limit params',
  ),
  ...['eth_getFilterChanges', 'eth_getFilterLogs', 'eth_uninstallFilter'].flatMap(method =>
    each(method, [undefined, null, 5, {}], value => [value], -32602, 'Invalid filter params'),
  ),
  ['debug_getRawTransaction', ['0x12'], -32602, 'Invalid transaction hash params'],
]

describe('given bad input', () => {
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode()
  })
  afterAll(() => node.close())

  test.each(ROWS.map(row => [`${row[0]} ${JSON.stringify(row[1]).slice(0, 90)}`, row] as const))(
    'when it is %s, then it has its code and text',
    async (_, [method, params, code, text]) => {
      const { error } = await node.rpc(method, ...params)
      expect(error).toMatchObject({ code, message: text })
      // Where the text does not say it, the reason stands beside it.
      if (/^Invalid .*params?/.test(text)) expect(error?.data).toBeString()
      else expect(error?.data).toBeUndefined()
    },
  )

  test('when addresses are short, blocks decimal or octal, or numbers JSON numbers, then they are accepted', async () => {
    expect(await node.call('eth_getBalance', '0x1', 'latest')).toBe('0x0')
    expect(await node.call('eth_getBalance', ADDRESS.slice(2), 'latest')).toBe('0x0')
    for (const block of ['0', '00', '0x0', '#0', 0, '+0', 'EARLIEST'])
      expect(await node.call('eth_getBlockByNumber', block, false)).toMatchObject({ number: '0x0' })
  })

  test('when any method gets it, then none fails with an internal error', async () => {
    const values: readonly unknown[] = [
      undefined,
      null,
      '',
      '0x',
      'latest',
      ADDRESS,
      HASH,
      0,
      -1,
      1.5,
      1e30,
      true,
      [],
      [[]],
      {},
      { a: {} },
      ['0x1'],
    ]
    for (const { name } of METHODS)
      for (const first of values)
        for (const second of values) {
          const { error } = await node.rpc(name, first, second)
          if (error?.code === -32603)
            throw new Error(`${name} ${JSON.stringify([first, second])}: ${error.message}`)
        }
  })
})
