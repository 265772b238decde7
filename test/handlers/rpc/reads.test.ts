import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { decodeBlock } from '../../../core/block/codec/block.ts'
import { fromHex, toHex } from '../../../core/bytes/hex.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import { DEPLOYER, type Sample, startSampleChain } from '../support/sampleChain.ts'
import { VALIDATOR } from '../support/testNode.ts'

// Its contracts are compiled first.
setDefaultTimeout(120_000)

type Json = Readonly<Record<string, unknown>>

let sample: Sample
const call = (method: string, ...params: readonly unknown[]): Promise<unknown> =>
  sample.node.call(method, ...params)
const object = async (method: string, ...params: readonly unknown[]): Promise<Json> =>
  (await call(method, ...params)) as Json
const hashOf = (block: number, index: number): string => sample.hashes[block - 1]?.[index] as string

beforeAll(async () => {
  sample = await startSampleChain()
})
afterAll(() => sample.node.close())

describe('given the node', () => {
  test('when chain id, version, head and modules are read, then they are those of the node', async () => {
    expect(await call('eth_chainId')).toBe('0x539')
    expect(await call('net_version')).toBe('1337')
    expect(await call('net_listening')).toBe(false)
    expect(await call('eth_blockNumber')).toBe('0x5')
    expect(await call('eth_accounts')).toEqual([])
    expect(await call('eth_syncing')).toBe(false)
    expect(await call('eth_mining')).toBe(true)
    expect(await call('eth_blobBaseFee')).toBe('0x1')
    expect(await call('web3_clientVersion')).toBe('quorate/v0.1.0/test')
    expect(await call('rpc_modules')).toEqual({
      eth: '1.0',
      net: '1.0',
      web3: '1.0',
      qbft: '1.0',
      trace: '1.0',
      txpool: '1.0',
      debug: '1.0',
    })
  })

  test('when web3_sha3 is called, then it hashes', async () => {
    expect(await call('web3_sha3', '0x68656c6c6f20776f726c64')).toBe(
      '0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad',
    )
    const empty = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'
    expect(await call('web3_sha3', '')).toBe(empty)
    expect(await call('web3_sha3', '0x')).toBe(empty)
  })

  test('when the validators of a block are read, then the next block works, too', async () => {
    const validators = [toHex(VALIDATOR)]
    for (const block of ['latest', 'earliest', 'pending', '0x3', '3', 3])
      expect(await call('qbft_getValidatorsByBlockNumber', block)).toEqual(validators)
    expect(await call('qbft_getValidatorsByBlockNumber', '0x6')).toBeNull()
    const { hash } = await object('eth_getBlockByNumber', 'latest', false)
    expect(await call('qbft_getValidatorsByBlockHash', hash)).toEqual(validators)
    expect(await call('qbft_getValidatorsByBlockHash', `0x${'00'.repeat(32)}`)).toBeNull()
    expect(await call('qbft_getRequestTimeoutSeconds')).toBe(4)
  })
})

