import { heapStats } from 'bun:jsc'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import * as fc from 'fast-check'
import { METHODS } from '../../../../handlers/rpc/methods/methodTable.ts'
import { createMinerSettings } from '../../../../runtime/node/minerSettings.ts'
import { DEPLOYER, RECEIVER, type Sample, startSampleChain } from '../../support/sampleChain.ts'
import { VALIDATOR } from '../../support/testNode.ts'
import { votesInMemory } from '../../support/votes.ts'
import { parametersOf } from './arbitraries.ts'
import { faultWhenAsked } from './asked.ts'
import { PAST } from './past.ts'

// Contracts are compiled first, and each method is asked many times.
setDefaultTimeout(120_000)

/** Requests for each method; FUZZ_RUNS asks for more. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 150)
/** A run that failed is found again with FUZZ_SEED. */
const SEED = process.env['FUZZ_SEED'] === undefined ? undefined : Number(process.env['FUZZ_SEED'])
/** What all of it together may leave behind. */
const GROWTH_BYTES_MAX = 64 * 1024 * 1024

let sample: Sample
const faults: string[] = []

const heapBytes = (): number => {
  Bun.gc(true)
  const { heapSize, extraMemorySize } = heapStats()
  return heapSize + extraMemorySize
}

beforeAll(async () => {
  const settings = createMinerSettings({
    genesisFile: undefined,
    minGasPrice: 0n,
    minPriorityFee: 0n,
    minerExtraData: undefined,
    targetGasLimit: undefined,
  })
  const yes = () => Promise.resolve(true)
  sample = await startSampleChain({
    rpc: {
      apis: [...new Set(METHODS.map(({ group }) => group))],
      // So that runs without an end have one soon.
      gasCap: 3_000_000n,
      simulateGasCap: 3_000_000n,
      timeoutMs: 10_000,
    },
    host: {
      votes: votesInMemory(),
      miner: { ...settings, start: yes, stop: yes },
      coinbase: VALIDATOR,
      setLogLevel: () => undefined,
      reportError: (method, error) =>
        faults.push(`${method}: ${String(error)}\n${(error as Error).stack ?? ''}`),
    },
  })
  const fees = { type: 'eip1559', chainId: 1337, gas: 21_000n, maxFeePerGas: 2_000_000_000n } as const
  for (const nonce of [0, 3]) {
    const raw = await RECEIVER.signTransaction({
      ...fees,
      maxPriorityFeePerGas: 1n,
      nonce,
      to: DEPLOYER.address,
    })
    await sample.node.call('eth_sendRawTransaction', raw)
  }
})
afterAll(() => sample.node.close())

const known = async () => {
  const { node, token, failures, hashes } = sample
  const block = (await node.call('eth_getBlockByNumber', '0x2', false)) as { hash: string }
  return {
    addresses: [token, failures, DEPLOYER.address, RECEIVER.address],
    hashes: [block.hash, ...hashes.flat()],
    transactions: [
      sample.encode('failures', 'withReason'),
      (await node.call('debug_getRawTransaction', hashes[1]?.[0])) as string,
      (await node.call('debug_getRawBlock', '0x2')) as string,
    ],
  }
}

describe('given any parameters', () => {
  let parameters: ReturnType<typeof parametersOf>
  let before = 0
  beforeAll(async () => {
    parameters = parametersOf(await known())
    before = heapBytes()
  })

  test.each([...METHODS])(
    'when $name gets them, then it answers with a result or an error of the table',
    async row => {
      faults.length = 0
      await fc.assert(
        fc.asyncProperty(parameters(row), async params => {
          const fault = await faultWhenAsked(sample.node, row.name, params)
          expect([fault, ...faults].filter(one => one !== undefined)).toEqual([])
        }),
        { numRuns: RUNS, ...(SEED === undefined ? {} : { seed: SEED }) },
      )
    },
  )

  test.each([...PAST])('when %s gets what once failed, then it answers', async (method, ...params) => {
    faults.length = 0
    expect(await faultWhenAsked(sample.node, method, params)).toBeUndefined()
    expect(faults).toEqual([])
  })

  test('when all were sent, then little memory remains in use', () => {
    expect(heapBytes() - before).toBeLessThan(GROWTH_BYTES_MAX)
  })
})
