import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { ACCOUNTS, startTestNode, type TestNode } from '../support/testNode.ts'

const [first] = ACCOUNTS as unknown as readonly [{ readonly privateKey: Hex }]
const SENDER = privateKeyToAccount(first.privateKey)

let node: TestNode
const signed: Hex[] = []
const hashes: Hex[] = []

beforeAll(async () => {
  node = await startTestNode()
  for (const nonce of [0, 1]) {
    const transaction = await SENDER.signTransaction({
      chainId: 1337,
      type: nonce === 0 ? 'legacy' : 'eip1559',
      nonce,
      gas: 21_000n,
      ...(nonce === 0
        ? { gasPrice: 2_000_000_000n }
        : { maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 2_000_000_000n }),
      to: SENDER.address,
    } as Parameters<typeof SENDER.signTransaction>[0])
    signed.push(transaction)
    hashes.push((await node.call('eth_sendRawTransaction', transaction)) as Hex)
  }
})

afterAll(async () => {
  await node?.close()
})

test('given eth_getRawTransactionByHash, when the transaction is pending or mined, then it gives the signed bytes', async () => {
  for (const mined of [false, true]) {
    if (mined) await node.mine()
    expect(await Promise.all(hashes.map(hash => node.call('eth_getRawTransactionByHash', hash)))).toEqual(
      signed,
    )
  }
  expect(await node.call('eth_getRawTransactionByHash', `0x${'12'.repeat(32)}`)).toBeNull()
})

test('given eth_getRawTransactionByBlock…AndIndex, when a position is named, then it gives the signed bytes', async () => {
  const { hash } = (await node.call('eth_getBlockByNumber', '0x1', false)) as { hash: Hex }
  const places = [
    ['eth_getRawTransactionByBlockNumberAndIndex', '0x1'],
    ['eth_getRawTransactionByBlockHashAndIndex', hash],
  ] as const
  for (const [method, block] of places) {
    for (const [index, transaction] of signed.entries())
      expect(await node.call(method, block, `0x${index}`)).toBe(transaction)
    expect(await node.call(method, block, '0x2')).toBeNull()
  }
  expect(await node.call('eth_getRawTransactionByBlockNumberAndIndex', '0x99', '0x0')).toBeNull()
  expect((await node.rpc('eth_getRawTransactionByBlockHashAndIndex', '0x12', '0x0')).error?.code).toBe(-32602)
})

test('given eth_protocolVersion, when it is called, then it is that of eth/69', async () => {
  expect(await node.call('eth_protocolVersion')).toBe('0x45')
})

test('given eth_getBlockAccessList, when the block exists, then it is refused with -32001, otherwise null', async () => {
  const error = { code: -32001, message: 'Resource not found' }
  for (const block of ['0x0', 'latest'])
    expect((await node.rpc('eth_getBlockAccessList', block)).error).toEqual(error)
  expect(await node.call('eth_getBlockAccessList', '0x99')).toBeNull()
  expect((await node.rpc('eth_getBlockAccessList')).error?.code).toBe(-32602)
})
