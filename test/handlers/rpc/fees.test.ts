import { afterEach, describe, expect, test } from 'bun:test'
import { privateKeyToAccount } from 'viem/accounts'
import { toQuantity } from '../../../core/bytes/hex.ts'
import { ACCOUNTS, startTestNode, type TestNode, type TestNodeOptions } from '../support/testNode.ts'

const SENDER = privateKeyToAccount((ACCOUNTS[0] as (typeof ACCOUNTS)[0]).privateKey)
const TO = `0x${'77'.repeat(20)}` as const
const GWEI = 1_000_000_000n

let node: TestNode
afterEach(() => node.close())

/** Half of it is less than a transfer takes: a block with one has no room left. */
const FULL_BLOCK_GAS = '0x9c40'

/** A node whose blocks have one transaction each, of these gas prices (legacy) or priority fees (EIP-1559). */
const startWith = async (
  { prices = [], tips = [] }: { readonly prices?: readonly bigint[]; readonly tips?: readonly bigint[] },
  options: TestNodeOptions = {},
): Promise<void> => {
  node = await startTestNode(options)
  let nonce = 0
  const common = { chainId: 1337, gas: 21_000n, to: TO }
  const send = async (raw: string): Promise<void> => {
    await node.call('eth_sendRawTransaction', raw)
    await node.mine()
  }
  for (const gasPrice of prices)
    await send(await SENDER.signTransaction({ ...common, type: 'legacy', nonce: nonce++, gasPrice }))
  for (const maxPriorityFeePerGas of tips) {
    const fees = { maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas }
    await send(await SENDER.signTransaction({ ...common, ...fees, type: 'eip1559', nonce: nonce++ }))
  }
}

const fullBlocks = (genesis: Record<string, unknown>): void => {
  genesis['gasLimit'] = FULL_BLOCK_GAS
}

/** Of the next block, wei per gas. */
const baseFee = async (): Promise<bigint> => BigInt((await node.call('eth_baseFee')) as string)

/** Of the head and the next block, wei per gas. */
const highestBaseFee = async (): Promise<bigint> => {
  const { baseFeePerGas } = (await node.call('eth_feeHistory', 1, 'latest')) as { baseFeePerGas: string[] }
  return baseFeePerGas.map(BigInt).reduce((a, b) => (a > b ? a : b))
}

describe('given eth_gasPrice', () => {
  const prices = [2n, 9n, 4n, 7n, 5n].map(gwei => gwei * GWEI)
  const answered = async (rpc: TestNodeOptions['rpc']): Promise<unknown> => {
    await startWith({ prices }, { rpc: rpc ?? {}, genesis: fullBlocks })
    return node.call('eth_gasPrice')
  }

  test('when blocks are full, then it is the median of the paid prices', async () => {
    // The genesis block counts as one that took the lowest price.
    expect(await answered({})).toBe(toQuantity(5n * GWEI))
  })

  test('when percentile, blocks and maximum are configured, then they apply', async () => {
    expect(await answered({ gasPricePercentile: 100 })).toBe(toQuantity(9n * GWEI))
    await node.close()
    expect(await answered({ gasPriceBlocks: 2, gasPricePercentile: 0 })).toBe(toQuantity(5n * GWEI))
    await node.close()
    expect(await answered({ gasPriceMax: 3n * GWEI })).toBe(toQuantity(3n * GWEI))
  })

  test('when one odd price was paid in a block with room, then it follows the lowest', async () => {
    await startWith({ prices: [100n * GWEI] })
    expect(await node.call('eth_gasPrice')).toBe(toQuantity(await highestBaseFee()))
    expect(await node.call('eth_maxPriorityFeePerGas')).toBe('0x0')
  })

  test('when a block needs more, then it is never below that', async () => {
    await startWith({}, { rpc: { minGasPrice: 30n * GWEI } })
    expect(await node.call('eth_gasPrice')).toBe(toQuantity(30n * GWEI))
    await node.close()
    await startWith({ tips: [1n] })
    expect(await node.call('eth_gasPrice')).toBe(toQuantity(await highestBaseFee()))
  })
})

describe('given eth_gasPrice and calls', () => {
  const transfer = { from: SENDER.address, to: TO }
  const accepts = async (block: string): Promise<void> => {
    const gasPrice = await node.call('eth_gasPrice')
    expect(await node.call('eth_estimateGas', { ...transfer, gasPrice }, block)).toBe('0x5208')
    expect(await node.call('eth_call', { ...transfer, gasPrice }, block)).toBe('0x')
  }

  test.each(['latest', 'pending'])(
    'when the base fee rises or falls, then the price is accepted in the %s block',
    async block => {
      await startWith({ tips: [1n] })
      await accepts(block)
      await node.close()
      await startWith({ tips: [1n] }, { genesis: fullBlocks })
      await accepts(block)
    },
  )
})

