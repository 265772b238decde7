import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestClient, createWalletClient, http, parseEther, publicActions, walletActions } from 'viem'
import { localhost } from 'viem/chains'
import { toHex } from '../../core/bytes/hex.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../core/genesis/development/accounts.ts'
import { until } from '../support/until.ts'
import { withFolder } from '../runtime/folder.ts'
import { writeNetwork } from '../runtime/genesis.ts'
import { type NodeProcess, PROCESS_TEST_TIMEOUT_MS, runCommand, startNode } from '../runtime/nodeProcess.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

const FIRST = toHex(DEVELOPMENT_ACCOUNTS[0]?.address as Uint8Array) as `0x${string}`
const BENEFICIARY = '0x00000000000000000000000000000000000be0ef'
const STRANGER = '0x00000000000000000000000000000000000abcde'
const CONTRACT = '0x00000000000000000000000000000000000c0de0'
/** COINBASE, returned. */
const RETURNS_COINBASE = '0x4160005260206000f3'
const chain = { ...localhost, id: 1337 }

let folder: string
let node: NodeProcess

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-development-blocks-'))
  node = await startNode(folder, ['--dev-client-version=anvil/v1.7.1'])
})

afterAll(async () => {
  await node.kill()
  rmSync(folder, { recursive: true, force: true })
})

const clientOf = (mode: 'anvil' | 'hardhat') =>
  createTestClient({ mode, chain, pollingInterval: 20, transport: http(node.url) })
    .extend(publicActions)
    .extend(walletActions)

for (const mode of ['anvil', 'hardhat'] as const)
  describe(`given viem’s test client in ${mode} mode`, () => {
    test('when it sets coinbase and base fee, then blocks have them, fees go there, and a revert takes both back', async () => {
      const client = clientOf(mode)
      const original = await client.request({ method: 'eth_coinbase' } as never)
      const id = await client.snapshot()
      await client.setCoinbase({ address: BENEFICIARY })
      await client.setNextBlockBaseFeePerGas({ baseFeePerGas: 3_000_000_000n })
      const hash = await client.sendTransaction({
        account: FIRST,
        to: STRANGER,
        value: 1n,
        maxFeePerGas: 5_000_000_000n,
        maxPriorityFeePerGas: 1_000_000_000n,
      })
      const { blockNumber, effectiveGasPrice, gasUsed } = await client.waitForTransactionReceipt({ hash })
      const block = await client.getBlock({ blockNumber })
      expect(block.miner).toBe(BENEFICIARY)
      expect(block.baseFeePerGas).toBe(3_000_000_000n)
      expect(effectiveGasPrice).toBe(4_000_000_000n)
      expect(await client.getBalance({ address: BENEFICIARY })).toBe(gasUsed * 1_000_000_000n)
      expect(await client.request({ method: 'eth_coinbase' } as never)).toBe(BENEFICIARY as never)
      await client.setCode({ address: CONTRACT, bytecode: RETURNS_COINBASE })
      await client.mine({ blocks: 1 })
      const next = await client.getBlock()
      expect(next.miner).toBe(BENEFICIARY)
      expect(next.baseFeePerGas).toBeLessThan(3_000_000_000n)
      expect((await client.call({ to: CONTRACT })).data).toBe(`0x${BENEFICIARY.slice(2).padStart(64, '0')}`)

      await client.setNextBlockBaseFeePerGas({ baseFeePerGas: 0n })
      await client.revert({ id })
      await client.mine({ blocks: 1 })
      const after = await client.getBlock()
      expect(after.miner).toBe(original)
      expect(after.baseFeePerGas).toBeGreaterThan(0n)
    })

    test('when it sets the gas limit, then the next block and those after it have it, and larger transactions fit', async () => {
      const client = clientOf(mode)
      const id = await client.snapshot()
      const refused = await client.setBlockGasLimit({ gasLimit: 4_999n }).catch(String)
      expect(refused).toContain('5000 or more')
      await client.setBlockGasLimit({ gasLimit: 60_000_000n })
      await client.mine({ blocks: 2 })
      expect((await client.getBlock()).gasLimit).toBe(60_000_000n)
      await client.revert({ id })
    })

    test('when it asks for the chain, then metadata and client version are those that tools expect', async () => {
      const client = clientOf(mode)
      const block = await client.getBlock()
      expect(await client.request({ method: `${mode}_metadata` } as never)).toMatchObject({
        clientVersion: 'anvil/v1.7.1',
        chainId: 1337,
        latestBlockNumber: Number(block.number),
        latestBlockHash: block.hash,
      })
      expect(await client.request({ method: 'web3_clientVersion' } as never)).toBe('anvil/v1.7.1' as never)
      expect(await client.getAutomine()).toBe(true)
      expect(await client.request({ method: `${mode}_setLoggingEnabled`, params: [false] } as never)).toBe(
        (mode === 'hardhat' ? true : null) as never,
      )
      expect(await client.request({ method: `${mode}_setLoggingEnabled`, params: [true] } as never)).toBe(
        (mode === 'hardhat' ? true : null) as never,
      )
    })
  })

