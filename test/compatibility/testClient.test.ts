import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createTestClient,
  createWalletClient,
  http,
  keccak256,
  parseEther,
  publicActions,
  recoverMessageAddress,
  recoverTypedDataAddress,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { localhost } from 'viem/chains'
import { DEVELOPMENT_ACCOUNTS } from '../../core/genesis/development/accounts.ts'
import { toHex } from '../../core/bytes/hex.ts'
import { METHODS } from '../../handlers/rpc/methods/methodTable.ts'
import { writeNetwork } from '../runtime/genesis.ts'
import { type NodeProcess, PROCESS_TEST_TIMEOUT_MS, runCommand, startNode } from '../runtime/nodeProcess.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

const [FIRST, SECOND] = DEVELOPMENT_ACCOUNTS.map(({ address }) => toHex(address)) as [
  `0x${string}`,
  `0x${string}`,
]
const STRANGER = '0x00000000000000000000000000000000000abcde'
const CONTRACT = '0x00000000000000000000000000000000000c0de0'
/** SLOAD of slot 0, returned. */
const READS_SLOT = '0x60005460005260206000f3'

let folder: string
let node: NodeProcess

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-test-client-'))
  node = await startNode(folder)
})

afterAll(async () => {
  await node.kill()
  rmSync(folder, { recursive: true, force: true })
})

const chain = { ...localhost, id: 1337 }

const clientOf = (mode: 'anvil' | 'hardhat') =>
  createTestClient({ mode, chain, pollingInterval: 20, transport: http(node.url) }).extend(publicActions)

