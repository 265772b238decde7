import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { privateKeyToAccount } from 'viem/accounts'
import { toQuantity } from '../../../core/bytes/hex.ts'
import { DEPLOYER, RECEIVER, type Sample, startSampleChain } from '../support/sampleChain.ts'
import { ACCOUNTS, VALIDATOR } from '../support/testNode.ts'
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

describe('given a call over GraphQL', () => {
  test('when it runs at any block, then it gives the output, and a status for a failure', async () => {
    const data = sample.encode('token', 'balanceOf', [RECEIVER.address])
    const call = `call(data: { to: "${sample.token}", data: "${data}" }) { data status gasUsed }`
    const { before, now, pending } = await graphql.data(
      `{ before: block(number: 1) { ${call} } now: block { ${call} } pending { ${call} } }`,
    )
    expect(BigInt(before.call.data)).toBe(0n)
    expect(BigInt(now.call.data)).toBe(123n)
    expect(now.call.status).toBe('0x1')
    expect(BigInt(now.call.gasUsed)).toBeGreaterThan(21_000n)
    expect(pending.call).toEqual(now.call)
    const failure = sample.encode('failures', 'withReason')
    const { block } = await graphql.data(
      `{ block { call(data: { to: "${sample.failures}", data: "${failure}" }) { data status } } }`,
    )
    expect(block.call.status).toBe('0x0')
    expect(block.call.data).toMatch(/^0x08c379a0/)
  })

  test('when it has every member, then all are read, even those that Besu fails on', async () => {
    const { block } = await graphql.data(
      `{ block {
           legacy: call(data: { from: "${DEPLOYER.address}", to: "${RECEIVER.address}", gas: 50000, gasPrice: "0x77359400", value: "0x1" }) { status gasUsed }
           fees: call(data: { from: "${DEPLOYER.address}", to: "${RECEIVER.address}", gas: "50000", maxFeePerGas: 2000000000, maxPriorityFeePerGas: "0x1", value: 5 }) { status gasUsed }
           poor: call(data: { from: "0x${'12'.repeat(20)}", to: "${sample.token}", data: "0x" }) { status }
         } }`,
    )
    expect(block.legacy).toEqual({ status: '0x1', gasUsed: '0x5208' })
    expect(block.fees).toEqual({ status: '0x1', gasUsed: '0x5208' })
    expect(block.poor.status).toBe('0x0')
  })

  test('when it cannot begin, then the error has a code', async () => {
    const { status, errors } = await graphql.ask(
      `{ block { call(data: { to: "${sample.token}", gas: 100 }) { status } } }`,
    )
    expect(status).toBe(400)
    expect(errors?.[0]).toMatchObject({ path: ['block', 'call'], extensions: { errorCode: -32003 } })
  })

  test('when it is estimated, then it succeeds with the estimate and fails with less', async () => {
    const data = sample.encode('failures', 'count')
    const { block, pending } = await graphql.data(
      `{ block { estimateGas(data: { to: "${sample.failures}", data: "${data}" }) plain: estimateGas(data: { to: "${RECEIVER.address}" }) create: estimateGas(data: {}) }
         pending { estimateGas(data: { to: "${sample.failures}", data: "${data}" }) } }`,
    )
    expect(block.plain).toBe('0x5208')
    expect(block.create).toBe('0xcf08')
    expect(pending.estimateGas).toBe(block.estimateGas)
    const withGas = async (gas: bigint): Promise<string> =>
      (
        await graphql.data(
          `{ block { call(data: { to: "${sample.failures}", data: "${data}", gas: "${toQuantity(gas)}" }) { status } } }`,
        )
      ).block.call.status
    expect(await withGas(BigInt(block.estimateGas))).toBe('0x1')
    expect(await withGas(BigInt(block.estimateGas) - 1n)).toBe('0x0')
    const failing = sample.encode('failures', 'withReason')
    const reply = await graphql.ask(
      `{ block { estimateGas(data: { to: "${sample.failures}", data: "${failing}" }) } }`,
    )
    expect(reply.errors?.[0]?.message).toMatch(
      /^Exception while fetching data \(\/block\/estimateGas\) : Execution reverted/,
    )
    expect(reply.errors?.[0]?.extensions).toMatchObject({ errorCode: 3 })
  })
})

