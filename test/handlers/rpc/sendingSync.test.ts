import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { startTestNode, type TestNode } from '../support/testNode.ts'
import { SENDER, transfer } from '../support/transfers.ts'
import { until } from '../../support/until.ts'

let node: TestNode
beforeEach(async () => {
  node = await startTestNode()
})
afterEach(() => node.close())

/** Sends and mines once the pool has it. */
const sendAndMine = async (raw: string) => {
  const pooled = new Promise<void>(resolve => {
    const stop = node.pool.onAdded(() => {
      stop()
      resolve()
    })
  })
  const answer = node.rpc('eth_sendRawTransactionSync', raw)
  await pooled
  await node.mine()
  return await answer
}

describe('given eth_sendRawTransactionSync', () => {
  test('when a block contains the transaction, then it answers with the receipt', async () => {
    const { result } = await sendAndMine(await transfer(0))
    const { transactionHash } = result as { transactionHash: string }
    expect(result).toEqual(await node.call('eth_getTransactionReceipt', transactionHash))
    expect(result).toMatchObject({ status: '0x1', blockNumber: '0x1' })
  })

  test('when the time is over, then it is an error, and the transaction stays in the pool', async () => {
    const raw = await transfer(0)
    const { error } = await node.rpc('eth_sendRawTransactionSync', raw, '0x1')
    expect(error?.code).toBe(4)
    expect(node.pool.size).toBe(1)
    expect(error?.data).toMatch(/^0x[0-9a-f]{64}$/)
    await node.mine()
    expect(await node.call('eth_getTransactionReceipt', error?.data)).toMatchObject({ status: '0x1' })
  })

  test('when there is a nonce gap, then the error names the next nonce', async () => {
    await node.call('eth_sendRawTransaction', await transfer(0))
    const { error } = await node.rpc('eth_sendRawTransactionSync', await transfer(2))
    expect(error).toMatchObject({ code: 6, data: '0x1' })
    expect(node.pool.size).toBe(1)
    expect(await node.call('eth_getTransactionCount', SENDER.address, 'pending')).toBe('0x1')
  })

  test('when the pool drops the transaction, then it is an error', async () => {
    const first = node.rpc('eth_sendRawTransactionSync', await transfer(0))
    const higher = { maxFeePerGas: 4_000_000_000n, maxPriorityFeePerGas: 4n }
    await until(() => node.pool.size > 0)
    await node.call('eth_sendRawTransaction', await transfer(0, higher))
    expect((await first).error?.code).toBe(5)
  })

  test('when eth_sendRawTransaction refuses it, then it is refused, too', async () => {
    await sendAndMine(await transfer(0))
    const code = async (...params: readonly unknown[]) =>
      (await node.rpc('eth_sendRawTransactionSync', ...params)).error?.code
    expect(await code(await transfer(0))).toBe(-32001)
    expect(await code('0x12')).toBe(-32602)
    expect(await code()).toBe(-32602)
    expect(await code(await transfer(1), 'soon')).toBe(-32602)
    expect(await code(await transfer(1), '0x1', 1)).toBe(-32602)
    expect(node.pool.size).toBe(0)
  })
})
