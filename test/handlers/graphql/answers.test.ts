import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { toQuantity } from '../../../core/bytes/hex.ts'
import { DEPLOYER, RECEIVER, type Sample, startSampleChain } from '../support/sampleChain.ts'
import { startTestNode, VALIDATOR } from '../support/testNode.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import { RECEIPT_FIELDS, TRANSACTION_FIELDS } from './support/fields.ts'
import { type Data, type Graphql, graphqlOf } from './support/graphqlNode.ts'

setDefaultTimeout(120_000)

let sample: Sample
let graphql: Graphql

beforeAll(async () => {
  sample = await startSampleChain()
  graphql = graphqlOf(sample.node)
})
afterAll(() => sample.node.close())

const rpc = (method: string, ...params: readonly unknown[]): Promise<Data> =>
  sample.node.call(method, ...params)

const BLOCK_FIELDS = `number hash parent { hash } nonce transactionsRoot transactionCount stateRoot receiptsRoot
  miner { address } extraData gasLimit gasUsed baseFeePerGas timestamp logsBloom mixHash difficulty totalDifficulty
  ommerCount ommers { hash } ommerAt(index: 0) { hash } ommerHash withdrawalsRoot withdrawals { index } blobGasUsed
  excessBlobGas`

describe('given a query for a block', () => {
  test('when all fields are read, then they equal JSON-RPC', async () => {
    for (let number = 0; number <= 5; number++) {
      const expected = await rpc('eth_getBlockByNumber', toQuantity(number), false)
      const { block } = await graphql.data(`query($n: Long) { block(number: $n) { ${BLOCK_FIELDS} } }`, {
        n: number,
      })
      expect(block).toEqual({
        number: expected.number,
        hash: expected.hash,
        parent: number === 0 ? null : { hash: expected.parentHash },
        nonce: expected.nonce,
        transactionsRoot: expected.transactionsRoot,
        transactionCount: toQuantity(expected.transactions.length),
        stateRoot: expected.stateRoot,
        receiptsRoot: expected.receiptsRoot,
        miner: { address: expected.miner },
        extraData: expected.extraData,
        gasLimit: expected.gasLimit,
        gasUsed: expected.gasUsed,
        baseFeePerGas: expected.baseFeePerGas,
        timestamp: expected.timestamp,
        logsBloom: expected.logsBloom,
        mixHash: expected.mixHash,
        difficulty: expected.difficulty,
        totalDifficulty: expected.totalDifficulty,
        ommerCount: '0x0',
        ommers: [],
        ommerAt: null,
        ommerHash: expected.sha3Uncles,
        withdrawalsRoot: expected.withdrawalsRoot ?? null,
        withdrawals: expected.withdrawals ?? null,
        blobGasUsed: expected.blobGasUsed ?? null,
        excessBlobGas: expected.excessBlobGas ?? null,
      })
    }
  })

  test('when it names a hash, or nothing, then it finds that block or the latest; header fields alone give the same', async () => {
    const { latest, one } = await graphql.data(
      `query { latest: block { number hash } one: block(number: "0x1") { hash } }`,
    )
    expect(latest.number).toBe('0x5')
    expect(await graphql.data(`{ block(hash: "${latest.hash}") { number transactionCount } }`)).toEqual({
      block: { number: '0x5', transactionCount: '0x1' },
    })
    expect(one.hash).toBe((await rpc('eth_getBlockByNumber', '0x1', false)).hash)
  })

  test('when it reads the next base fee, then it is that of the following block, even before that block is made', async () => {
    const { blocks } = await graphql.data('{ blocks(from: 0) { baseFeePerGas nextBaseFeePerGas } }')
    const next = await rpc('eth_baseFee')
    expect(blocks.map((block: Data) => block.nextBaseFeePerGas)).toEqual([
      ...blocks.slice(1).map((block: Data) => block.baseFeePerGas),
      next,
    ])
  })

  test('when an operator has changed the fixed base fee, then the next base fee is the changed one', async () => {
    const node = await startTestNode({
      genesis: genesis => {
        const config = genesis['config'] as Record<string, unknown>
        config['fixedBaseFee'] = true
      },
    })
    const settings = {
      minGasPrice: 7n,
      minPriorityFee: 0n,
      targetGasLimit: undefined,
      extraData: new Uint8Array(),
    }
    const miner = {
      settings: () => settings,
      change: () => undefined,
      start: () => Promise.resolve(true),
      stop: () => Promise.resolve(true),
    }
    const { block } = await graphqlOf(node, { context: { miner } }).data('{ block { nextBaseFeePerGas } }')
    expect(block).toEqual({ nextBaseFeePerGas: '0x7' })
    await node.close()
  })

  test('when it reads the consensus fields, then they name proposer, round and seals', async () => {
    const { genesis, block } = await graphql.data(
      '{ genesis: block(number: 0) { proposer round seals } block { proposer round seals } }',
    )
    expect(genesis).toEqual({ proposer: null, round: '0x0', seals: [] })
    expect(block).toMatchObject({ proposer: toHex(VALIDATOR), round: '0x0' })
    expect(block.seals).toHaveLength(1)
    expect(block.seals[0]).toMatch(/^0x[0-9a-f]{130}$/)
  })

  test('when it reads the raw forms, then the header is JSON-RPC’s and the body leaves it out, as in Besu', async () => {
    const { block } = await graphql.data(
      '{ block(number: 2) { rawHeader raw transactions { raw rawReceipt } } }',
    )
    expect(block.rawHeader).toBe(await rpc('debug_getRawHeader', '0x2'))
    const whole = (await rpc('debug_getRawBlock', '0x2')) as string
    expect(whole).toContain(block.rawHeader.slice(2))
    // The list's own head differs; everything behind it is the end of the whole block.
    expect(whole.endsWith(block.raw.slice(8))).toBe(true)
    const transactions = await Promise.all(
      (sample.hashes[1] ?? []).map(hash => rpc('debug_getRawTransaction', hash)),
    )
    const receipts = (await rpc('debug_getRawReceipts', '0x2')) as readonly string[]
    block.transactions.forEach(({ raw, rawReceipt }: Data, index: number) => {
      // Typed ones carry the head of an RLP string in front.
      expect(raw.endsWith(transactions[index].slice(2))).toBe(true)
      expect(raw.slice(2, 4)).toBe('b8')
      expect(rawReceipt.endsWith((receipts[index] as string).slice(2))).toBe(true)
      expect(rawReceipt.slice(2, 4)).toBe('b9')
      expect(block.raw).toContain(raw.slice(2))
    })
  })

  test('when it gives an index, then it finds that transaction', async () => {
    const { block } = await graphql.data(
      '{ block(number: 2) { first: transactionAt(index: 0) { hash } second: transactionAt(index: "0x1") { index } none: transactionAt(index: 2) { hash } less: transactionAt(index: -1) { hash } } }',
    )
    expect(block).toEqual({
      first: { hash: sample.hashes[1]?.[0] },
      second: { index: '0x1' },
      none: null,
      less: null,
    })
  })
})