describe('given methods of anvil alone', () => {
  test('when an unsigned transaction is sent, the pool is emptied or blocks are rolled back, then it is as in anvil', async () => {
    const client = clientOf('anvil')
    const id = await client.snapshot()
    await client.setBalance({ address: STRANGER, value: parseEther('1') })
    const hash = await client.sendUnsignedTransaction({ from: STRANGER, to: BENEFICIARY, value: 5n })
    expect((await client.waitForTransactionReceipt({ hash })).from).toBe(STRANGER)
    await client.setAutomine(false)
    await client.sendTransaction({ account: FIRST, to: STRANGER, value: 1n })
    expect((await client.getTxpoolStatus()).pending).toBe(1)
    await node.rpc('anvil_removePoolTransactions', FIRST)
    expect((await client.getTxpoolStatus()).pending).toBe(0)
    await client.setAutomine(true)
    const before = await client.getBlock()
    await client.mine({ blocks: 3 })
    await node.rpc('anvil_rollback', 3)
    expect((await client.getBlock()).hash).toBe(before.hash)
    expect(await node.rpc('anvil_nodeInfo')).toMatchObject({
      currentBlockHash: before.hash,
      environment: { chainId: 1337 },
      hardFork: 'osaka',
    })
    await client.revert({ id })
  })

  test('when integers are strings, then they are hex with 0x and decimal without, and letters without 0x are refused', async () => {
    const id = await node.rpc('evm_snapshot')
    const before = await node.rpc<number>('evm_increaseTime', 0)
    expect(await node.rpc<number>('evm_increaseTime', '60')).toBe(before + 60)
    expect(await node.rpc<number>('evm_increaseTime', '0x3c')).toBe(before + 120)
    await node.rpc('anvil_setBalance', STRANGER, '100')
    expect(await node.rpc<string>('eth_getBalance', STRANGER, 'latest')).toBe('0x64')
    await node.rpc('anvil_setStorageAt', STRANGER, '10', `0x${'01'.repeat(32)}`)
    expect(await node.rpc<string>('eth_getStorageAt', STRANGER, '0xa', 'latest')).toBe(`0x${'01'.repeat(32)}`)
    const number = BigInt(await node.rpc<string>('eth_blockNumber'))
    await node.rpc('hardhat_mine', '10')
    expect(BigInt(await node.rpc<string>('eth_blockNumber'))).toBe(number + 10n)
    expect(await node.rpc('evm_increaseTime', 'abc').catch(String)).toContain('-32602')
    expect(await node.rpc('anvil_setNonce', STRANGER, '1e3').catch(String)).toContain('-32602')
    expect(await node.rpc<boolean>('evm_revert', id)).toBe(true)
  })

  test('when a method is not offered, then it is not found', async () => {
    for (const name of ['anvil_dumpState', 'anvil_loadState', 'anvil_reorg', 'anvil_setChainId'])
      expect(await node.rpc(name, '0x1').catch(String)).toContain('-32601')
  })
})

test('given --block-period, when no transactions come, then blocks come all the same, until automatic blocks are asked for', () =>
  withFolder(async data => {
    const running = await startNode(data, ['--block-period=0.1'])
    try {
      await until(async () => Number(await running.rpc<string>('eth_blockNumber')) >= 3)
      expect(await running.rpc<boolean>('hardhat_getAutomine')).toBe(false)
      expect(await running.rpc<number>('anvil_getIntervalMining')).toBe(0.1)
      const client = createWalletClient({ account: FIRST, chain, transport: http(running.url) })
      await client.sendTransaction({ to: STRANGER, value: 1n })
      await until(async () => (await running.rpc<string>('eth_getBalance', STRANGER, 'latest')) === '0x1')
    } finally {
      await running.kill()
    }
  }))

test('given a header that was set by hand, when the chain is exported or followed, then it is refused', () =>
  withFolder(async data => {
    const running = await startNode(data)
    await running.rpc('hardhat_setCoinbase', BENEFICIARY)
    await running.rpc('evm_mine')
    expect(await running.stop()).toBe(0)
    const again = await startNode(data)
    expect((await again.rpc<{ miner: string }>('eth_getBlockByNumber', 'latest', false)).miner).toBe(
      BENEFICIARY,
    )
    expect(await again.stop()).toBe(0)
    const exported = await runCommand([
      'blocks',
      'export',
      `--data-path=${data}`,
      `--to=${join(data, 'chain.rlp')}`,
    ])
    expect(exported.error).toContain('set by hand')
  }))

test('given a genesis file, when an option of a development chain is given, then it is refused', () =>
  withFolder(async data => {
    for (const [name, value] of [
      ['block-period', '1'],
      ['dev-client-version', 'anvil/v1'],
    ] as const) {
      const { code, error } = await runCommand([
        `--data-path=${data}`,
        ...writeNetwork(data),
        `--${name}=${value}`,
      ])
      expect(code).not.toBe(0)
      expect(error).toContain(`--${name} is for a development chain`)
    }
  }))