describe('given blocks', () => {
  test('when they are read, then their members are in Besu’s order', async () => {
    const block = await object('eth_getBlockByNumber', '0x2', false)
    expect(Object.keys(block)).toEqual([
      'number',
      'hash',
      'mixHash',
      'parentHash',
      'nonce',
      'sha3Uncles',
      'logsBloom',
      'transactionsRoot',
      'stateRoot',
      'receiptsRoot',
      'miner',
      'difficulty',
      'totalDifficulty',
      'extraData',
      'baseFeePerGas',
      'size',
      'gasLimit',
      'gasUsed',
      'timestamp',
      'uncles',
      'transactions',
      'withdrawalsRoot',
      'withdrawals',
      'requestsHash',
      'blobGasUsed',
      'excessBlobGas',
      'parentBeaconBlockRoot',
    ])
    expect(block).toMatchObject({
      number: '0x2',
      nonce: '0x0000000000000000',
      mixHash: '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365',
      miner: toHex(VALIDATOR),
      difficulty: '0x1',
      totalDifficulty: '0x3',
      uncles: [],
      withdrawals: [],
      transactions: sample.hashes[1],
    })
  })

  test('when they are read by number, tag and hash, then they are equal, and chained', async () => {
    const latest = await object('eth_getBlockByNumber', 'latest', true)
    expect(await call('eth_getBlockByNumber', '0x5', true)).toEqual(latest)
    expect(await call('eth_getBlockByNumber', 'pending', true)).toEqual(latest)
    expect(await call('eth_getBlockByNumber', 'LATEST', true)).toEqual(latest)
    expect(await call('eth_getBlockByHash', latest['hash'], true)).toEqual(latest)
    const before = await object('eth_getBlockByNumber', '0x4', false)
    expect(latest['parentHash']).toBe(before['hash'])
    expect(await object('eth_getBlockByNumber', 'earliest', false)).toMatchObject({ number: '0x0' })
  })

  test('when they do not exist, then they are null', async () => {
    expect(await call('eth_getBlockByNumber', '0x6', false)).toBeNull()
    expect(await call('eth_getBlockByHash', `0x${'12'.repeat(32)}`, false)).toBeNull()
    expect(await call('eth_getBlockReceipts', '0x6')).toBeNull()
    expect(await call('eth_getBlockTransactionCountByNumber', '0x6')).toBeNull()
    expect(await call('eth_getUncleCountByBlockHash', `0x${'12'.repeat(32)}`)).toBeNull()
  })

  test('when whole transactions are requested, then they are included', async () => {
    const { transactions } = await object('eth_getBlockByNumber', '0x2', true)
    const byHash = await Promise.all(
      (sample.hashes[1] ?? []).map(hash => call('eth_getTransactionByHash', hash)),
    )
    expect(transactions).toEqual(byHash as never)
  })

  test('when transactions and ommers are counted, then the numbers are right', async () => {
    const { hash } = await object('eth_getBlockByNumber', '0x2', false)
    expect(await call('eth_getBlockTransactionCountByNumber', '0x2')).toBe('0x2')
    expect(await call('eth_getBlockTransactionCountByHash', hash)).toBe('0x2')
    expect(await call('eth_getUncleCountByBlockNumber', '0x2')).toBe('0x0')
    expect(await call('eth_getUncleCountByBlockHash', hash)).toBe('0x0')
    expect(await call('eth_getUncleByBlockNumberAndIndex', '0x2', '0x0')).toBeNull()
    expect(await call('eth_getUncleByBlockHashAndIndex', hash, '0x0')).toBeNull()
  })

  test('when raw blocks, receipts and transactions are requested, then they decode to the same hashes', async () => {
    const { hash, size } = await object('eth_getBlockByNumber', '0x2', false)
    const raw = fromHex((await call('debug_getRawBlock', '0x2')) as string)
    expect(size).toBe(`0x${raw.length.toString(16)}`)
    expect(decodeBlock(raw).transactions.map(transaction => toHex(transaction.hash))).toEqual(
      sample.hashes[1] as string[],
    )
    expect(await call('debug_getRawHeader', '0x2')).toBeString()
    expect(await call('debug_getRawReceipts', hash)).toBeArrayOfSize(2)
    const rawTransaction = (await call('debug_getRawTransaction', hashOf(2, 0))) as string
    expect(toHex(keccak256(fromHex(rawTransaction)))).toBe(hashOf(2, 0))
  })
})

