import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { fromHex, toHex } from '../../../../core/bytes/hex.ts'
import { keccak256 } from '../../../../core/crypto/crypto.ts'
import { DELEGATOR, DEPLOYER, RECEIVER, type Sample, startSampleChain } from '../../support/sampleChain.ts'

// Its contracts are compiled first.
setDefaultTimeout(120_000)

type Json = Readonly<Record<string, unknown>>

let sample: Sample
const call = (method: string, ...params: readonly unknown[]): Promise<unknown> =>
  sample.node.call(method, ...params)
const object = async (method: string, ...params: readonly unknown[]): Promise<Json> =>
  (await call(method, ...params)) as Json

beforeAll(async () => {
  sample = await startSampleChain()
})
afterAll(() => sample.node.close())

describe('given the state', () => {
  const slotZero = `0x${'00'.repeat(31)}07`

  test('when a block is named, then it is read there', async () => {
    const balance = (block?: unknown) => call('eth_getBalance', RECEIVER.address, block)
    expect(await balance('0x3')).toBe('0x21e19e0c9bab2400000')
    expect(await balance('0x4')).toBe('0x21e19e0c9bab2400005')
    expect(await balance('latest')).toBe('0x21e19e0c9bab2400005')
    expect(await balance()).toBe('0x21e19e0c9bab2400005')
    const { hash } = await object('eth_getBlockByNumber', '0x3', false)
    expect(await balance(hash)).toBe('0x21e19e0c9bab2400000')
    expect(await balance({ blockHash: hash, requireCanonical: true })).toBe('0x21e19e0c9bab2400000')
    expect(await balance({ blockNumber: '0x3' })).toBe('0x21e19e0c9bab2400000')
    expect(await call('eth_getBalance', `0x${'99'.repeat(20)}`, 'latest')).toBe('0x0')
  })

  test('when accounts are read, then nonces, code and storage are right', async () => {
    expect(await call('eth_getTransactionCount', DEPLOYER.address, 'latest')).toBe('0x6')
    expect(await call('eth_getTransactionCount', DEPLOYER.address, '0x1')).toBe('0x1')
    expect(await call('eth_getTransactionCount', DEPLOYER.address, 'pending')).toBe('0x6')
    expect(await call('eth_getCode', sample.token, 'latest')).toStartWith('0x6080')
    expect(await call('eth_getCode', sample.token, 'earliest')).toBe('0x')
    expect(await call('eth_getCode', DELEGATOR.address, 'latest')).toBe(`0xef0100${sample.failures.slice(2)}`)
    expect(await call('eth_getStorageAt', sample.failures, '0x0', '0x4')).toBe(slotZero)
    expect(await call('eth_getStorageAt', sample.failures, `0x${'00'.repeat(32)}`)).toBe(
      `${slotZero.slice(0, -1)}8`,
    )
    expect(await call('eth_getStorageAt', RECEIVER.address, '0x0', 'latest')).toBe(`0x${'00'.repeat(32)}`)
  })

  test('when the block does not exist, then it is null', async () => {
    expect(await call('eth_getBalance', RECEIVER.address, '0x99')).toBeNull()
    expect(await call('eth_getBalance', RECEIVER.address, `0x${'12'.repeat(32)}`)).toBeNull()
    expect(await call('eth_getProof', RECEIVER.address, [], '0x99')).toBeNull()
  })
})

describe('given proofs', () => {
  /** Follows a proof from the root: each node must hash to what the one before refers to. */
  const isChained = (root: unknown, proof: readonly string[]): boolean => {
    let expected = (root as string).slice(2)
    for (const node of proof) {
      const hash = toHex(keccak256(fromHex(node))).slice(2)
      if (!expected.includes(hash)) return false
      expected = node
    }
    return true
  }

  test('when they are read at the head or before, then they match the state root of the block', async () => {
    for (const block of ['0x3', '0x4', 'latest']) {
      const { stateRoot } = await object('eth_getBlockByNumber', block, false)
      const proof = await object('eth_getProof', sample.failures, ['0x0', '0x347'], block)
      expect(Object.keys(proof)).toEqual([
        'accountProof',
        'address',
        'balance',
        'codeHash',
        'nonce',
        'storageHash',
        'storageProof',
      ])
      expect(isChained(stateRoot, proof['accountProof'] as string[])).toBe(true)
      const [counter, nothing] = proof['storageProof'] as (Json & { proof: string[] })[]
      expect(counter).toMatchObject({ key: '0x0', value: block === 'latest' ? '0x8' : '0x7' })
      expect(nothing).toMatchObject({ key: '0x0347', value: '0x0' })
      expect(counter?.proof.length).toBeGreaterThan(0)
      expect(isChained(proof['storageHash'], counter?.proof ?? [])).toBe(true)
    }
  })

  test('when a slot has no digits, then it is slot 0, as for the slots themselves', async () => {
    const shown = async (key: string) =>
      (await object('eth_getProof', sample.failures, [key], 'latest'))['storageProof']
    expect(await shown('0x')).toEqual(await shown('0x0'))
    const values = { [sample.failures]: [`0x${'8'.padStart(64, '0')}`] }
    expect(await object('eth_getStorageValues', { [sample.failures]: ['0x'] })).toEqual(values)
    expect(await call('eth_getStorageAt', sample.failures, '0x', 'latest')).toBe(`0x${'8'.padStart(64, '0')}`)
  })

  test('when the account does not exist, then they show an empty one, with an entry for each slot', async () => {
    expect(await object('eth_getProof', `0x${'99'.repeat(20)}`, ['0x0', '0x347'], 'latest')).toMatchObject({
      balance: '0x0',
      nonce: '0x0',
      storageProof: [
        { key: '0x0', value: '0x0', proof: [] },
        { key: '0x0347', value: '0x0', proof: [] },
      ],
    })
  })
})

