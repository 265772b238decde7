import { afterEach, describe, expect, test } from 'bun:test'
import type { MinerSettings } from '../../../handlers/rpc/context.ts'
import type { LogLevel } from '../../../handlers/rpc/logLevels.ts'
import { createMinerSettings } from '../../../runtime/node/minerSettings.ts'
import { startTestNode, type TestNode, type TestNodeOptions, VALIDATOR } from '../support/testNode.ts'
import { toHex, toQuantity } from '../../../core/bytes/hex.ts'

const APIS = ['ETH', 'NET', 'ADMIN', 'MINER']

let node: TestNode
const start = async (options: TestNodeOptions = {}): Promise<void> => {
  node = await startTestNode({ ...options, rpc: { apis: APIS, ...options.rpc } })
}
afterEach(() => node.close())

const settings = createMinerSettings({
  genesisFile: undefined,
  minGasPrice: 7n,
  minPriorityFee: 1n,
  minerExtraData: '0xabcd',
  targetGasLimit: undefined,
})
let taking = true
const miner = {
  ...settings,
  start: () => {
    taking = true
    return Promise.resolve(true)
  },
  stop: () => {
    const was = taking
    taking = false
    return Promise.resolve(was)
  },
}

describe('given MINER methods', () => {
  test('when they are called, then they read and change the settings of blocks', async () => {
    await start({ host: { miner } })
    expect(await node.call('miner_getMinGasPrice')).toBe('0x7')
    expect(await node.call('miner_setMinGasPrice', '0x77359401')).toBe(true)
    expect(await node.call('miner_getMinGasPrice')).toBe('0x77359401')
    // What gas should cost follows.
    expect(await node.call('eth_gasPrice')).toBe('0x77359401')
    expect(await node.call('miner_getMinPriorityFee')).toBe('0x1')
    // The base fee is 875,000,000 wei; what it falls to in ninety blocks counts.
    expect(await node.call('eth_maxPriorityFeePerGas')).toBe(
      toQuantity(0x77359401n - 875_000_000n / 2n ** 18n),
    )
    await node.call('miner_setMinGasPrice', '0x0')
    expect(await node.call('eth_maxPriorityFeePerGas')).toBe('0x1')
    expect(await node.call('miner_setMinPriorityFee', '0x5')).toBe(true)
    expect(await node.call('eth_maxPriorityFeePerGas')).toBe('0x5')
    expect(await node.call('miner_getExtraData')).toBe('0xabcd')
    expect(await node.call('miner_setExtraData', `0x${'11'.repeat(32)}`)).toBe(true)
    expect(await node.call('miner_changeTargetGasLimit', '0x1312d00')).toBe('Success')
    expect(settings.settings()).toEqual({
      minGasPrice: 0n,
      minPriorityFee: 5n,
      extraData: new Uint8Array(32).fill(0x11),
      targetGasLimit: 20_000_000n,
    } satisfies MinerSettings)
  })

  test('when they stop and start, then block production follows', async () => {
    await start({ host: { miner } })
    expect(await node.call('miner_stop')).toBe(true)
    expect(await node.call('miner_stop')).toBe(false)
    expect(await node.call('miner_start')).toBe(true)
    expect(taking).toBe(true)
  })

  test('when a value is invalid, then it is refused', async () => {
    await start({ host: { miner } })
    const refused = async (method: string, ...params: readonly unknown[]) =>
      (await node.rpc(method, ...params)).error
    expect((await refused('miner_setMinGasPrice', 'x'))?.message).toBe('Invalid min gas price params')
    expect((await refused('miner_setMinPriorityFee'))?.message).toBe('Invalid min priority fee params')
    expect((await refused('miner_changeTargetGasLimit', '-1'))?.message).toBe(
      'Invalid target gas limit params',
    )
    expect((await refused('miner_setExtraData', '0x1'))?.data).toBe('extra data must be bytes in hex')
    expect(await refused('miner_setExtraData', `0x${'11'.repeat(33)}`)).toEqual({
      code: -32602,
      message: 'Invalid extra data params',
      data: 'extra data has 33 bytes; the maximum is 32',
    })
  })

  test('when the node makes no blocks, then they do not exist', async () => {
    await start()
    expect((await node.rpc('miner_stop')).error?.code).toBe(-32604)
    expect((await node.rpc('miner_changeTargetGasLimit', '0x1')).error?.code).toBe(-32011)
  })
})

describe('given methods about the node', () => {
  test('when they are called, then they give its account and services', async () => {
    const services = () => ({ jsonrpc: { host: '127.0.0.1', port: 8545 } })
    await start({ host: { coinbase: VALIDATOR, services } })
    expect(await node.call('eth_coinbase')).toBe(toHex(VALIDATOR))
    expect(await node.call('net_services')).toEqual({ jsonrpc: { host: '127.0.0.1', port: '8545' } })
    await node.close()
    await start()
    expect((await node.rpc('eth_coinbase')).error).toEqual({
      code: -32000,
      message: 'Coinbase must be explicitly specified',
    })
  })

  test('when the log level is changed, then the node logs accordingly', async () => {
    const changes: (readonly [LogLevel, readonly string[]])[] = []
    await start({ host: { setLogLevel: (level, parts) => changes.push([level, parts]) } })
    expect(await node.call('admin_changeLogLevel', 'DEBUG')).toBe('Success')
    expect(await node.call('admin_changeLogLevel', 'OFF', ['p2p', 'sync'])).toBe('Success')
    expect(changes).toEqual([
      ['DEBUG', []],
      ['OFF', ['p2p', 'sync']],
    ])
    for (const params of [[], ['debug'], ['LOUD'], ['INFO', 'p2p'], ['INFO', [7]]])
      expect((await node.rpc('admin_changeLogLevel', ...params)).error).toMatchObject({
        code: -32602,
        message: 'Invalid log level params (missing or incorrect)',
      })
  })
})
