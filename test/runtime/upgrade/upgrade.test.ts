import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { checkedValue, withChecksum } from '../../../core/store/checksum.ts'
import { keyValueOfDriver } from '../../../core/store/keyvalue/driverStore.ts'
import { flushedHeightKey } from '../../../core/store/keys.ts'
import { openSqliteDriver } from '../../../runtime/drivers/sqlite.ts'
import { until } from '../../support/until.ts'
import { withFolder } from '../folder.ts'
import { type NodeProcess, PROCESS_TEST_TIMEOUT_MS, runCommand, startNode } from '../nodeProcess.ts'
import type { Fixture } from './fixture.ts'

setDefaultTimeout(2 * PROCESS_TEST_TIMEOUT_MS)

const SUFFIX = '.json.gz'
const RELEASES = readdirSync(import.meta.dirname)
  .filter(name => name.endsWith(SUFFIX))
  .map(name => name.slice(0, -SUFFIX.length))

const fixtureOf = (release: string): Fixture =>
  JSON.parse(gunzipSync(readFileSync(join(import.meta.dirname, release + SUFFIX))).toString()) as Fixture

/** Writes the files of the release into the folder; gives the options that name them. */
const unpack = (folder: string, { genesis, key, files }: Fixture): readonly string[] => {
  writeFileSync(join(folder, 'genesis.json'), genesis)
  writeFileSync(join(folder, 'key'), key, { mode: 0o600 })
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, 'data', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, Buffer.from(content, 'base64'), { mode: 0o600 })
  }
  return [
    `--genesis-file=${join(folder, 'genesis.json')}`,
    `--node-private-key-file=${join(folder, 'key')}`,
    '--rpc-http-enabled',
    '--rpc-http-api=ETH,NET,TXPOOL',
  ]
}

/** What the release wrote reads the same, and the validator goes on. */
const expectChain = async (node: NodeProcess, { head, contract, creation }: Fixture): Promise<void> => {
  expect(await node.rpc('eth_getBlockByNumber', head.number, false)).toMatchObject(head)
  expect(await node.rpc('eth_getStorageAt', contract, '0x0', head.number)).toBe(`0x${'2a'.padStart(64, '0')}`)
  expect(await node.rpc('eth_getCode', contract, 'latest')).toBe('0xfe')
  expect(await node.rpc('eth_getBalance', `0x${'bb'.repeat(20)}`, 'latest')).toBe('0x6')
  const logs = await node.rpc<{ transactionHash: string }[]>('eth_getLogs', {
    fromBlock: '0x0',
    toBlock: 'latest',
    address: contract,
  })
  expect(logs.map(({ transactionHash }) => transactionHash)).toEqual([creation])
  await until(async () => Number(await node.rpc<string>('eth_blockNumber')) > Number(head.number) + 3)
}

describe.each(RELEASES)('given the data path of a validator of %s that was killed', release => {
  test('when this release starts on it, then the chain goes on, and accepted transactions still wait', () =>
    withFolder(async folder => {
      const fixture = fixtureOf(release)
      const node = await startNode(join(folder, 'data'), unpack(folder, fixture))
      try {
        await expectChain(node, fixture)
        expect(await node.rpc('eth_getTransactionByHash', fixture.pending)).toMatchObject({
          blockNumber: null,
        })
        expect(node.output()).not.toContain('damaged')
      } finally {
        await node.stop()
      }
    }))

  test('when its views are removed, then they are built again from its blocks', () =>
    withFolder(async folder => {
      const fixture = fixtureOf(release)
      const options = unpack(folder, fixture)
      for (const name of Object.keys(fixture.files).filter(file => file.startsWith('chain/views')))
        rmSync(join(folder, 'data', name))
      const node = await startNode(join(folder, 'data'), options)
      try {
        await expectChain(node, fixture)
      } finally {
        await node.stop()
      }
    }))

  test('when a later release wrote its views, then this one refuses them and says what to do', () =>
    withFolder(async folder => {
      const options = unpack(folder, fixtureOf(release))
      const kv = keyValueOfDriver(await openSqliteDriver({ path: join(folder, 'data/chain') }), 'synced')
      let changed = 0
      for (const slot of [0, 1]) {
        const key = flushedHeightKey(slot)
        const stored = await kv.get(key)
        const value = stored === undefined ? undefined : checkedValue(key, stored)
        if (value === undefined) continue
        await kv.set([{ key, value: withChecksum(key, Uint8Array.of(99, ...value.subarray(1))) }])
        changed++
      }
      await kv.close()
      expect(changed).toBeGreaterThan(0)
      const ports = ['--rpc-http-port=0', '--p2p-port=0']
      const { code, out, error } = await runCommand([
        `--data-path=${join(folder, 'data')}`,
        ...ports,
        ...options,
      ])
      expect(code).not.toBe(0)
      expect(out + error).toContain(
        'the views have version 99, this program reads version 1: start the release that wrote it, or stop the node and delete the views',
      )
      expect(out + error).not.toContain('    at ')
    }))
})
