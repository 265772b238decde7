import { afterEach, describe, expect, test } from 'bun:test'
import { privateKeyToAccount } from 'viem/accounts'
import type { RpcNetwork } from '../../../handlers/rpc/context.ts'
import { ACCOUNTS, startTestNode, type TestNode, type TestNodeOptions } from '../support/testNode.ts'

const SENDER = privateKeyToAccount((ACCOUNTS[0] as (typeof ACCOUNTS)[0]).privateKey)
const GWEI = 1_000_000_000n

let node: TestNode
afterEach(() => node.close())

const notMining = { mining: () => Promise.resolve(false) }

/** What is said of a transaction that was just sent; `later` may change the node before. */
const explained = async (
  options: TestNodeOptions = {},
  fees: { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint } = {
    maxFeePerGas: 10n * GWEI,
    maxPriorityFeePerGas: GWEI,
  },
  later: () => void = () => undefined,
): Promise<unknown> => {
  node = await startTestNode(options)
  await node.mineEmpty()
  const raw = await SENDER.signTransaction({
    type: 'eip1559',
    chainId: 1337,
    gas: 21_000n,
    to: `0x${'77'.repeat(20)}`,
    nonce: 0,
    ...fees,
  })
  const hash = await node.call('eth_sendRawTransaction', raw)
  later()
  return node.call('txpool_explain', hash)
}

const withPeers = (count: number) => ({ peerCount: () => count }) as unknown as RpcNetwork

describe('given txpool_explain of a transaction that the next block can take', () => {
  test('when the node makes blocks, then it says so', async () => {
    expect(await explained()).toBe('nonce 0 ready for the next block')
  })

  test('when the node makes none, then it says that', async () => {
    expect(await explained({ host: { ...notMining, network: withPeers(3) } })).toBe(
      'nonce 0 ready for the next block as far as this node knows: it produces no blocks itself, and a validator may require a higher price',
    )
  })

  test('when the node has no peers, then it says that no other validator receives it', async () => {
    expect(await explained({ host: { ...notMining, network: withPeers(0) } })).toBe(
      'nonce 0 ready for the next block, but this node produces no blocks and has no peers',
    )
  })

  test('when the network stalls, then it says for how long, and the round of a validator', async () => {
    const later = (): void => {
      node.nowMs += 600_000
    }
    expect(await explained({ host: { round: () => 7 } }, undefined, later)).toBe(
      'nonce 0 ready for the next block, but no block has come for 600 s (round 7): a quorum of validators must run and be connected',
    )
    await node.close()
    expect(await explained({ host: notMining }, undefined, later)).toBe(
      'nonce 0 ready for the next block, but no block has come for 600 s: a quorum of validators must run and be connected',
    )
  })

  test('when the node syncs, then it says that it does not know the next block', async () => {
    const syncing = () => ({ startingBlock: 0n, currentBlock: 1n, highestBlock: 90n })
    expect(await explained({ host: { syncing } })).toBe(
      'nonce 0 ready for the next block, but this node is at block 1 of 90 and does not have the next one yet',
    )
  })
})

describe('given txpool_explain of a transaction below the price', () => {
  test('when the base fee is higher, then it names the base fee', async () => {
    expect(await explained({}, { maxFeePerGas: 1_000n, maxPriorityFeePerGas: 1_000n })).toBe(
      "nonce 0 waiting: its max fee per gas 1000 wei is below the next block's base fee 765625000 wei",
    )
  })

  test('when the pool takes less than the node’s blocks, then it names the minimum', async () => {
    const fees = { maxFeePerGas: 2n * GWEI, maxPriorityFeePerGas: 2n * GWEI }
    expect(await explained({ rpc: { minGasPrice: 3n * GWEI }, pool: { minGasPrice: 0n } }, fees)).toBe(
      "nonce 0 waiting: its max fee per gas 2000000000 wei is below this node's minimum gas price 3000000000 wei",
    )
  })
})
