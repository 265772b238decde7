import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { RPC_DEFAULTS } from '../../../handlers/rpc/context.ts'
import { FILTER_VALUES_MAX } from '../../../handlers/rpc/logs/filter.ts'
import { DEPLOYER, RECEIVER, type Sample, startSampleChain } from '../support/sampleChain.ts'
import type { RpcReply } from '../support/testNode.ts'

// Its contracts are compiled first.
setDefaultTimeout(120_000)

type Log = { readonly blockNumber: string; readonly logIndex: string; readonly address: string }

let sample: Sample
const rpc = (method: string, ...params: readonly unknown[]): Promise<RpcReply> =>
  sample.node.rpc(method, ...params)
const call = (method: string, ...params: readonly unknown[]): Promise<unknown> =>
  sample.node.call(method, ...params)

beforeAll(async () => {
  sample = await startSampleChain({ rpc: { logsRangeMax: 4n } })
})
afterAll(() => sample.node.close())

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const topicOf = (address: string): string => `0x${'00'.repeat(12)}${address.slice(2).toLowerCase()}`

/** `block.log` of each log found. */
const find = async (filter: object): Promise<string[]> =>
  ((await call('eth_getLogs', filter)) as Log[]).map(
    ({ blockNumber, logIndex }) => `${Number(blockNumber)}.${Number(logIndex)}`,
  )

const ALL = { fromBlock: '0x1', toBlock: 'latest' }

describe('given eth_getLogs', () => {
  test('when it names addresses and topics, then it finds the logs of a range', async () => {
    expect(await find(ALL)).toEqual(['1.0', '2.0', '2.1', '5.0'])
    expect(await find({ ...ALL, address: sample.token })).toEqual(['1.0', '2.0', '2.1'])
    expect(await find({ ...ALL, address: sample.failures.toUpperCase().replace('0X', '0x') })).toEqual([
      '5.0',
    ])
    expect(await find({ ...ALL, address: [sample.token, sample.failures] })).toEqual([
      '1.0',
      '2.0',
      '2.1',
      '5.0',
    ])
    expect(await find({ ...ALL, topics: [TRANSFER, topicOf(DEPLOYER.address)] })).toEqual(['2.0', '2.1'])
    expect(await find({ ...ALL, topics: [null, null, topicOf(RECEIVER.address)] })).toEqual(['2.0', '2.1'])
    expect(
      await find({
        ...ALL,
        topics: [
          [TRANSFER, `0x${'12'.repeat(32)}`],
          [topicOf(DEPLOYER.address), null],
        ],
      }),
    ).toEqual(['1.0', '2.0', '2.1'])
    expect(await find({ ...ALL, topics: [] })).toHaveLength(4)
    expect(await find({ ...ALL, topics: [TRANSFER, null, null, null] })).toEqual([])
    expect(await find({ ...ALL, topics: [null, null, null, null, null] })).toEqual([])
    expect(await find({ ...ALL, address: `0x${'99'.repeat(20)}` })).toEqual([])
  })

  test('when it names no range, then it searches the latest block', async () => {
    expect(await find({})).toEqual(['5.0'])
    expect(await find({ fromBlock: 'earliest', toBlock: '0x1' })).toEqual(['1.0'])
    expect(await find({ fromBlock: 2, toBlock: '2' })).toEqual(['2.0', '2.1'])
  })

  test('when it names a hash, then it searches that block', async () => {
    const { hash } = (await call('eth_getBlockByNumber', '0x2', false)) as { hash: string }
    expect(await find({ blockHash: hash })).toEqual(['2.0', '2.1'])
    expect(await find({ blockhash: hash, address: sample.failures })).toEqual([])
  })

  test('when it answers, then the members of a log are in Besu’s order', async () => {
    const [log] = (await call('eth_getLogs', { fromBlock: '0x2', toBlock: '0x2' })) as Log[]
    expect(Object.keys(log as Log)).toEqual([
      'logIndex',
      'removed',
      'blockNumber',
      'blockHash',
      'blockTimestamp',
      'transactionHash',
      'transactionIndex',
      'address',
      'data',
      'topics',
    ])
  })

  const REFUSED: readonly (readonly [when: string, filter: unknown, code: number, text: string])[] = [
    [
      'the range is longer than the limit',
      { fromBlock: '0x0', toBlock: '0x5' },
      -32005,
      'Requested range exceeds maximum RPC range limit',
    ],
    [
      'it begins behind its end',
      { fromBlock: '0x3', toBlock: '0x2' },
      -32602,
      'Invalid params (invalid block range params: fromBlock 3 is greater than toBlock 2)',
    ],
    [
      'it begins behind its end, which is a tag',
      { fromBlock: '0x3', toBlock: 'earliest' },
      -32602,
      'Invalid params (invalid block range params: fromBlock 3 is greater than toBlock 0)',
    ],
    [
      'it ends behind the head',
      { fromBlock: '0x3', toBlock: '0x6' },
      -32602,
      'Invalid params (block range extends beyond current head block: toBlock 6 is greater than 5)',
    ],
    [
      'it begins behind the head',
      { fromBlock: '0x6' },
      -32602,
      'Invalid params (block range extends beyond current head block: fromBlock 6 is greater than 5)',
    ],
    ['it begins below zero', { fromBlock: '-0x10' }, -32602, 'Invalid filter params'],
    ['it ends below zero', { toBlock: -1 }, -32602, 'Invalid filter params'],
    [
      'a block and a range are named',
      { blockHash: `0x${'12'.repeat(32)}`, toBlock: '0x1' },
      -32602,
      'Invalid filter params',
    ],
    ['the block is not there', { blockHash: `0x${'12'.repeat(32)}` }, -32000, 'Block not found'],
    ['the block hash is too short', { blockHash: '0x12' }, -32602, 'Invalid filter params'],
    ['a bound is no block', { fromBlock: 'first' }, -32602, 'Invalid filter params'],
    ['a topic is no hash', { topics: ['0x12'] }, -32602, 'Invalid filter params'],
    ['topics are no list', { topics: TRANSFER }, -32602, 'Invalid filter params'],
    ['an address is too long', { address: [`0x${'12'.repeat(21)}`] }, -32602, 'Invalid filter params'],
    ['an address is too short', { address: '0x12' }, -32602, 'Invalid filter params'],
    ['an address is empty', { address: '' }, -32602, 'Invalid filter params'],
    ['a member is misspelled', { adress: `0x${'12'.repeat(20)}` }, -32602, 'Invalid filter params'],
    [
      'there are more values than are compared',
      { address: Array(FILTER_VALUES_MAX + 1).fill(`0x${'12'.repeat(20)}`) },
      -32602,
      'Invalid filter params',
    ],
    ['there is no filter', undefined, -32602, 'Invalid filter params'],
    ['the filter is a list', [], -32602, 'Invalid filter params'],
  ]
  test.each(REFUSED)('when %s, then it is refused', async (_, filter, code, text) => {
    const { error } = await rpc('eth_getLogs', ...(filter === undefined ? [] : [filter]))
    expect(error).toMatchObject({ code, message: text })
    if (text === 'Invalid filter params') expect(error?.data).toMatch(/^filter\b/)
  })
})

