import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Method } from '../../../../handlers/rpc/method.ts'
import { METHODS } from '../../../../handlers/rpc/methods/methodTable.ts'
import { DEPLOYER, type Sample, startSampleChain } from '../../support/sampleChain.ts'

const WHO = DEPLOYER.address
const SLOT = `0x${'00'.repeat(32)}`

const totalSupply = (sample: Sample): object => ({
  to: sample.token,
  data: sample.encode('token', 'totalSupply'),
})

/** Parameters of each method that takes a block, with the block as it is named. */
const CALLS: Readonly<Record<string, (block: string, sample: Sample) => readonly unknown[]>> = {
  eth_getBlockByNumber: block => [block, true],
  eth_getBlockReceipts: block => [block],
  eth_getBlockTransactionCountByNumber: block => [block],
  eth_getUncleCountByBlockNumber: block => [block],
  eth_getUncleByBlockNumberAndIndex: block => [block, '0x0'],
  eth_getTransactionByBlockNumberAndIndex: block => [block, '0x0'],
  eth_getRawTransactionByBlockNumberAndIndex: block => [block, '0x0'],
  eth_getBalance: block => [WHO, block],
  eth_getTransactionCount: block => [WHO, block],
  eth_getCode: (block, { token }) => [token, block],
  eth_getStorageAt: (block, { token }) => [token, '0x0', block],
  eth_getStorageValues: (block, { token }) => [{ [token]: [SLOT] }, block],
  eth_getProof: (block, { token }) => [token, [SLOT], block],
  eth_call: (block, sample) => [totalSupply(sample), block],
  eth_estimateGas: block => [{ from: WHO, to: WHO }, block],
  eth_createAccessList: (block, sample) => [totalSupply(sample), block],
  eth_simulateV1: block => [{ blockStateCalls: [{ calls: [{ from: WHO, to: WHO }] }] }, block],
  eth_feeHistory: block => ['0x5', block, [50]],
  eth_getLogs: block => [{ fromBlock: 'earliest', toBlock: block }],
  qbft_getValidatorsByBlockNumber: block => [block],
  qbft_getSignerMetrics: block => ['0x1', block],
  debug_getRawHeader: block => [block],
  debug_getRawBlock: block => [block],
  debug_getRawReceipts: block => [block],
  debug_traceBlockByNumber: block => [block],
  debug_traceCall: (block, { token }) => [{ to: token }, block],
  debug_accountRange: block => [block, '0x0', SLOT, '0x10'],
  debug_accountAt: block => [block, 0, WHO],
  debug_storageRangeAt: (block, { token }) => [block, 0, token, SLOT, 5],
  trace_block: block => [block],
  trace_replayBlockTransactions: block => [block, ['trace', 'stateDiff']],
  trace_call: (block, { token }) => [{ to: token }, ['trace'], block],
  trace_callMany: (block, { token }) => [[[{ to: token }, ['trace']]], block],
  trace_filter: block => [{ fromBlock: '0x1', toBlock: block }],
}

/** The first takes the bytes of a block; the second refuses every block. Methods of IBFT 2.0 need a chain with its history, those of DEV a development chain. */
const EXCEPTIONS: readonly string[] = ['debug_traceBlock', 'eth_getBlockAccessList']
const takesBlock = ({ name }: Method['params'][number]): boolean => /block$/i.test(name)

describe('given a QBFT chain, whose blocks are final', () => {
  let sample: Sample
  beforeAll(async () => {
    sample = await startSampleChain()
  })
  afterAll(() => sample.node.close())

  test('when methods take a block, then this table has them all', () => {
    const others = METHODS.filter(
      ({ name, group, params }) =>
        params.some(takesBlock) &&
        !['IBFT', 'DEV'].includes(group) &&
        !EXCEPTIONS.includes(name) &&
        !(name in CALLS),
    )
    expect(others.map(({ name }) => name)).toEqual([])
  })

  test.each(Object.keys(CALLS))('when %s gets `safe` or `finalized`, then it means the head', async name => {
    const paramsOf = CALLS[name] as (typeof CALLS)[string]
    const expected = await sample.node.call(name, ...paramsOf('latest', sample))
    expect(expected).toBeDefined()
    for (const tag of ['safe', 'finalized', 'SAFE'])
      expect(await sample.node.call(name, ...paramsOf(tag, sample))).toEqual(expected)
  })

  test('when a log filter ends at one of them, then it has the logs up to the head, and polls later ones', async () => {
    const { node } = sample
    const range = { fromBlock: '0x1', toBlock: 'finalized' }
    const id = await node.call('eth_newFilter', range)
    expect(await node.call('eth_getFilterLogs', id)).toEqual(await node.call('eth_getLogs', range))
    expect(await node.call('eth_getFilterLogs', id)).not.toEqual([])
    expect(await node.call('eth_getFilterChanges', id)).toEqual([])
  })
})
