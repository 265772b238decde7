import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type Outcome, replyText } from '../../../../handlers/rpc/dispatch/envelope.ts'
import { METHODS } from '../../../../handlers/rpc/methods/methodTable.ts'
import { createCallPool, type CallPool } from '../../../../runtime/threads/calls/callPool.ts'
import { DEPLOYER, RECEIVER, type Sample, startSampleChain } from '../../../handlers/support/sampleChain.ts'
import { ACCOUNTS } from '../../../handlers/support/testNode.ts'
import { seededRandom } from '../../../support/random.ts'
import { until } from '../../../support/until.ts'

setDefaultTimeout(120_000)

/** Answers compared while blocks come. */
const COMPARISONS = 400

type Request = readonly [method: string, ...params: readonly unknown[]]

let sample: Sample
let pool: CallPool
const failures: unknown[] = []

beforeAll(async () => {
  sample = await startSampleChain({ rpc: { apis: ['ETH', 'DEBUG', 'TRACE'] } })
  const { chain, context } = sample.node
  pool = createCallPool({
    chain,
    options: context.options,
    minGasPrice: () => context.options.minGasPrice,
    workers: 2,
    nowMs: () => Date.now(),
    reportError: (method, error) => failures.push(`${method}: ${String(error)}`),
    onWorkerFailure: cause => failures.push(cause),
  })
})

afterAll(async () => {
  await pool.close()
  await sample.node.close()
  expect(failures).toEqual([])
})

const textOf = (outcome: Outcome | undefined): string => replyText('1', outcome as Outcome)

const offloaded = async (method: string, params: readonly unknown[]): Promise<unknown> =>
  JSON.parse(textOf(await pool.run(method, { params, expired: () => false })))

const [from] = ACCOUNTS.map(({ address }) => address) as [string]

/** Something of every method that may be offloaded, in and around what the chain holds; errors are answers too. */
const requestsAt = (
  block: string,
  { token, failures: failing, hashes, ...sampled }: Sample,
): readonly Request[] => {
  const encode: Sample['encode'] = (...of) => sampled.encode(...of)
  const balance = { to: token, data: encode('token', 'balanceOf', [from]) }
  const fails = { from, to: failing, data: encode('failures', 'withReason') }
  const hash = hashes[Number(block) - 1]?.[0] ?? `0x${'12'.repeat(32)}`
  const rawBlock = '0xc0'
  return [
    ['eth_call', balance, block],
    ['eth_call', fails, block],
    ['eth_call', { ...balance, gas: 'x' }, block],
    ['eth_call', balance, block, { [token]: { stateDiff: {} } }],
    ['eth_estimateGas', balance, block],
    ['eth_estimateGas', fails, block],
    ['eth_createAccessList', balance, block],
    ['eth_simulateV1', { blockStateCalls: [{ calls: [balance, { ...fails, gas: '0x100000' }] }] }, block],
    ['eth_getProof', token, ['0x0', '0x1'], block],
    ['debug_traceTransaction', hash, {}],
    ['debug_traceCall', balance, block, { tracer: 'callTracer' }],
    ['debug_traceBlock', rawBlock],
    ['debug_traceBlockByNumber', block, { tracer: 'prestateTracer' }],
    ['debug_traceBlockByHash', hash, {}],
    ['debug_accountRange', block, 0, `0x${'00'.repeat(32)}`, 5],
    ['debug_storageRangeAt', block, 0, token, `0x${'00'.repeat(32)}`, 5],
    ['debug_accountAt', block, 0, from],
    ['trace_block', block],
    ['trace_transaction', hash],
    ['trace_get', hash, ['0x0']],
    ['trace_filter', { fromBlock: '0x1', toBlock: block }],
    ['trace_replayBlockTransactions', block, ['trace', 'stateDiff']],
    ['trace_replayTransaction', hash, ['trace', 'vmTrace']],
    ['trace_call', balance, ['trace'], block],
    ['trace_callMany', [[balance, ['trace']]], block],
    ['trace_rawTransaction', '0x00', ['trace']],
  ]
}

const onMain = ([method, ...params]: Request): Promise<unknown> => sample.node.rpc(method, ...params)

describe('given the answers of a call worker', () => {
  test('when methods can be offloaded, then this test compares each', () => {
    const asked = new Set(requestsAt('0x1', sample).map(([method]) => method))
    const left = METHODS.filter(row => row.offload !== undefined && !asked.has(row.name)).map(
      ({ name }) => name,
    )
    expect(left).toEqual([])
  })

  test('when blocks are read, then they equal the main thread’s', async () => {
    for (const block of ['0x0', '0x1', '0x3', '0x5', '0x6'])
      for (const request of requestsAt(block, sample)) {
        const [method, ...params] = request
        expect([request, await offloaded(method, params)]).toEqual([request, await onMain(request)])
      }
  })

  test('when blocks are committed and flushed meanwhile, then they equal at any block', async () => {
    const { node, token } = sample
    const encode: Sample['encode'] = (...of) => sample.encode(...of)
    const random = seededRandom(11)
    const pay = encode('token', 'totalSupply')
    const done = { comparisons: 0 }
    const transfer = async (amount: number): Promise<string> =>
      DEPLOYER.signTransaction({
        type: 'eip1559',
        chainId: 1337,
        nonce: Number(await node.call('eth_getTransactionCount', DEPLOYER.address, 'latest')),
        to: token,
        data: encode('token', 'transfer', [RECEIVER.address, amount]),
        gas: 100_000n,
        maxFeePerGas: 2_000_000_000n,
        maxPriorityFeePerGas: 1_000_000n,
      })
    const hammer = async (): Promise<void> => {
      while (done.comparisons < COMPARISONS) {
        const head = Number(node.chain.head().header.number)
        // The head half of the time: that is where most calls are made.
        const back = random.below(2) * random.below(head + 1)
        const block = `0x${(head - back).toString(16)}`
        const requests: readonly Request[] = [
          ['eth_call', { to: token, data: encode('token', 'balanceOf', [from]) }, block],
          ['eth_call', { to: token, data: pay }, block],
          ['eth_getProof', from, [], block],
          ['eth_getProof', token, ['0x0', '0x1', '0x2'], block],
          ['eth_simulateV1', { blockStateCalls: [{ calls: [{ to: token, data: pay }] }] }, block],
          ['eth_call', { data: '0x4360005260206000f3' }, block],
        ]
        for (const request of requests) {
          const [method, ...params] = request
          const [there, here] = await Promise.all([offloaded(method, params), onMain(request)])
          expect([request, there]).toEqual([request, here])
          done.comparisons++
        }
      }
    }
    const mine = async (): Promise<void> => {
      // No more blocks than comparisons: a machine with much else to do mines faster than it compares, and more than
      // TRIE_BLOCKS_MAX back the answer depends on which head a call found.
      for (let blocks = 0; done.comparisons < COMPARISONS; ) {
        await until(() => blocks <= done.comparisons)
        await node.call('eth_sendRawTransaction', await transfer(random.below(50)))
        await node.mine()
        blocks++
        if (random.below(3) === 0) await node.chain.store.flush()
      }
    }
    await Promise.all([mine(), hammer(), hammer(), hammer()])
    expect(done.comparisons).toBeGreaterThanOrEqual(COMPARISONS)
  })
})