describe('given transactions', () => {
  const COMMON = ['from', 'gas', 'gasPrice']
  const MARKET = ['maxPriorityFeePerGas', 'maxFeePerGas']
  const PLACE = ['blockHash', 'blockNumber', 'blockTimestamp', 'chainId']
  const REST = ['hash', 'input', 'nonce', 'to', 'transactionIndex', 'type', 'value']
  const SIGNATURE = ['v', 'r', 's']

  const CASES: readonly (readonly [name: string, block: number, index: number, keys: readonly string[]])[] = [
    ['legacy', 1, 0, [...PLACE, ...COMMON, ...REST, ...SIGNATURE]],
    ['type 2', 2, 0, ['accessList', ...PLACE, ...COMMON, ...MARKET, ...REST, 'yParity', ...SIGNATURE]],
    ['type 1', 2, 1, ['accessList', ...PLACE, ...COMMON, ...REST, 'yParity', ...SIGNATURE]],
    [
      'type 4',
      4,
      1,
      ['accessList', 'authorizationList', ...PLACE, ...COMMON, ...MARKET, ...REST, 'yParity', ...SIGNATURE],
    ],
  ]

  test.each(CASES)(
    'when they are %s, then their members are in Besu’s order',
    async (_, block, index, keys) => {
      const transaction = await object('eth_getTransactionByHash', hashOf(block, index))
      expect(Object.keys(transaction)).toEqual([...keys])
      const position = `0x${index.toString(16)}`
      expect(await call('eth_getTransactionByBlockNumberAndIndex', `0x${block}`, position)).toEqual(
        transaction,
      )
      expect(await call('eth_getTransactionByBlockHashAndIndex', transaction['blockHash'], position)).toEqual(
        transaction,
      )
    },
  )

  test('when they are read, then their values are right', async () => {
    expect(await object('eth_getTransactionByHash', hashOf(1, 0))).toMatchObject({
      type: '0x0',
      to: null,
      from: DEPLOYER.address.toLowerCase(),
      gasPrice: '0x77359400',
      v: expect.stringMatching(/^0xa9[56]$/),
    })
    const { baseFeePerGas } = await object('eth_getBlockByNumber', '0x2', false)
    const market = await object('eth_getTransactionByHash', hashOf(2, 0))
    expect(BigInt(market['gasPrice'] as string)).toBe(BigInt(baseFeePerGas as string) + 1_000_000n)
    expect(market['v']).toBe(market['yParity'])
    expect(await object('eth_getTransactionByHash', hashOf(2, 1))).toMatchObject({
      accessList: [{ address: sample.token, storageKeys: [`0x${'00'.repeat(32)}`] }],
    })
    expect(await object('eth_getTransactionByHash', hashOf(4, 1))).toMatchObject({
      authorizationList: [{ chainId: '0x539', address: sample.failures, nonce: '0x1' }],
    })
  })

  test('when they do not exist, then they are null', async () => {
    expect(await call('eth_getTransactionByHash', `0x${'12'.repeat(32)}`)).toBeNull()
    expect(await call('eth_getTransactionReceipt', `0x${'12'.repeat(32)}`)).toBeNull()
    expect(await call('eth_getTransactionByBlockNumberAndIndex', '0x1', '0x1')).toBeNull()
    expect(await call('eth_getTransactionByBlockNumberAndIndex', '0x9', '0x0')).toBeNull()
  })
})

describe('given receipts', () => {
  test('when they are read, then members and logs are in Besu’s order', async () => {
    const receipt = await object('eth_getTransactionReceipt', hashOf(2, 1))
    expect(Object.keys(receipt)).toEqual([
      'blockHash',
      'blockNumber',
      'contractAddress',
      'cumulativeGasUsed',
      'from',
      'gasUsed',
      'effectiveGasPrice',
      'logs',
      'logsBloom',
      'status',
      'to',
      'transactionHash',
      'transactionIndex',
      'type',
    ])
    const [log] = receipt['logs'] as Json[]
    expect(Object.keys(log as Json)).toEqual([
      'address',
      'topics',
      'data',
      'blockNumber',
      'transactionHash',
      'transactionIndex',
      'blockHash',
      'blockTimestamp',
      'logIndex',
      'removed',
    ])
    expect(log).toMatchObject({ address: sample.token, logIndex: '0x1', transactionIndex: '0x1' })
  })

  test('when they are of a creation or a failure, then they have the address of the contract or the revert reason', async () => {
    expect(await object('eth_getTransactionReceipt', hashOf(1, 0))).toMatchObject({
      contractAddress: sample.token,
      to: null,
      status: '0x1',
    })
    const failed = await object('eth_getTransactionReceipt', hashOf(4, 0))
    expect(failed).toMatchObject({ status: '0x0', contractAddress: null, logs: [] })
    expect(failed['revertReason']).toStartWith('0x08c379a0')
  })

  test('when those of a block are read, then they equal those of its transactions', async () => {
    const receipts = await call('eth_getBlockReceipts', '0x2')
    const each = await Promise.all(
      (sample.hashes[1] ?? []).map(hash => call('eth_getTransactionReceipt', hash)),
    )
    expect(receipts).toEqual(each as never)
    const { hash } = await object('eth_getBlockByNumber', '0x2', false)
    expect(await call('eth_getBlockReceipts', hash)).toEqual(each as never)
    expect(await call('eth_getBlockReceipts', { blockHash: hash })).toEqual(each as never)
  })
})
