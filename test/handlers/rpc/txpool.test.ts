import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { privateKeyToAccount } from 'viem/accounts'
import { wholeOf } from '../../../handlers/rpc/pool/content.ts'
import { ACCOUNTS, startTestNode, type TestNode } from '../support/testNode.ts'
import { transfer } from '../support/transfers.ts'

const [FIRST, SECOND] = ACCOUNTS.slice(0, 2).map(({ privateKey }) => privateKeyToAccount(privateKey)) as [
  ReturnType<typeof privateKeyToAccount>,
  ReturnType<typeof privateKeyToAccount>,
]
const RECIPIENT = (ACCOUNTS[2] as (typeof ACCOUNTS)[0]).address

let node: TestNode
beforeEach(async () => {
  node = await startTestNode({ rpc: { apis: ['ETH', 'TXPOOL'] } })
})
afterEach(() => node.close())

const send = async (account: typeof FIRST, nonce: number, more: object = {}): Promise<string> => {
  const raw = await transfer(nonce, { to: RECIPIENT, value: 7n, ...more }, account)
  return (await node.call('eth_sendRawTransaction', raw)) as string
}

type Content = Record<'pending' | 'queued', Record<string, Record<string, unknown>>>

describe('given the contents of the pool', () => {
  test('when they are read, then they are by sender and nonce, with queued ones apart', async () => {
    const hashes = [await send(FIRST, 0), await send(FIRST, 1), await send(FIRST, 9), await send(SECOND, 3)]
    const content = (await node.call('txpool_content')) as Content
    const [first, second] = [FIRST.address.toLowerCase(), SECOND.address.toLowerCase()]
    expect(Object.keys(content.pending)).toEqual([first])
    expect(Object.keys(content.pending[first] ?? {})).toEqual(['0', '1'])
    expect(content.queued).toMatchObject({
      [first]: { 9: { hash: hashes[2], from: first, nonce: '0x9', blockHash: null } },
      [second]: { 3: { hash: hashes[3] } },
    })
    expect(await node.call('txpool_contentFrom', FIRST.address)).toEqual({
      pending: content.pending[first],
      queued: content.queued[first],
    })
    expect(await node.call('txpool_status')).toEqual({ pending: '0x2', queued: '0x2' })
  })

  test('when they are inspected, then lines for people say which nonce each waits for', async () => {
    await send(FIRST, 0)
    await send(FIRST, 2)
    await send(FIRST, 9, { to: undefined, gas: 60_000n })
    const { pending, queued } = (await node.call('txpool_inspect')) as Content
    const account = FIRST.address.toLowerCase()
    expect(pending[account]).toEqual({ 0: `${RECIPIENT}: 7 wei + 21000 gas × 2000000000 wei` })
    expect(queued[account]).toEqual({
      2: `${RECIPIENT}: 7 wei + 21000 gas × 2000000000 wei (nonce 2 queued: waiting for nonce 1)`,
      9: 'contract creation: 7 wei + 60000 gas × 2000000000 wei (nonce 9 queued: waiting for nonce 1)',
    })
  })

  test('when a queued transaction waits for a nonce, then the pending nonce is that one, and moves on when it comes', async () => {
    const pendingNonce = () => node.call('eth_getTransactionCount', FIRST.address, 'pending')
    await send(FIRST, 0)
    const queued = await send(FIRST, 2)
    expect(await pendingNonce()).toBe('0x1')
    expect(await node.call('txpool_explain', queued)).toBe('nonce 2 queued: waiting for nonce 1')
    await node.mine()
    expect(await pendingNonce()).toBe('0x1')
    expect(await node.call('txpool_explain', queued)).toBe('nonce 2 queued: waiting for nonce 1')
    await send(FIRST, 1)
    expect(await pendingNonce()).toBe('0x3')
    expect(await node.call('txpool_status')).toEqual({ pending: '0x2', queued: '0x0' })
  })

  test('when the pool is too large, then it is not returned whole', async () => {
    await send(FIRST, 0)
    expect(() => wholeOf(node.pool, node.pool.bytes - 1)).toThrow('too large')
    expect(wholeOf(node.pool, node.pool.bytes).pending).toHaveLength(1)
  })
})
