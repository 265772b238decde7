import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import { graphqlOf } from '../graphql/support/graphqlNode.ts'
import { DEPLOYER, RECEIVER, type Sample, startSampleChain } from '../support/sampleChain.ts'
import { VALIDATOR } from '../support/testNode.ts'

// Its contracts are compiled first.
setDefaultTimeout(120_000)

/** The head of the chain; the transactions are in blocks 1 to 5 and in the head. */
const HEAD = 30
/** The first block that is kept. */
const START = 15
const GONE = '0x3'
const KEPT = toQuantity(START)

let sample: Sample

beforeAll(async () => {
  sample = await startSampleChain({ store: { flushBlocks: 1, history: { blocks: 16, stepBlocks: 1 } } })
  const { node } = sample
  while (node.chain.head().header.number < HEAD) await node.mineEmpty()
  await node.chain.store.flush()
  expect(node.chain.store.historyStart?.()).toBe(BigInt(START))
})
afterAll(() => sample.node.close())

const errorOf = async (method: string, ...params: readonly unknown[]) =>
  (await sample.node.rpc(method, ...params)).error
const call = (method: string, ...params: readonly unknown[]) => sample.node.call(method, ...params)

const PRUNED = {
  code: 4444,
  message: 'Pruned history unavailable',
  data: expect.stringContaining(`keeps its history from block ${START} on`) as string,
}
const NO_STATE = {
  code: -32000,
  message: 'World state unavailable',
  data: expect.stringContaining(`keeps its history from block ${START} on`) as string,
}

describe('given a node that has removed the content of old blocks', () => {
  test.each([
    ['eth_getBlockByNumber', GONE, false],
    ['eth_getBlockByNumber', GONE, true],
    ['eth_getBlockReceipts', GONE],
    ['eth_getBlockTransactionCountByNumber', GONE],
    ['eth_getUncleCountByBlockNumber', GONE],
    ['eth_getTransactionByBlockNumberAndIndex', GONE, '0x0'],
    ['eth_getRawTransactionByBlockNumberAndIndex', GONE, '0x0'],
    ['eth_getLogs', { fromBlock: GONE, toBlock: 'latest' }],
    ['eth_getLogs', { fromBlock: '0x0', toBlock: GONE }],
    ['eth_getLogs', { fromBlock: toQuantity(START - 1), toBlock: toQuantity(START - 1) }],
    ['eth_feeHistory', '0x14', 'latest', [50]],
    ['debug_getRawBlock', GONE],
    ['debug_getRawReceipts', GONE],
    ['debug_traceBlockByNumber', GONE],
    ['trace_block', GONE],
    ['trace_filter', { fromBlock: GONE, toBlock: 'latest' }],
    ['trace_replayBlockTransactions', GONE, ['trace']],
  ])('when %s reads one, then it is the error of EIP-4444', async (method, ...params) => {
    expect(await errorOf(method, ...params)).toEqual(PRUNED)
  })

  test('when one is read by its hash, then it is that error, too', async () => {
    const header = await sample.node.chain.store.chainHead(3n)
    const hash = toHex(header?.hash as Uint8Array)
    expect(await errorOf('eth_getBlockByHash', hash, false)).toEqual(PRUNED)
    expect(await errorOf('eth_getLogs', { blockHash: hash })).toEqual(PRUNED)
  })

  test.each([
    ['eth_getBalance', DEPLOYER.address, GONE],
    ['eth_getTransactionCount', DEPLOYER.address, GONE],
    ['eth_getCode', DEPLOYER.address, GONE],
    ['eth_getStorageAt', DEPLOYER.address, '0x0', GONE],
    ['eth_call', { to: RECEIVER.address }, GONE],
    ['eth_estimateGas', { to: RECEIVER.address }, GONE],
    ['eth_createAccessList', { to: RECEIVER.address }, GONE],
    ['eth_getProof', DEPLOYER.address, [], GONE],
    ['debug_traceCall', { to: RECEIVER.address }, GONE, {}],
    ['eth_simulateV1', { blockStateCalls: [{}] }, GONE],
  ])('when %s reads the state after one, then it is Besu’s error', async (method, ...params) => {
    expect(await errorOf(method, ...params)).toMatchObject({ code: NO_STATE.code, message: NO_STATE.message })
  })

  test('when a transaction of one is read by its hash, then it is unknown', async () => {
    const hash = sample.hashes[0]?.[0]
    expect(await call('eth_getTransactionByHash', hash)).toBeNull()
    expect(await call('eth_getTransactionReceipt', hash)).toBeNull()
    expect(await call('eth_getRawTransactionByHash', hash)).toBeNull()
    expect(await errorOf('debug_traceTransaction', hash)).toMatchObject({ message: 'Transaction not found' })
    // An empty list would say that it called nothing.
    expect(await errorOf('trace_transaction', hash)).toEqual(PRUNED)
  })

  test('when earliest is named, then it is the first block that is kept', async () => {
    expect(await call('eth_getBlockByNumber', 'earliest', false)).toMatchObject({ number: KEPT })
    expect(await call('eth_getBalance', RECEIVER.address, 'earliest')).toBe(
      await call('eth_getBalance', RECEIVER.address, 'latest'),
    )
    expect(await call('eth_getLogs', { fromBlock: 'earliest', toBlock: 'latest' })).toEqual([])
  })

  test('when headers suffice, then old blocks are answered', async () => {
    expect(await call('debug_getRawHeader', GONE)).toMatch(/^0xf9/)
    expect(await call('qbft_getValidatorsByBlockNumber', GONE)).toEqual([toHex(VALIDATOR)])
    expect(await call('qbft_getSignerMetrics', '0x1', 'latest')).toHaveLength(1)
    expect(await call('eth_feeHistory', '0x14', 'latest', [])).toMatchObject({ oldestBlock: '0xb' })
    expect(await call('eth_getBlockByNumber', '0x0', false)).toMatchObject({ number: '0x0' })
  })

  test('when a kept block is read, then everything of it is answered', async () => {
    expect(await call('eth_getBlockByNumber', KEPT, true)).toMatchObject({ number: KEPT })
    expect(await call('debug_traceBlockByNumber', KEPT)).toEqual([])
    expect(await call('eth_getProof', DEPLOYER.address, [], KEPT)).toMatchObject({
      address: DEPLOYER.address.toLowerCase(),
    })
    expect(await call('eth_getLogs', { fromBlock: KEPT, toBlock: 'latest' })).toEqual([])
    expect(await call('eth_feeHistory', '0x8', 'latest', [50])).toMatchObject({ reward: { length: 8 } })
  })

  test('when a filter begins at one, then its logs are that error', async () => {
    const id = await call('eth_newFilter', { fromBlock: GONE })
    expect(await errorOf('eth_getFilterLogs', id)).toEqual(PRUNED)
    expect(await call('eth_getFilterChanges', id)).toEqual([])
  })

  test('when GraphQL reads them, then the fields have the same errors', async () => {
    const graphql = graphqlOf(sample.node)
    const { errors } = await graphql.ask(`{ block(number: 3) { transactions { hash } } }`)
    expect(errors?.[0]?.extensions).toMatchObject({ errorCode: 4444 })
    const state = await graphql.ask(
      `{ block(number: 3) { account(address: "${DEPLOYER.address}") { balance } } }`,
    )
    expect(state.errors?.[0]?.extensions?.['errorCode']).toBeOneOf([4444, -32000])
    const logs = await graphql.ask(`{ logs(filter: { fromBlock: 3 }) { index } }`)
    expect(logs.errors?.[0]?.extensions).toMatchObject({ errorCode: 4444 })
  })
})