test('given automatic blocks, when an unlocked account sends a transaction, then its block is made before the answer', async () => {
  for (let sent = 0; sent < 5; sent++) {
    const hash = await node.rpc('eth_sendTransaction', { from: FIRST, to: SECOND, value: '0x1' })
    expect(await node.rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  }
})

for (const mode of ['anvil', 'hardhat'] as const)
  describe(`given viem’s test client in ${mode} mode`, () => {
    test('when it mines, then blocks have the number and the times that it asked for', async () => {
      const client = clientOf(mode)
      const before = await client.getBlock()
      await client.mine({ blocks: 5, interval: 60 })
      const after = await client.getBlock()
      expect(after.number).toBe(before.number + 5n)
      expect(after.timestamp).toBeGreaterThanOrEqual(before.timestamp + 240n)
      await client.setNextBlockTimestamp({ timestamp: after.timestamp + 1_000n })
      await client.mine({ blocks: 1 })
      expect((await client.getBlock()).timestamp).toBe(after.timestamp + 1_000n)
      await client.increaseTime({ seconds: 5_000 })
      await client.mine({ blocks: 1 })
      expect((await client.getBlock()).timestamp).toBeGreaterThanOrEqual(after.timestamp + 6_000n)
    })

    test('when it reverts to a snapshot, then state, blocks and time are as they were, and the snapshot is used up', async () => {
      const client = clientOf(mode)
      const block = await client.getBlock()
      const id = await client.snapshot()
      await client.setBalance({ address: STRANGER, value: parseEther('5') })
      await client.mine({ blocks: 3 })
      expect(await client.getBalance({ address: STRANGER })).toBe(parseEther('5'))
      await client.revert({ id })
      expect((await client.getBlock()).hash).toBe(block.hash)
      expect(await client.getBalance({ address: STRANGER })).toBe(0n)
      expect(await client.request({ method: 'evm_revert', params: [id] } as never)).toBe(false as never)
      await client.mine({ blocks: 1 })
      expect((await client.getBlock()).parentHash).toBe(block.hash)
    })

    test('when it edits the state, then reads and transactions find the edits before and after the next block', async () => {
      const client = clientOf(mode)
      const id = await client.snapshot()
      await client.setCode({ address: CONTRACT, bytecode: READS_SLOT })
      await client.setStorageAt({ address: CONTRACT, index: 0, value: `0x${'2a'.padStart(64, '0')}` })
      await client.setNonce({ address: STRANGER, nonce: 9 })
      const check = async () => {
        expect((await client.call({ to: CONTRACT })).data).toBe(`0x${'2a'.padStart(64, '0')}`)
        expect(await client.getCode({ address: CONTRACT })).toBe(READS_SLOT)
        expect(await client.getTransactionCount({ address: STRANGER })).toBe(9)
      }
      await check()
      await client.mine({ blocks: 2 })
      await check()
      await client.revert({ id })
      expect(await client.getCode({ address: CONTRACT })).toBeUndefined()
    })

    test('when it impersonates a contract, then the contract sends, and after it stops it does not', async () => {
      const client = clientOf(mode)
      const id = await client.snapshot()
      await client.setCode({ address: CONTRACT, bytecode: READS_SLOT })
      await client.setBalance({ address: CONTRACT, value: parseEther('1') })
      await client.impersonateAccount({ address: CONTRACT })
      const wallet = createWalletClient({ account: CONTRACT, chain, transport: http(node.url) })
      const hash = await wallet.sendTransaction({ to: STRANGER, value: 7n })
      const receipt = await client.waitForTransactionReceipt({ hash })
      expect(receipt.from).toBe(CONTRACT)
      expect(await client.getBalance({ address: STRANGER })).toBe(7n)
      const trace = await client.request({
        method: 'debug_traceTransaction',
        params: [hash, { tracer: 'callTracer' }],
      } as never)
      expect(trace).toMatchObject({ from: CONTRACT, value: '0x7' })
      await client.stopImpersonatingAccount({ address: CONTRACT })
      const refused = await wallet
        .sendTransaction({ to: STRANGER, value: 7n })
        .catch((error: unknown) => error)
      expect(String(refused)).toContain('holds no key of this account')
      await client.revert({ id })
    })

    test('when automatic blocks are off, then a transaction waits, and one that is dropped never comes', async () => {
      const client = clientOf(mode)
      await client.setAutomine(false)
      const wallet = createWalletClient({ account: FIRST, chain, transport: http(node.url) })
      const dropped = await wallet.sendTransaction({ to: STRANGER, value: 1n })
      await client.dropTransaction({ hash: dropped })
      const hash = await wallet.sendTransaction({ to: SECOND, value: 1n })
      const before = await client.getBlockNumber({ cacheTime: 0 })
      await client.mine({ blocks: 1 })
      expect((await client.getTransactionReceipt({ hash })).blockNumber).toBe(before + 1n)
      await client.setAutomine(true)
      const next = await wallet.sendTransaction({ to: SECOND, value: 1n })
      expect((await client.waitForTransactionReceipt({ hash: next })).status).toBe('success')
    })

    test('when it resets the chain, then only the genesis block is left', async () => {
      const client = clientOf(mode)
      await client.mine({ blocks: 2 })
      await client.reset()
      expect(await client.getBlockNumber({ cacheTime: 0 })).toBe(0n)
      expect(await client.getTransactionCount({ address: FIRST })).toBe(0)
    })
  })

describe('given the unlocked accounts of a development chain', () => {
  const wallet = () => createWalletClient({ account: FIRST, chain, transport: http(node.url) })

  test('when they are listed, then they are those whose keys the banner shows', async () => {
    expect(await wallet().getAddresses()).toHaveLength(DEVELOPMENT_ACCOUNTS.length)
    expect((await wallet().getAddresses())[0]?.toLowerCase()).toBe(FIRST)
  })

  test('when one signs a message or typed data, then the signature is its own', async () => {
    const message = 'hello'
    const signature = await wallet().signMessage({ message })
    expect((await recoverMessageAddress({ message, signature })).toLowerCase()).toBe(FIRST)
    const data = {
      domain: { name: 'Mail', version: '1', chainId: 1337n, verifyingContract: CONTRACT },
      types: {
        Person: [
          { name: 'name', type: 'string' },
          { name: 'wallets', type: 'address[]' },
        ],
        Mail: [
          { name: 'from', type: 'Person' },
          { name: 'to', type: 'Person[2]' },
          { name: 'amount', type: 'int64' },
          { name: 'hash', type: 'bytes32' },
          { name: 'body', type: 'bytes' },
          { name: 'isSent', type: 'bool' },
        ],
      },
      primaryType: 'Mail',
      message: {
        from: { name: 'Ann', wallets: [FIRST, SECOND] },
        to: [
          { name: 'Bob', wallets: [] },
          { name: 'Eve', wallets: [SECOND] },
        ],
        amount: -5n,
        hash: keccak256('0x01'),
        body: '0x0102',
        isSent: true,
      },
    } as const
    const typed = await wallet().signTypedData(data)
    expect((await recoverTypedDataAddress({ ...data, signature: typed })).toLowerCase()).toBe(FIRST)
    const local = privateKeyToAccount(
      toHex(DEVELOPMENT_ACCOUNTS[0]?.privateKey as Uint8Array) as `0x${string}`,
    )
    expect(typed).toBe(await local.signTypedData(data))
  })
})

describe('given a chain of a genesis file', () => {
  test('when a method of a development chain is called, then it is not enabled, and the group is refused', async () => {
    const data = mkdtempSync(join(tmpdir(), 'quorate-real-chain-'))
    const args = ['--rpc-http-enabled', ...writeNetwork(data)]
    const { code, error } = await runCommand([
      `--data-path=${data}`,
      '--rpc-http-port=0',
      '--rpc-http-api=ETH,DEV',
      ...args,
    ])
    expect(code).not.toBe(0)
    expect(error).toContain('only a development chain has it')
    const real = await startNode(data, args)
    try {
      const rows = METHODS.filter(({ group }) => group === 'DEV')
      expect(rows.length).toBeGreaterThan(40)
      const valid = [STRANGER, '0x1', '0x1'] as const
      for (const { name } of rows) {
        const refused = await real.rpc(name, ...valid).catch((error: unknown) => String(error))
        expect(refused).toContain('-32604')
      }
      expect(await real.rpc<readonly string[]>('eth_accounts')).toEqual([])
    } finally {
      await real.kill()
      rmSync(data, { recursive: true, force: true })
    }
  })
})