describe('given a query for blocks', () => {
  test('when the range ends beyond the head, then it ends at the head', async () => {
    const numbers = async (args: string): Promise<readonly string[]> =>
      (await graphql.data(`{ blocks(${args}) { number } }`)).blocks.map(({ number }: Data) => number)
    expect(await numbers('from: 1, to: 3')).toEqual(['0x1', '0x2', '0x3'])
    expect(await numbers('from: 4')).toEqual(['0x4', '0x5'])
    expect(await numbers('from: 4, to: 100')).toEqual(['0x4', '0x5'])
    expect(await numbers('from: 7, to: 9')).toEqual([])
    expect(await numbers('from: 5, to: 5')).toEqual(['0x5'])
  })
})

describe('given a query for a transaction', () => {
  test('when it is of any type, then the fields equal those of JSON-RPC and of its receipt', async () => {
    const types: string[] = []
    for (const hash of sample.hashes.flat()) {
      const expected = await rpc('eth_getTransactionByHash', hash)
      const receipt = await rpc('eth_getTransactionReceipt', hash)
      const { baseFeePerGas } = await rpc('eth_getBlockByNumber', expected.blockNumber, false)
      const { transaction } = await graphql.data(
        `{ transaction(hash: "${hash}") { ${TRANSACTION_FIELDS} ${RECEIPT_FIELDS} } }`,
      )
      types.push(transaction.type)
      expect(transaction).toEqual({
        hash,
        nonce: expected.nonce,
        index: expected.transactionIndex,
        from: { address: expected.from },
        to: expected.to === null ? null : { address: expected.to },
        value: expected.value,
        gasPrice: expected.gasPrice,
        maxFeePerGas: expected.maxFeePerGas ?? null,
        maxPriorityFeePerGas: expected.maxPriorityFeePerGas ?? null,
        maxFeePerBlobGas: null,
        gas: expected.gas,
        inputData: expected.input,
        block: { number: expected.blockNumber, hash: expected.blockHash },
        r: expected.r,
        s: expected.s,
        v: expected.type === '0x4' ? null : expected.v,
        yParity: expected.yParity ?? null,
        type: expected.type,
        accessList: expected.accessList ?? [],
        blobVersionedHashes: [],
        status: receipt.status,
        gasUsed: receipt.gasUsed,
        cumulativeGasUsed: receipt.cumulativeGasUsed,
        effectiveGasPrice: receipt.effectiveGasPrice,
        effectiveTip: toQuantity(BigInt(receipt.effectiveGasPrice) - BigInt(baseFeePerGas)),
        createdContract: receipt.contractAddress === null ? null : { address: receipt.contractAddress },
        logs: receipt.logs.map((log: Data) => ({
          index: log.logIndex,
          data: log.data,
          topics: log.topics,
          account: { address: log.address },
          transaction: { hash },
        })),
        blobGasUsed: null,
        blobGasPrice: null,
        revertReason: receipt.revertReason ?? null,
      })
    }
    expect(new Set(types)).toEqual(new Set(['0x0', '0x1', '0x2', '0x4']))
  })

  test('when there is none, then it is null', async () => {
    expect(await graphql.data(`{ transaction(hash: "0x${'ab'.repeat(32)}") { hash } }`)).toEqual({
      transaction: null,
    })
  })
})

