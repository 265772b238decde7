import { afterEach, describe, expect, test } from 'bun:test'
import { privateKeyToAccount } from 'viem/accounts'
import { toHex } from '../../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import { startTestNode, type TestNode, type TestNodeOptions } from '../support/testNode.ts'
import { RECIPIENT, SENDER, transfer } from '../support/transfers.ts'

const POOR = privateKeyToAccount(toHex(bigintToFixedBytes(0xbadn, 32)) as `0x${string}`)

let node: TestNode
const start = async (options: TestNodeOptions = {}): Promise<void> => {
  node = await startTestNode(options)
}
afterEach(() => node.close())

const send = async (raw: string) => (await node.rpc('eth_sendRawTransaction', raw)).error

describe('given eth_sendRawTransaction', () => {
  test('when it is valid, then it answers the hash, is pending, and is mined', async () => {
    await start()
    const raw = await transfer(0)
    const hash = await node.call('eth_sendRawTransaction', raw)
    const pending = (await node.call('eth_getTransactionByHash', hash)) as Record<string, unknown>
    expect(Object.keys(pending)).toEqual([
      'accessList',
      'blockHash',
      'blockNumber',
      'chainId',
      'from',
      'gas',
      'gasPrice',
      'maxPriorityFeePerGas',
      'maxFeePerGas',
      'hash',
      'input',
      'nonce',
      'raw',
      'to',
      'transactionIndex',
      'type',
      'value',
      'yParity',
      'v',
      'r',
      's',
    ])
    expect(pending).toMatchObject({
      blockHash: null,
      blockNumber: null,
      transactionIndex: null,
      gasPrice: '0x77359400',
      raw,
    })
    expect(await node.call('eth_getTransactionReceipt', hash)).toBeNull()
    expect(await node.call('eth_getTransactionCount', SENDER.address, 'pending')).toBe('0x1')
    expect(await node.call('eth_getTransactionCount', SENDER.address, 'latest')).toBe('0x0')
    await node.mine()
    expect(await node.call('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
    expect(await node.call('eth_getTransactionCount', SENDER.address, 'latest')).toBe('0x1')
  })

  test('when the sender cannot pay, then the error has words that clients know', async () => {
    await start()
    const raw = await POOR.signTransaction({
      type: 'legacy',
      chainId: 1337,
      nonce: 0,
      gas: 21_000n,
      gasPrice: 2_000_000_000n,
      to: RECIPIENT,
      value: 1n,
    })
    expect(await send(raw)).toEqual({
      code: -32004,
      message:
        'Upfront cost exceeds account balance (insufficient funds for gas * price + value: transaction up-front cost 0x2632e314a001 exceeds transaction sender account balance 0x0)',
    })
    expect(await node.call('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
  })

  test('when transactions come in any order, then they are mined by nonce', async () => {
    await start()
    for (const nonce of [2, 0, 1]) expect(await send(await transfer(nonce))).toBeUndefined()
    expect(await node.call('txpool_status')).toEqual({ pending: '0x3', queued: '0x0' })
    await node.mine()
    expect(await node.call('eth_getTransactionCount', SENDER.address, 'latest')).toBe('0x3')
  })

  test('when it is invalid, then it is refused as in Besu', async () => {
    await start()
    const first = await transfer(0)
    expect(await send(first)).toBeUndefined()
    expect(await send(first)).toMatchObject({ code: -32000, message: 'Known transaction' })
    expect(await send(await transfer(0, { value: 2n }))).toMatchObject({
      code: -32000,
      message: 'Replacement transaction underpriced',
    })
    expect(await send(await transfer(200))).toMatchObject({
      code: -32000,
      message: 'Transaction nonce is too distant from current sender nonce',
    })
    expect(await send(await transfer(1, { chainId: 1 }))).toEqual({
      code: -32000,
      message: 'Wrong chainId',
      data: 'signed for chain 1, this is chain 1337',
    })
    expect(await send(await transfer(1, { gas: 20_999n }))).toMatchObject({
      code: -32003,
      message: 'Intrinsic gas exceeds gas limit',
    })
    expect(await send(await transfer(1, { gas: 16_777_217n }))).toMatchObject({
      code: -32005,
      message: 'Transaction gas limit cap exceeded',
    })
    await node.mine()
    expect(await send(await transfer(0, { value: 3n }))).toEqual({
      code: -32001,
      message: 'Nonce too low',
      data: "nonce 0 is used, the account's next one is 1",
    })
  })

  const NO_HEX = 'Invalid params (transaction: must be bytes in hex with an even number of digits)'
  const INVALID: readonly (readonly [
    when: string,
    params: readonly unknown[],
    code: number,
    text: string,
  ])[] = [
    ['there is nothing', [], -32602, 'Invalid number of params'],
    ['there is null', [null], -32602, 'Invalid number of params'],
    ['there is more than one', ['0x', '0x'], -32602, 'Invalid number of params'],
    ['it is empty', ['0x'], -32602, 'Invalid params (transaction: no bytes)'],
    ['it is no hex', ['0xzz'], -32602, NO_HEX],
    ['it is half a byte', ['0x123'], -32602, NO_HEX],
    ['it is no string', [5], -32602, NO_HEX],
    ['it is no RLP', ['0xf8ff'], -32602, 'Invalid params (transaction: bad RLP: out of range)'],
    ['it is an empty list', ['0xc0'], -32602, 'Invalid params (transaction: type 0 has 9 fields, not 0)'],
    ['its type is unknown', ['0x05c0'], -32602, 'Invalid params (transaction: type 5 is unknown)'],
    [
      'it is not signed',
      ['0xed0a85174876e800830222e0945aae326516b4f8fe08074b7e972e40a713048d62880de0b6b3a7640000801c8080'],
      -32602,
      'Invalid params (transaction: not signed; r and s must be from 1 to the order of secp256k1 minus 1)',
    ],
  ]
  test.each(INVALID)('when %s, then it is refused', async (_, params, code, text) => {
    await start()
    expect((await node.rpc('eth_sendRawTransaction', ...params)).error).toMatchObject({ code, message: text })
  })

  test.each([
    [
      'of the highest nonce',
      { nonce: 2n ** 64n - 1n },
      'Nonce has max value',
      'nonce 18446744073709551615 is not below 2^64 - 1 (EIP-2681)',
    ],
    [
      'with initcode that is too long',
      { to: undefined, data: `0x${'00'.repeat(49_153)}`, gas: 16_000_000n },
      'Max initcode size exceeded',
      '49153 bytes of initialization code, 49152 at most (EIP-3860)',
    ],
    [
      'of a type that this chain has no blocks for',
      { type: 'eip4844', blobVersionedHashes: [`0x01${'00'.repeat(31)}`], maxFeePerBlobGas: 1n },
      'Invalid transaction type',
      'blob',
    ],
  ])('when it is %s, then it is refused as the fault of the sender', async (_, fields, message, data) => {
    await start()
    expect(await send(await transfer(0, fields))).toMatchObject({
      code: -32602,
      message,
      data: expect.stringContaining(data),
    })
  })

  test('when s is in the upper half, then it is refused', async () => {
    await start()
    const raw = await SENDER.signTransaction({
      type: 'legacy',
      chainId: 1337,
      nonce: 0,
      gas: 21_000n,
      gasPrice: 2_000_000_000n,
      to: RECIPIENT,
    })
    const { decodeTransaction, encodeTransaction } = await import('../../../core/block/codec/transaction.ts')
    const { SECP256K1_ORDER } = await import('../../../core/block/codec/signature.ts')
    const { fromHex } = await import('../../../core/bytes/hex.ts')
    const transaction = decodeTransaction(fromHex(raw))
    const malleable = encodeTransaction({
      ...transaction,
      s: SECP256K1_ORDER - transaction.s,
      yParity: 1 - transaction.yParity,
    })
    expect(await send(toHex(malleable))).toMatchObject({ code: -32002, message: 'Invalid signature' })
  })

  test('when it is in a batch, then senders are recovered together, and each has its answer in the order of the requests', async () => {
    await start()
    const transactions = await Promise.all(
      [0, 1, 1, 2, 3].map((nonce, index) => transfer(nonce, { value: BigInt(index) })),
    )
    const asked: number[] = []
    const { recoverSenders } = node.context
    Object.assign(node.context, {
      recoverSenders: (all: Parameters<typeof recoverSenders>[0]) => {
        asked.push(all.length)
        return recoverSenders(all)
      },
    })
    const calls = [...transactions, '0x00', transactions[0]].map((raw, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'eth_sendRawTransaction',
      params: [raw],
    }))
    const body = JSON.stringify(calls)
    const response = await node.fetch(
      new Request('http://localhost/', { method: 'POST', body, headers: { host: 'localhost' } }),
    )
    const replies = (await response.json()) as { id: number; error?: { message: string } }[]
    expect(replies.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(replies.map(({ error }) => error?.message)).toEqual([
      undefined,
      undefined,
      'Replacement transaction underpriced',
      undefined,
      undefined,
      'Invalid params (transaction: type 0 is unknown)',
      'Known transaction',
    ])
    expect(asked).toEqual([6])
    expect(node.pool.size).toBe(4)
  })
})

describe('given eth_sendTransaction', () => {
  test('when it is called, then it never signs', async () => {
    await start()
    expect((await node.rpc('eth_sendTransaction', {})).error).toEqual({
      code: -32604,
      message:
        'The method eth_sendTransaction is not supported. Use eth_sendRawTransaction to send a signed transaction to this node.',
    })
  })
})

describe('given the pool', () => {
  test('when its status, statistics and transactions are read, then both transactions are in them', async () => {
    await start()
    for (const nonce of [0, 2]) await send(await transfer(nonce))
    expect(await node.call('txpool_status')).toEqual({ pending: '0x1', queued: '0x1' })
    expect(await node.call('txpool_besuStatistics')).toEqual({
      maxSize: node.pool.limits.transactionsMax,
      localCount: 2,
      remoteCount: 0,
    })
    expect(await node.call('txpool_besuTransactions')).toMatchObject([
      { isReceivedFromLocalSource: true, addedToPoolAt: new Date(node.nowMs).toISOString() },
      { isReceivedFromLocalSource: true },
    ])
    expect(await node.call('txpool_contentFrom', SENDER.address)).toMatchObject({
      pending: { '0': { nonce: '0x0' } },
      queued: { '2': { nonce: '0x2' } },
    })
    expect(await node.call('txpool_contentFrom', RECIPIENT)).toEqual({ pending: {}, queued: {} })
  })

  test('when a transaction waits for a nonce, then txpool_explain says so', async () => {
    await start()
    const hash = await node.call('eth_sendRawTransaction', await transfer(2))
    expect(await node.call('txpool_explain', hash)).toBe('nonce 2 queued: waiting for nonces 0 to 1')
    expect(await node.call('txpool_explain', `0x${'12'.repeat(32)}`)).toBeNull()
  })

  test('when it is searched, then sender, recipient, gas, price, value and nonce are conditions', async () => {
    await start()
    await send(await transfer(0, { value: 7n }))
    await send(await transfer(1, { to: undefined, gas: 100_000n, data: '0x00' }))
    const find = async (filter?: object, limit: number | null = null) =>
      ((await node.call('txpool_besuPendingTransactions', limit, filter)) as { nonce: string }[]).map(
        ({ nonce }) => Number(nonce),
      )
    expect(await find()).toEqual([0, 1])
    expect(await find(undefined, 1)).toEqual([0])
    expect(await find({ from: { eq: SENDER.address } })).toEqual([0, 1])
    expect(await find({ from: { eq: RECIPIENT } })).toEqual([])
    expect(await find({ to: { eq: RECIPIENT } })).toEqual([0])
    expect(await find({ to: { action: 'contract_creation' } })).toEqual([1])
    expect(await find({ gas: { gt: '0x5208' } })).toEqual([1])
    expect(await find({ nonce: { lt: '0x1' }, value: { eq: '0x7' } })).toEqual([0])
    for (const filter of [
      { nonce: {} },
      { nonce: { ge: '0x0' } },
      { other: { eq: '0x0' } },
      { constructor: { eq: '0x0' } },
      { to: { action: 'x' } },
      [],
    ])
      expect((await node.rpc('txpool_besuPendingTransactions', null, filter)).error).toMatchObject({
        code: -32602,
        message: 'Invalid pending transactions params',
      })
    expect((await node.rpc('txpool_besuPendingTransactions', 'x')).error?.message).toBe(
      'Invalid transaction limit params',
    )
  })
})

describe('given a network with free gas', () => {
  const free: TestNodeOptions = {
    rpc: { minGasPrice: 0n },
    pool: { minGasPrice: 0n, priceBumpPercent: 0 },
    genesis: genesis => Object.assign(genesis['config'] as object, { zeroBaseFee: true }),
  }

  test('when prices are suggested, then they are zero, and transactions of price zero are mined', async () => {
    await start(free)
    expect(await node.call('eth_gasPrice')).toBe('0x0')
    expect(await node.call('eth_maxPriorityFeePerGas')).toBe('0x0')
    const hash = await node.call(
      'eth_sendRawTransaction',
      await transfer(0, { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }),
    )
    await node.mine()
    expect(await node.call('eth_getTransactionReceipt', hash)).toMatchObject({
      status: '0x1',
      effectiveGasPrice: '0x0',
    })
    expect(await node.call('eth_feeHistory', 1, 'latest', [50])).toMatchObject({
      baseFeePerGas: ['0x0', '0x0'],
      reward: [['0x0']],
    })
  })
})