describe('given fee methods', () => {
  test('when history names blocks, then it covers them and the next', async () => {
    const history = await object('eth_feeHistory', '0x2', 'latest', [0, 50, 100])
    expect(Object.keys(history)).toEqual([
      'oldestBlock',
      'baseFeePerGas',
      'baseFeePerBlobGas',
      'gasUsedRatio',
      'blobGasUsedRatio',
      'reward',
    ])
    expect(history['oldestBlock']).toBe('0x4')
    expect(history['baseFeePerGas']).toBeArrayOfSize(3)
    expect(history['reward']).toEqual([
      ['0xf4240', '0xf4240', '0xf4240'],
      ['0xf4240', '0xf4240', '0xf4240'],
    ])
    const { baseFeePerGas } = await object('eth_getBlockByNumber', '0x5', false)
    expect((history['baseFeePerGas'] as string[])[1]).toBe(baseFeePerGas as string)
  })

  test('when history names no percentiles, then it has no rewards, ends at the named block and begins with the chain', async () => {
    const history = await object('eth_feeHistory', 1024, '0x2')
    expect(history['oldestBlock']).toBe('0x0')
    expect(history['gasUsedRatio']).toBeArrayOfSize(3)
    expect(history).not.toHaveProperty('reward')
    const { baseFeePerGas } = await object('eth_getBlockByNumber', '0x3', false)
    expect((history['baseFeePerGas'] as string[])[3]).toBe(baseFeePerGas as string)
    expect(await object('eth_feeHistory', 1, '0x3', [50])).toMatchObject({ reward: [['0xf4240']] })
  })

  test('when history has an empty list of percentiles, then each block has an empty list of rewards', async () => {
    expect(await object('eth_feeHistory', 2, 'latest', [])).toMatchObject({ reward: [[], []] })
  })

  test('when blocks have room, then suggestions follow the base fee, and the median of the tips', async () => {
    const { baseFeePerGas } = await object('eth_feeHistory', 1, 'latest')
    // It falls: what is enough for the head is enough for the next block.
    expect(await call('eth_gasPrice')).toBe((baseFeePerGas as string[])[0] as string)
    expect(await call('eth_maxPriorityFeePerGas')).toBe('0xf4240')
  })
})

describe('given newer methods of the execution-apis', () => {
  test('when they are called, then they give the next base fee, slots of many accounts, and capabilities', async () => {
    const { baseFeePerGas } = await object('eth_feeHistory', 1, 'latest')
    expect(await call('eth_baseFee')).toBe((baseFeePerGas as string[])[1] as string)
    expect(
      await call('eth_getStorageValues', { [sample.failures]: ['0x0', '0x1'], [RECEIVER.address]: ['0x0'] }),
    ).toEqual({
      [sample.failures]: [`0x${'00'.repeat(31)}08`, `0x${'00'.repeat(32)}`],
      [RECEIVER.address]: [`0x${'00'.repeat(32)}`],
    })
    expect((await sample.node.rpc('eth_getStorageValues', {}, 'latest')).error?.code).toBe(-32602)
    expect(await object('eth_capabilities')).toMatchObject({ state: { disabled: false, oldestBlock: '0x0' } })
  })

  test('when eth_config is called, then it gives the current rules', async () => {
    const { current, next, last } = await object('eth_config')
    expect(current).toMatchObject({
      activationTime: 0,
      chainId: '0x539',
      blobSchedule: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
      precompiles: { ECREC: `0x${'00'.repeat(19)}01`, P256VERIFY: `0x${'00'.repeat(18)}0100` },
    })
    expect([next, last]).toEqual([null, null])
  })
})