describe('given a query for an account', () => {
  const state = (address: string) =>
    `account(address: "${address}") { address balance transactionCount code }`

  test('when it names a block, then it reads the state of that block', async () => {
    const { address } = DEPLOYER
    for (const number of ['0x0', '0x1', '0x3', '0x5']) {
      const { block } = await graphql.data(`{ block(number: "${number}") { ${state(address)} } }`)
      expect(block.account).toEqual({
        address: address.toLowerCase(),
        balance: await rpc('eth_getBalance', address, number),
        transactionCount: await rpc('eth_getTransactionCount', address, number),
        code: '0x',
      })
    }
  })

  test('when it reads code and storage, then slots may be short', async () => {
    const slot = `0x${'00'.repeat(32)}`
    const { block } = await graphql.data(
      `{ block { account(address: "${sample.token}") { code storage(slot: "0x0") } } }`,
    )
    expect(block.account.code).toBe(await rpc('eth_getCode', sample.token, 'latest'))
    expect(block.account.storage).toBe(await rpc('eth_getStorageAt', sample.token, slot, 'latest'))
  })

  test('when the account or the block does not exist, then the values are zero', async () => {
    const zeros = { balance: '0x0', transactionCount: '0x0', code: '0x', storage: `0x${'00'.repeat(32)}` }
    const fields = 'balance transactionCount code storage(slot: "0x1")'
    const { block, transaction } = await graphql.data(
      `{ block { account(address: "0x${'dead'.repeat(10)}") { ${fields} } }
         transaction(hash: "${sample.hashes[0]?.[0]}") { from(block: 99) { ${fields} } } }`,
    )
    expect(block.account).toEqual(zeros)
    expect(transaction.from).toEqual(zeros)
  })

  test('when it comes from a transaction, a log or a miner, then it is read in their block unless another is named', async () => {
    const { transaction } = await graphql.data(
      `{ transaction(hash: "${sample.hashes[1]?.[0]}") {
           then: from { transactionCount } before: from(block: 0) { transactionCount } now: from(block: 5) { transactionCount }
           to(block: 0) { code } logs { then: account { code } before: account(block: 0) { code } }
           block { miner { balance } before: miner(block: 0) { balance } } } }`,
    )
    expect(transaction.then.transactionCount).toBe(
      await rpc('eth_getTransactionCount', DEPLOYER.address, '0x2'),
    )
    expect(transaction.before.transactionCount).toBe('0x0')
    expect(transaction.now.transactionCount).toBe(
      await rpc('eth_getTransactionCount', DEPLOYER.address, '0x5'),
    )
    expect(transaction.to.code).toBe('0x')
    expect(transaction.logs[0].then.code).toBe(await rpc('eth_getCode', sample.token, '0x2'))
    expect(transaction.logs[0].before.code).toBe('0x')
    expect(transaction.block.miner.balance).toBe(await rpc('eth_getBalance', toHex(VALIDATOR), '0x2'))
    expect(transaction.block.before.balance).toBe(await rpc('eth_getBalance', toHex(VALIDATOR), '0x0'))
  })
})

