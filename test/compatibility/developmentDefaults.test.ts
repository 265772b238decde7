import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toHex } from '../../core/bytes/hex.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../core/genesis/development/accounts.ts'
import { type NodeProcess, PROCESS_TEST_TIMEOUT_MS, startNode } from '../runtime/nodeProcess.ts'
import { rejection } from '../support/rejection.ts'
import { until } from '../support/until.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

const FIRST = toHex(DEVELOPMENT_ACCOUNTS[0]?.address as Uint8Array)
const SECOND = toHex(DEVELOPMENT_ACCOUNTS[1]?.address as Uint8Array)
const CONTRACT = '0x00000000000000000000000000000000000c0de0'
/** Reverts with the reason "no". */
const REVERTS = '0x62461bcd60e51b5f5260206004526002602452616e6f60f01b60445260645ffd'

let folder: string
let node: NodeProcess

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-development-defaults-'))
  node = await startNode(folder)
})

afterAll(async () => {
  await node.kill()
  rmSync(folder, { recursive: true, force: true })
})

const post = (body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(node.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

describe('given a development chain without options', () => {
  test('when a transaction names no sender, then the first account signs it', async () => {
    const hash = await node.rpc('eth_sendTransaction', { to: SECOND, value: '0x1' })
    expect(await node.rpc('eth_getTransactionByHash', hash)).toMatchObject({ from: FIRST })
  })

  test('when a page of this machine calls, then it is served, and one of another website is not', async () => {
    const request = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }
    expect((await post(request, { origin: 'http://localhost:3000' })).status).toBe(200)
    const refused = await post(request, { origin: 'https://evil.example' })
    expect([refused.status, await refused.text()]).toEqual([
      403,
      'Origin not allowed. --rpc-http-cors-origins names the origins that are.',
    ])
    await until(() => node.output().includes('evil.example'))
  })

  test('when a transaction fails, then the log has its reason', async () => {
    await node.rpc('anvil_setCode', CONTRACT, REVERTS)
    await node.rpc('eth_sendTransaction', { to: CONTRACT, gas: '0x186a0' })
    await until(() => /failed: it reverted: \\?"no/.test(node.output()))
    await node.rpc('anvil_setCode', CONTRACT, '0xfe')
    await node.rpc('eth_sendTransaction', { to: CONTRACT, gas: '0x186a0' })
    await until(() => node.output().includes('failed: it halted and used all its gas, 100000'))
  })

  test('when transactions of an account are asked for, then the index has them, also after a reset', async () => {
    const hash = await node.rpc('eth_sendTransaction', { to: SECOND, value: '0x1' })
    const found = async (): Promise<readonly unknown[]> => {
      const { txs } = await node.rpc<{ txs: { hash: string }[] }>(
        'ots_searchTransactionsBefore',
        SECOND,
        0,
        25,
      )
      return txs.map(each => each.hash)
    }
    await until(async () => (await found()).includes(hash))
    await node.rpc('anvil_reset')
    expect(await found()).toEqual([])
    const again = await node.rpc('eth_sendTransaction', { to: SECOND, value: '0x2' })
    await until(async () => (await found()).includes(again))
    expect(await node.rpc('trace_block', 'latest')).toBeArray()
  })

  test('when it is reset, then automatic blocks stay off, and the minimum price is the first one', async () => {
    await node.rpc('evm_setAutomine', false)
    await node.rpc('hardhat_setMinGasPrice', '0x2540be400')
    await node.rpc('hardhat_reset')
    expect(await node.rpc<boolean>('hardhat_getAutomine')).toBe(false)
    await node.rpc('eth_sendTransaction', { to: SECOND, gasPrice: '0x3b9aca00' })
    await node.rpc('evm_mine')
    expect(await node.rpc<string>('eth_getTransactionCount', FIRST, 'latest')).toBe('0x1')
    await node.rpc('evm_setAutomine', true)
  })

  test('when a mined transaction is dropped, then Hardhat’s name answers an error and anvil’s null', async () => {
    const hash = await node.rpc('eth_sendTransaction', { to: SECOND })
    expect(String(await rejection(node.rpc('hardhat_dropTransaction', hash)))).toContain(
      'the transaction is in a block already',
    )
    expect(await node.rpc<null>('anvil_dropTransaction', hash)).toBeNull()
  })

  test('when a simulation cannot pay, then the error has the words of go-ethereum', async () => {
    const calls = [{ from: CONTRACT, to: SECOND, value: '0x1' }]
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_simulateV1',
      params: [{ blockStateCalls: [{ calls }] }],
    }
    const { error } = (await (await post(body)).json()) as { error: { code: number; message: string } }
    expect(error.code).toBe(-38014)
    expect(error.message).toContain('insufficient funds for gas * price + value')
  })

  test('when a call with blobs has no recipient, then its parameters are refused', async () => {
    const call = { from: FIRST, blobVersionedHashes: [`0x01${'00'.repeat(31)}`], maxFeePerBlobGas: '0x1' }
    for (const method of ['eth_call', 'eth_estimateGas']) {
      const body = { jsonrpc: '2.0', id: 1, method, params: [call] }
      const { error } = (await (await post(body)).json()) as { error: { code: number } }
      expect(error.code).toBe(-32602)
    }
  })

  test('when a creation reverts, then the flat trace has no address', async () => {
    const trace = await node.rpc<{ result: object }[]>(
      'debug_traceCall',
      { from: FIRST, data: '0x5f5ffd' },
      'latest',
      { tracer: 'flatCallTracer' },
    )
    expect(trace[0]?.result).not.toHaveProperty('address')
  })

  test('when a batch has notifications alone, then the answer is empty', async () => {
    const response = await post([{ jsonrpc: '2.0', method: 'eth_chainId' }])
    expect([response.status, await response.text()]).toEqual([200, ''])
  })
})
