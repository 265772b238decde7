import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type NodeProcess, PROCESS_TEST_TIMEOUT_MS, startNode } from '../nodeProcess.ts'
import { rejection } from '../../support/rejection.ts'
import { clientsOf } from '../transactions.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

describe('given a node whose operator changes its block production', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-'))
  let node: NodeProcess
  beforeAll(async () => {
    node = await startNode(folder, ['--rpc-http-api=ETH,NET,MINER,ADMIN,DEBUG', '--min-priority-fee=2'])
  })
  afterAll(async () => {
    await node.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const send = (index: number, maxPriorityFeePerGas: bigint) => {
    const { wallet } = clientsOf(node.url, 1337, index)
    return wallet.sendTransaction({
      to: `0x${'77'.repeat(20)}`,
      value: 1n,
      gas: 21_000n,
      maxFeePerGas: 5_000_000_000n,
      maxPriorityFeePerGas,
    })
  }
  const mined = (hash: `0x${string}`, index = 0) =>
    clientsOf(node.url, 1337, index).reader.waitForTransactionReceipt({ hash })

  test('when it is stopped and started, then it takes no part, and does again', async () => {
    expect(await node.rpc<boolean>('eth_mining')).toBe(true)
    expect(await node.rpc<boolean>('miner_stop')).toBe(true)
    expect(await node.rpc<boolean>('eth_mining')).toBe(false)
    expect(await node.rpc<boolean>('miner_stop')).toBe(false)
    const height = await node.rpc<string>('eth_blockNumber')
    const hash = await send(0, 10n)
    expect(await node.rpc<string>('eth_blockNumber')).toBe(height)
    expect(await node.rpc<boolean>('miner_start')).toBe(true)
    expect(await node.rpc<boolean>('miner_start')).toBe(true)
    expect((await mined(hash)).status).toBe('success')
    expect(await node.rpc<boolean>('eth_mining')).toBe(true)
  })

  test('when price and extra data are set, then its blocks follow', async () => {
    expect(await node.rpc<string>('miner_getMinPriorityFee')).toBe('0x2')
    await node.rpc('miner_setMinPriorityFee', '0x5')
    await node.rpc('miner_setExtraData', '0x71756f72617465')
    // What no block of this node takes is refused at once.
    expect(String(await rejection(send(1, 4n)))).toContain(
      'Priority fee below configured minimum priority fee',
    )
    const { blockNumber } = await mined(await send(2, 5n))
    const block = await node.rpc<{ extraData: string }>(
      'eth_getBlockByNumber',
      `0x${blockNumber.toString(16)}`,
      false,
    )
    expect(block.extraData).toContain('71756f72617465')
    await node.rpc('miner_setMinPriorityFee', '0x0')
    expect((await mined(await send(1, 1n), 1)).status).toBe('success')
  })

  test('when account, services and log level are read or set, then they are right', async () => {
    const { port } = new URL(node.url)
    expect(await node.rpc('net_services')).toEqual({ jsonrpc: { host: '127.0.0.1', port } })
    const { miner } = await node.rpc<{ miner: string }>('eth_getBlockByNumber', 'latest', false)
    expect(await node.rpc<string>('eth_coinbase')).toBe(miner)
    expect(node.output()).not.toContain('DEBUG')
    await node.rpc('admin_changeLogLevel', 'DEBUG', ['validator'])
    await mined(await send(4, 3n), 4)
    await until(() => node.output().includes('Built #'))
    expect(await node.rpc('debug_getBadBlocks')).toEqual([])
    // On another thread.
    const range = ['latest', 0, `0x${'00'.repeat(32)}`, 2] as const
    const { addressMap } = await node.rpc<{ addressMap: object }>('debug_accountRange', ...range)
    expect(Object.values(addressMap)).toEqual([expect.stringMatching(/^0x/), expect.stringMatching(/^0x/)])
    expect(await node.rpc('debug_accountAt', 'latest', 0, miner)).toMatchObject({ nonce: '0x0' })
  })
})