describe('given filters', () => {
  const changes = async (id: unknown): Promise<unknown> => await call('eth_getFilterChanges', id)

  test('when they are created, then their ids are random quantities', async () => {
    const id = await call('eth_newBlockFilter')
    expect(id).toMatch(/^0x[1-9a-f][0-9a-f]{0,31}$/)
    expect(await call('eth_newBlockFilter')).not.toBe(id)
  })

  test('when a block filter is polled, then it gives the hashes since the last poll', async () => {
    const id = await call('eth_newBlockFilter')
    expect(await changes(id)).toEqual([])
    await sample.node.mine()
    await sample.node.mine()
    const found = (await changes(id)) as string[]
    const { hash } = (await call('eth_getBlockByNumber', 'latest', false)) as { hash: string }
    expect(found).toHaveLength(2)
    expect(found[1]).toBe(hash)
    expect(await changes(id)).toEqual([])
  })

  test('when a pending filter is polled, then it gives the transactions that entered the pool', async () => {
    const id = await call('eth_newPendingTransactionFilter')
    const nonce = Number(await call('eth_getTransactionCount', RECEIVER.address, 'latest'))
    const send = async (offset: number) =>
      await call(
        'eth_sendRawTransaction',
        await RECEIVER.signTransaction({
          type: 'legacy',
          chainId: 1337,
          nonce: nonce + offset,
          gas: 21_000n,
          gasPrice: 2_000_000_000n,
          to: DEPLOYER.address,
        }),
      )
    const first = await send(0)
    expect(await changes(id)).toEqual([first])
    const second = await send(1)
    expect(await changes(id)).toEqual([second])
    expect(await changes(id)).toEqual([])
    await sample.node.mine()
  })

  test('when a log filter is polled, then it gives the new logs, and all of them on request', async () => {
    const before = await call('eth_blockNumber')
    const id = await call('eth_newFilter', { fromBlock: before, toBlock: 'latest', address: sample.failures })
    const bounded = await call('eth_newFilter', { fromBlock: '0x0', toBlock: before })
    expect(await changes(id)).toEqual([])
    const nonce = Number(await call('eth_getTransactionCount', DEPLOYER.address, 'latest'))
    await call(
      'eth_sendRawTransaction',
      await DEPLOYER.signTransaction({
        type: 'legacy',
        chainId: 1337,
        nonce,
        gas: 100_000n,
        gasPrice: 2_000_000_000n,
        to: sample.failures,
        data: sample.encode('failures', 'count'),
      }),
    )
    await sample.node.mine()
    const found = (await changes(id)) as Log[]
    expect(found).toMatchObject([{ address: sample.failures, removed: false }])
    expect(await changes(id)).toEqual([])
    expect(await changes(bounded)).toEqual([])
    expect(await call('eth_getFilterLogs', id)).toEqual(found as never)
    // As long as eth_getLogs may be, and not a block longer.
    expect((await rpc('eth_getFilterLogs', bounded)).error).toMatchObject({
      code: -32005,
      message: 'Requested range exceeds maximum RPC range limit',
    })
    const short = await call('eth_newFilter', { fromBlock: '0x1', toBlock: '0x5' })
    expect(await call('eth_getFilterLogs', short)).toEqual(
      (await call('eth_getLogs', { fromBlock: '0x1', toBlock: '0x5' })) as never,
    )
  })

  test('when one is uninstalled, then it is gone, once', async () => {
    const id = await call('eth_newBlockFilter')
    expect(await call('eth_uninstallFilter', id)).toBe(true)
    expect(await call('eth_uninstallFilter', id)).toBe(false)
    expect((await rpc('eth_getFilterChanges', id)).error).toEqual({
      code: -32000,
      message: 'Filter not found',
    })
  })

  test('when an id begins with zeros, then the filter is found', async () => {
    const id = (await call('eth_newBlockFilter')) as string
    expect(await call('eth_uninstallFilter', `0x00${id.slice(2)}`)).toBe(true)
  })

  test('when the range is partly in the future, then it has the existing logs', async () => {
    const logsOf = async (filter: object) =>
      await call('eth_getFilterLogs', await call('eth_newFilter', filter))
    const fromBlock = `0x${(Number(await call('eth_blockNumber')) - 2).toString(16)}`
    const whole = (await logsOf({ fromBlock, toBlock: 'latest' })) as Log[]
    expect(whole.length).toBeGreaterThan(0)
    expect(await logsOf({ fromBlock, toBlock: '0xffff' })).toEqual(whole)
    expect(await logsOf({ fromBlock: '0xfff0', toBlock: '0xffff' })).toEqual([])
    const unknown = await call('eth_newFilter', { blockHash: `0x${'12'.repeat(32)}` })
    expect((await rpc('eth_getFilterLogs', unknown)).error?.message).toBe('Block not found')
  })

  test('when one is not a log filter, then it has no logs', async () => {
    const id = await call('eth_newBlockFilter')
    for (const one of [id, '0x1234'])
      expect((await rpc('eth_getFilterLogs', one)).error).toEqual({
        code: -32000,
        message: 'Logs filter not found',
      })
  })

  test('when one is unused for ten minutes, then it is gone', async () => {
    const kept = await call('eth_newBlockFilter')
    const id = await call('eth_newBlockFilter')
    const another = await call('eth_newBlockFilter')
    sample.node.nowMs += RPC_DEFAULTS.filterTimeoutMs
    await changes(kept)
    sample.node.nowMs += 1
    expect(await call('eth_uninstallFilter', another)).toBe(false)
    expect((await rpc('eth_getFilterChanges', id)).error?.message).toBe('Filter not found')
    expect((await rpc('eth_getFilterChanges', kept)).error).toBeUndefined()
  })

  test('when there are too many, then a further one is refused until others expire', () => {
    const { filters } = sample.node.context
    const first = filters.newBlockFilter()
    expect(() => {
      for (let count = 1; count <= RPC_DEFAULTS.activeFiltersMax; count++) filters.newBlockFilter()
    }).toThrow('Too many filters on this node (--rpc-max-active-filters)')
    expect(filters.uninstall(first)).toBe(true)
    sample.node.nowMs += RPC_DEFAULTS.filterTimeoutMs + 1
    expect(filters.uninstall(filters.newBlockFilter())).toBe(true)
  })

  test('when the filter cannot be read, then it is refused', async () => {
    expect((await rpc('eth_newFilter', { topics: ['0x1'] })).error).toMatchObject({
      code: -32602,
      message: 'Invalid filter params',
    })
    expect((await rpc('eth_newFilter', { fromBlock: '0x3', toBlock: '0x2' })).error).toMatchObject({
      code: -32602,
    })
    expect((await rpc('eth_getFilterChanges')).error?.code).toBe(-32602)
  })
})