describe('given a query for the node', () => {
  test('when it reads prices, chain, validators and sync status, then they equal JSON-RPC', async () => {
    const { node } = sample
    const syncing = { startingBlock: 1n, currentBlock: 2n, highestBlock: 30n }
    const answers = await graphqlOf(node, { context: { syncing: () => syncing, round: () => 3 } }).data(
      `{ gasPrice maxPriorityFeePerGas chainID syncing { startingBlock currentBlock highestBlock } validators
         first: validators(block: 0) none: validators(block: 99) qbft { round pendingVotes { address } signerMetrics { address proposedBlockCount lastProposedBlockNumber } } }`,
    )
    expect(answers).toEqual({
      gasPrice: await rpc('eth_gasPrice'),
      maxPriorityFeePerGas: await rpc('eth_maxPriorityFeePerGas'),
      chainID: '0x539',
      syncing: { startingBlock: '0x1', currentBlock: '0x2', highestBlock: '0x1e' },
      validators: [toHex(VALIDATOR)],
      first: [toHex(VALIDATOR)],
      none: null,
      qbft: {
        round: '0x3',
        pendingVotes: null,
        signerMetrics: await rpc('qbft_getSignerMetrics'),
      },
    })
    expect(await graphql.data('{ syncing { currentBlock } }')).toEqual({ syncing: null })
  })
})

describe('given a transaction sent over GraphQL', () => {
  const sender = privateKeyToAccount(ACCOUNTS[5]?.privateKey as `0x${string}`)
  const transfer = (nonce: number, type: 'legacy' | 'eip1559') =>
    sender.signTransaction({
      ...(type === 'legacy'
        ? { type, gasPrice: 3_000_000_000n }
        : { type, maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 7n }),
      chainId: 1337,
      nonce,
      gas: 21_000n,
      to: RECEIVER.address,
      value: 1n,
    })
  const send = (data: string) =>
    graphql.ask('mutation($data: Bytes!) { sendRawTransaction(data: $data) }', { data })

  test('when it is plain or wrapped, then it is found by hash, pending, and mined', async () => {
    const legacy = await transfer(0, 'legacy')
    const typed = await transfer(1, 'eip1559')
    const wrapped = await transfer(2, 'eip1559')
    const hashes: string[] = []
    for (const data of [legacy, typed, `0xb8${((wrapped.length - 2) / 2).toString(16)}${wrapped.slice(2)}`]) {
      const reply = await send(data)
      expect(reply.status).toBe(200)
      hashes.push(reply.data.sendRawTransaction)
    }
    const { pending, transaction } = await graphql.data(
      `{ pending { transactionCount transactions { hash from { address } } account(address: "${sender.address}") { transactionCount } }
         transaction(hash: "${hashes[1]}") { ${TRANSACTION_FIELDS} ${RECEIPT_FIELDS} raw rawReceipt from { balance } } }`,
    )
    expect(pending.transactionCount).toBe('0x3')
    expect(pending.transactions.map(({ hash }: Data) => hash)).toEqual(hashes)
    // The latest state: what waits is not counted.
    expect(pending.account.transactionCount).toBe('0x0')
    expect(transaction).toMatchObject({
      hash: hashes[1],
      index: null,
      block: null,
      gasPrice: '0xb2d05e00',
      maxPriorityFeePerGas: '0x7',
      status: null,
      gasUsed: null,
      cumulativeGasUsed: null,
      effectiveGasPrice: null,
      effectiveTip: null,
      createdContract: null,
      logs: null,
      rawReceipt: '0x',
      from: { address: sender.address.toLowerCase() },
    })
    await sample.node.mine()
    const mined = await graphql.data(
      `{ transaction(hash: "${hashes[1]}") { index status } pending { transactionCount } }`,
    )
    expect(mined).toEqual({
      transaction: { index: '0x1', status: '0x1' },
      pending: { transactionCount: '0x0' },
    })
  })

  test('when the pool rejects it, then the error has the code of JSON-RPC', async () => {
    const refused = async (data: string) => {
      const { status, errors, data: answer } = await send(data)
      expect(status).toBe(400)
      expect(answer).toBeNull()
      return errors?.[0]?.extensions
    }
    expect(await refused(await transfer(0, 'legacy'))).toEqual({
      errorCode: -32001,
      errorMessage: 'Nonce too low',
      classification: 'DataFetchingException',
    })
    const foreign = await sender.signTransaction({
      type: 'legacy',
      chainId: 5,
      nonce: 3,
      gas: 21_000n,
      gasPrice: 3_000_000_000n,
      to: RECEIVER.address,
    })
    expect(await refused(foreign)).toMatchObject({
      errorCode: -32000,
      errorMessage: 'Wrong Chain ID in transaction signature',
    })
    expect(await refused('0xb8021234')).toMatchObject({ errorCode: -32602, errorMessage: 'Invalid params' })
    expect(await refused('0x')).toMatchObject({ errorCode: -32602 })
  })
})