describe('given eth_maxPriorityFeePerGas', () => {
  test('when tips were offered, then it is their median, and never below the minimum', async () => {
    const tips = [3n, 1n, 2n]
    await startWith({ tips })
    expect(await node.call('eth_maxPriorityFeePerGas')).toBe('0x2')
    await node.close()
    await startWith({ tips }, { rpc: { minPriorityFee: 9n }, pool: { minGasPrice: 0n } })
    expect(await node.call('eth_maxPriorityFeePerGas')).toBe('0x9')
    await node.close()
    await startWith({})
    expect(await node.call('eth_maxPriorityFeePerGas')).toBe('0x0')
    await node.close()
    // Nobody follows a single odd one.
    await startWith({ tips: [5n * GWEI] })
    expect(await node.call('eth_maxPriorityFeePerGas')).toBe('0x0')
  })
})

describe('given a minimum gas price above the base fee', () => {
  const minGasPrice = 30n * GWEI

  test('when a tip is suggested, then a transaction with it reaches the minimum after ninety empty blocks', async () => {
    await startWith({}, { rpc: { minGasPrice } })
    await node.mine()
    const base = await baseFee()
    let later = base
    for (let block = 0; block < 90; block++) later -= later / 8n
    const lowest = minGasPrice - base / 2n ** 18n
    expect(lowest + later).toBeGreaterThanOrEqual(minGasPrice)
    expect(await node.call('eth_maxPriorityFeePerGas')).toBe(toQuantity(lowest))
    expect(await node.call('eth_feeHistory', 2, 'latest', [0, 50])).toMatchObject({
      reward: [
        [toQuantity(lowest), toQuantity(lowest)],
        [toQuantity(lowest), toQuantity(lowest)],
      ],
    })
  })

  test('when a transaction stays below, then it is refused; a block takes what is accepted', async () => {
    await startWith({}, { rpc: { minGasPrice } })
    const raw = (maxPriorityFeePerGas: bigint) =>
      SENDER.signTransaction({
        type: 'eip1559',
        chainId: 1337,
        gas: 21_000n,
        to: TO,
        nonce: 0,
        maxFeePerGas: 60n * GWEI,
        maxPriorityFeePerGas,
      })
    const tip = minGasPrice - (await baseFee())
    expect((await node.rpc('eth_sendRawTransaction', await raw(tip - 1n))).error).toEqual({
      code: -32009,
      message: 'Gas price below configured minimum gas price',
      data: expect.stringContaining(`less than this node's minimum of ${minGasPrice} wei`),
    })
    const hash = await node.call('eth_sendRawTransaction', await raw(tip))
    // The base fee falls before the block.
    await node.mineEmpty()
    await node.mine()
    expect(await node.call('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  })
})

describe('given limits of gas and fees', () => {
  // Returns the gas that is left.
  const gasLeft = async (gas?: string): Promise<bigint> => {
    const overrides = { [TO]: { code: '0x5a60005260206000f3' } }
    const call = gas === undefined ? { to: TO } : { to: TO, gas }
    return BigInt((await node.call('eth_call', call, 'latest', overrides)) as string)
  }

  test('when a call names gas, then it has it up to the cap; without a cap it has any', async () => {
    await startWith({}, { rpc: { gasCap: 1_000_000n } })
    expect(await gasLeft('0x186a0')).toBe(100_000n - 21_000n - 2n)
    expect(await gasLeft('0x1e8480')).toBe(1_000_000n - 21_000n - 2n)
    expect(await gasLeft()).toBe(1_000_000n - 21_000n - 2n)
    await node.close()
    await startWith({}, { rpc: { gasCap: 0n } })
    expect(await gasLeft('0x5f5e100')).toBe(100_000_000n - 21_000n - 2n)
  })

  test('when a transaction’s price is above the cap, then it is refused; without a cap it is accepted', async () => {
    const raw = await SENDER.signTransaction({
      type: 'legacy',
      chainId: 1337,
      gas: 21_000n,
      to: TO,
      nonce: 0,
      gasPrice: 10n * GWEI,
    })
    await startWith({}, { pool: { feeCapWei: 9n * GWEI } })
    expect((await node.rpc('eth_sendRawTransaction', raw)).error).toMatchObject({
      code: -32000,
      message: 'Transaction fee cap exceeded',
    })
    await node.close()
    await startWith({}, { pool: { feeCapWei: 0n } })
    expect((await node.rpc('eth_sendRawTransaction', raw)).error).toBeUndefined()
  })
})
