import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toHex } from '../../../../core/bytes/hex.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../../../core/genesis/development/accounts.ts'
import { type NodeProcess, PROCESS_TEST_TIMEOUT_MS, startNode } from '../../nodeProcess.ts'
import { rejection } from '../../../support/rejection.ts'
import { until } from '../../../support/until.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

const [FIRST, SECOND] = DEVELOPMENT_ACCOUNTS.map(({ address }) => toHex(address)) as [string, string]
const STRANGER = '0x00000000000000000000000000000000000abcde'
const CONTRACT = '0x00000000000000000000000000000000000c0de0'
/** Without input it returns slot 0; with any it adds one to it and logs its topic 7. */
const COUNTS = '0x36600c575f545f5260205ff35b60015f54015f5560075f5fa1'
const GAS = '0x186a0'

const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`

let folder: string
let upstream: NodeProcess
let node: NodeProcess

const mined = async (on: NodeProcess, transaction: object): Promise<string> => {
  const hash = await on.rpc<string>('eth_sendTransaction', { gas: GAS, ...transaction })
  await until(async () => (await on.rpc('eth_getTransactionReceipt', hash)) !== null)
  return hash
}

const slotOf = (on: NodeProcess, block: string): Promise<string> =>
  on.rpc('eth_call', { to: CONTRACT }, block)

/** The message of the error with which a call fails. */
const failure = async (on: NodeProcess, method: string, ...params: readonly unknown[]): Promise<string> =>
  ((await rejection(on.rpc(method, ...params))) as Error).message

let counted: string
let sent: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-fork-'))
  upstream = await startNode(join(folder, 'upstream'))
  await upstream.rpc('anvil_setCode', CONTRACT, COUNTS)
  await upstream.rpc('evm_mine')
  counted = await mined(upstream, { from: FIRST, to: CONTRACT, data: '0x01' })
  sent = await mined(upstream, { from: FIRST, to: STRANGER, value: '0x5' })
  node = await startNode(join(folder, 'node'), [`--fork-url=${upstream.url}`])
})

afterAll(async () => {
  await node.kill()
  await upstream.kill()
  rmSync(folder, { recursive: true, force: true })
})

describe('given a chain that forks the head of another network', () => {
  test('when it is read, then blocks, receipts, logs and state are those of the network', async () => {
    const last = await upstream.rpc('eth_blockNumber')
    const calls: readonly (readonly [string, ...unknown[]])[] = [
      ['eth_chainId'],
      ['eth_blockNumber'],
      ['eth_getBlockByNumber', last, true],
      ['eth_getBlockByNumber', '0x0', true],
      ['eth_getBlockReceipts', '0x2'],
      ['eth_getTransactionByHash', counted],
      ['eth_getTransactionReceipt', sent],
      ['eth_getLogs', { fromBlock: '0x0', toBlock: 'latest', topics: [word(7)] }],
      ['eth_getCode', CONTRACT, 'latest'],
      ['eth_getStorageAt', CONTRACT, '0x0', 'latest'],
      ['eth_getBalance', STRANGER, 'latest'],
      ['eth_getBalance', STRANGER, '0x1'],
      ['eth_getTransactionCount', FIRST, '0x1'],
      ['eth_getTransactionCount', FIRST, 'latest'],
      ['eth_call', { to: CONTRACT }, '0x1'],
      ['eth_call', { to: CONTRACT }, '0x2'],
    ]
    for (const [method, ...params] of calls)
      expect({ method, params, result: await node.rpc(method, ...params) }).toEqual({
        method,
        params,
        result: await upstream.rpc(method, ...params),
      })
    const { hash } = await upstream.rpc<{ hash: string }>('eth_getBlockByNumber', last, false)
    expect((await node.rpc<{ number: string }>('eth_getBlockByHash', hash, false)).number).toBe(
      last as string,
    )
    expect(await node.rpc('anvil_nodeInfo')).toMatchObject({
      forkConfig: { forkUrl: upstream.url, forkBlockNumber: Number(last) },
    })
  })

  test('when it makes blocks, then they continue the state, and the network does not change', async () => {
    const id = await node.rpc('evm_snapshot')
    const last = await upstream.rpc<string>('eth_blockNumber')
    await node.rpc('anvil_impersonateAccount', CONTRACT)
    await node.rpc('anvil_setBalance', CONTRACT, '0xde0b6b3a7640000')
    await mined(node, { from: CONTRACT, to: STRANGER, value: '0x2' })
    const again = await mined(node, { from: FIRST, to: CONTRACT, data: '0x01' })
    expect(await node.rpc('eth_blockNumber')).toBe(`0x${(Number(last) + 2).toString(16)}`)
    expect(await node.rpc('eth_getBalance', STRANGER, 'latest')).toBe('0x7')
    expect(await node.rpc('eth_getBalance', STRANGER, last)).toBe('0x5')
    expect(await slotOf(node, 'latest')).toBe(word(2))
    expect(await slotOf(node, last)).toBe(word(1))
    const logs = await node.rpc<readonly { readonly transactionHash: string }[]>('eth_getLogs', {
      fromBlock: '0x0',
      toBlock: 'latest',
      address: CONTRACT,
    })
    expect(logs.map(({ transactionHash }) => transactionHash)).toEqual([counted, again])
    expect(await upstream.rpc('eth_blockNumber')).toBe(last)
    expect(await slotOf(upstream, 'latest')).toBe(word(1))
    expect(await node.rpc<boolean>('evm_revert', id)).toBe(true)
    expect(await node.rpc('eth_blockNumber')).toBe(last)
    expect(await slotOf(node, 'latest')).toBe(word(1))
    expect(await node.rpc('eth_getBalance', STRANGER, 'latest')).toBe('0x5')
  })

  test('when the network goes on, then the chain stays at its fork block', async () => {
    const last = await node.rpc('eth_blockNumber')
    await mined(upstream, { from: SECOND, to: STRANGER, value: '0x100' })
    const balance = '0x5'
    expect(await node.rpc('eth_blockNumber')).toBe(last)
    expect(await node.rpc('eth_getBalance', STRANGER, 'latest')).toBe(balance)
    expect(await node.rpc('eth_getBalance', SECOND, 'latest')).toBe('0x21e19e0c9bab2400000')
  })

  test('when a contract asks for the hash of an earlier block, then it is that of the network', async () => {
    const { hash } = await upstream.rpc<{ hash: string }>('eth_getBlockByNumber', '0x1', false)
    await node.rpc('anvil_setCode', SECOND, '0x60014060005260206000f3')
    expect(await node.rpc('eth_call', { to: SECOND }, 'latest')).toBe(hash)
    await node.rpc('anvil_setCode', SECOND, '0x')
  })

  test('when a proof is asked for, then it is refused with the reason', async () => {
    expect(await failure(node, 'eth_getProof', STRANGER, [], 'latest')).toMatch(/-32000 .*has no proofs/)
  })

  test('when one of its blocks and one of the network are traced, then both traces have the write', async () => {
    const id = await node.rpc('evm_snapshot')
    const again = await mined(node, { from: FIRST, to: CONTRACT, data: '0x01' })
    for (const hash of [counted, again]) {
      const { structLogs } = await node.rpc<{ structLogs: readonly { readonly op: string }[] }>(
        'debug_traceTransaction',
        hash,
      )
      expect(structLogs.map(({ op }) => op)).toContain('SSTORE')
    }
    await node.rpc('evm_revert', id)
  })
})

describe('given a reset', () => {
  test('when it names a network and a block, then the chain forks that block; without one it is of its own', async () => {
    const reset = (params: readonly unknown[]) => node.rpc<boolean>('hardhat_reset', ...params)
    expect(await reset([{ forking: { jsonRpcUrl: upstream.url, blockNumber: 2 } }])).toBe(true)
    expect(await node.rpc('eth_blockNumber')).toBe('0x2')
    expect(await slotOf(node, 'latest')).toBe(word(1))
    expect(await node.rpc('eth_getBalance', STRANGER, 'latest')).toBe('0x0')
    await mined(node, { from: FIRST, to: STRANGER, value: '0x9' })
    expect(await node.rpc('eth_getBalance', STRANGER, 'latest')).toBe('0x9')
    // viem's reset without parameters.
    expect(await reset([{ forking: { blockNumber: null } }])).toBe(true)
    expect(await node.rpc('eth_blockNumber')).toBe('0x2')
    expect(await node.rpc('eth_getBalance', STRANGER, 'latest')).toBe('0x0')
    expect(await reset([])).toBe(true)
    expect(await node.rpc('eth_blockNumber')).toBe('0x0')
    expect(await node.rpc('eth_getCode', CONTRACT, 'latest')).toBe('0x')
    await mined(node, { from: FIRST, to: STRANGER, value: '0x1' })
    expect(await node.rpc('eth_blockNumber')).toBe('0x1')
  })

  test('when the network cannot be read, then the reset fails with the reason, and the chain stays', async () => {
    const before = await node.rpc('eth_blockNumber')
    const lying = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async request => {
        const body: unknown = await request.json()
        const answer = (call: unknown) => ({ ...(call as object), result: '0x1' })
        return Response.json(Array.isArray(body) ? body.map(answer) : answer(body))
      },
    })
    try {
      for (const [url, reason] of [
        ['http://127.0.0.1:1', 'connection refused'],
        [`http://127.0.0.1:${lying.port}`, 'no block 1'],
      ])
        expect(await failure(node, 'anvil_reset', { forking: { jsonRpcUrl: url } })).toMatch(
          new RegExp(`-32000 The forked network cannot be read .*${reason}`),
        )
    } finally {
      await lying.stop(true)
    }
    expect(await node.rpc('eth_blockNumber')).toBe(before)
  })
})

test('given a forked chain that was stopped, when it starts again without the network, then it has what it read, and one error for the rest', async () => {
  const dataPath = join(folder, 'again')
  const source = await startNode(join(folder, 'source'))
  await source.rpc('anvil_setBalance', STRANGER, '0x64')
  await source.rpc('evm_mine')
  const first = await startNode(dataPath, [`--fork-url=${source.url}`, '--fork-block=1'])
  try {
    await mined(first, { from: FIRST, to: STRANGER, value: '0x1' })
    await first.stop()
    await source.kill()
    const again = await startNode(dataPath)
    try {
      expect(await again.rpc('eth_blockNumber')).toBe('0x2')
      expect(await again.rpc('eth_getBalance', STRANGER, 'latest')).toBe('0x65')
      await again.rpc('eth_sendTransaction', { from: FIRST, to: STRANGER, value: '0x1', gas: GAS })
      await until(async () => (await again.rpc('eth_getBalance', STRANGER, 'latest')) === '0x66')
      expect(await failure(again, 'eth_getBalance', CONTRACT, 'latest')).toMatch(
        /-32000 The forked network cannot be read .*connection refused/,
      )
    } finally {
      await again.kill()
    }
  } finally {
    await first.kill()
    await source.kill()
  }
})