describe('given a query for logs', () => {
  const LOG = 'index data topics account { address } transaction { hash index }'
  const told = (logs: readonly Data[]) =>
    logs.map(({ logIndex, data, topics, address, transactionHash, transactionIndex }) => ({
      index: logIndex,
      data,
      topics,
      account: { address },
      transaction: { hash: transactionHash, index: transactionIndex },
    }))

  test('when it names a range, then the logs equal eth_getLogs', async () => {
    const all = await rpc('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' })
    expect(all.length).toBeGreaterThan(3)
    const { logs } = await graphql.data(`{ logs(filter: { fromBlock: 0, toBlock: 99 }) { ${LOG} } }`)
    expect(logs).toEqual(told(all))
    const [topic] = all[0].topics
    const narrow = await rpc('eth_getLogs', {
      fromBlock: '0x1',
      toBlock: '0x2',
      address: sample.token,
      topics: [[topic], []],
    })
    const variables = {
      f: { fromBlock: '0x1', toBlock: 2, addresses: [sample.token], topics: [[topic], []] },
    }
    expect(
      await graphql.data(`query($f: FilterCriteria!) { logs(filter: $f) { ${LOG} } }`, variables),
    ).toEqual({
      logs: told(narrow),
    })
  })

  test('when it names no range and no topics, then the logs are those of the latest block', async () => {
    const latest = told(await rpc('eth_getLogs', { fromBlock: 'latest' }))
    expect(latest.length).toBeGreaterThan(0)
    expect((await graphql.data(`{ logs(filter: {}) { ${LOG} } }`)).logs).toEqual(latest)
    expect((await graphql.data(`{ logs(filter: { topics: null }) { ${LOG} } }`)).logs).toEqual(latest)
    expect((await graphql.data('{ logs(filter: { fromBlock: 8, toBlock: 9 }) { index } }')).logs).toEqual([])
  })

  test('when it names one block, then it finds the matching ones', async () => {
    const inBlock = async (filter: string): Promise<readonly Data[]> =>
      (
        await graphql.data(
          `{ block(number: 2) { logs(filter: ${filter}) { topics transaction { index } } } }`,
        )
      ).block.logs
    const all = await inBlock('{}')
    expect(all).toHaveLength(2)
    const [event, from, to] = all[0].topics as readonly string[]
    expect(await inBlock(`{ topics: [["${event}"]] }`)).toEqual(all)
    expect(await inBlock(`{ topics: [[], ["${from}"], ["${to}"]] }`)).toEqual(all)
    expect(await inBlock(`{ topics: [["${from}", "${event}"]] }`)).toEqual(all)
    expect(await inBlock(`{ topics: [["${from}"]] }`)).toEqual([])
    expect(await inBlock(`{ addresses: ["${RECEIVER.address}"] }`)).toEqual([])
    expect(await inBlock(`{ addresses: [], topics: [] }`)).toEqual(all)
  })
})
