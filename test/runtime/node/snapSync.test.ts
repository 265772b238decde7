import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../../support/until.ts'
import { writeNetwork } from '../genesis.ts'
import { PROCESS_TEST_TIMEOUT_MS, startNode } from '../nodeProcess.ts'

setDefaultTimeout(2 * PROCESS_TEST_TIMEOUT_MS)

const folder = mkdtempSync(join(tmpdir(), 'quorate-snap-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('given a validator with a chain, when a new node starts with --sync-mode=SNAP, then it takes the blocks with their state and goes on', async () => {
  const [genesis, key] = writeNetwork(folder, { qbft: { xblockperiodmilliseconds: 50 } }) as [string, string]
  const shared = [genesis, '--rpc-http-enabled', '--rpc-http-api=ETH,NET,WEB3,ADMIN']
  const validator = await startNode(join(folder, 'validator'), [...shared, key])
  const number = async (node: typeof validator) => Number(await node.rpc<string>('eth_blockNumber'))
  try {
    await until(async () => (await number(validator)) > 80)
    const enode = await validator.rpc<string>('net_enode')
    const fresh = await startNode(join(folder, 'fresh'), [
      ...shared,
      `--bootnodes=${enode}`,
      '--sync-mode=SNAP',
    ])
    try {
      await until(async () => (await number(fresh)) > 90)
      await until(() => fresh.output().includes('blocks came with their state from peers'))
      const block = await fresh.rpc<{ hash: string }>('eth_getBlockByNumber', '0x55', false)
      expect(await validator.rpc('eth_getBlockByNumber', '0x55', false)).toMatchObject({ hash: block.hash })
      expect(await fresh.rpc('eth_getBalance', `0x${'0'.repeat(40)}`, '0x3')).toBe('0x0')
    } finally {
      await fresh.stop()
    }
  } finally {
    await validator.stop()
  }
})
