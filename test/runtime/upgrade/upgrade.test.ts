import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { checkedValue, withChecksum } from '../../../core/store/checksum.ts'
import { keyValueOfDriver } from '../../../core/store/keyvalue/driverStore.ts'
import { flushedHeightKey } from '../../../core/store/keys.ts'
import { openSqliteDriver } from '../../../runtime/drivers/sqlite.ts'
import { withFolder } from '../folder.ts'
import { PROCESS_TEST_TIMEOUT_MS, runCommand, startNode } from '../nodeProcess.ts'
import { expectChain, fixtureOf, RELEASES, unpack } from './fixture.ts'

setDefaultTimeout(2 * PROCESS_TEST_TIMEOUT_MS)

const [OLDEST] = RELEASES as [string]

/** The first bytes of the two flushed heights. A release that does not know one of them refuses the data path. */
const versionsOfViews = async (folder: string): Promise<readonly (number | undefined)[]> => {
  const kv = keyValueOfDriver(await openSqliteDriver({ path: join(folder, 'data/chain') }), 'synced')
  const keys = [0, 1].map(flushedHeightKey)
  const versions = await Promise.all(keys.map(async key => checkedValue(key, await kv.get(key))?.[0]))
  await kv.close()
  return versions
}

describe('given the data path of a validator of an earlier release that was killed', () => {
  test.each(RELEASES)(
    'when this release starts on that of %s, then the chain goes on, and accepted transactions still wait',
    release =>
      withFolder(async folder => {
        const fixture = fixtureOf(release)
        const node = await startNode(join(folder, 'data'), unpack(folder, fixture))
        try {
          await expectChain(node, fixture)
          const { pending } = fixture
          if (pending !== undefined)
            expect(await node.rpc('eth_getTransactionByHash', pending)).toMatchObject({ blockNumber: null })
          expect(node.output()).not.toContain('damaged')
        } finally {
          await node.stop()
        }
        expect(await versionsOfViews(folder)).toContain(3)
      }),
  )

  test('when its views are removed, then they are built again from its blocks', () =>
    withFolder(async folder => {
      const fixture = fixtureOf(OLDEST)
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

  test('when its views have the layout of an earlier release, then they are built again by themselves', () =>
    withFolder(async folder => {
      const fixture = fixtureOf(OLDEST)
      const options = unpack(folder, fixture)
      const views = new Database(join(folder, 'data/chain/views.sqlite'))
      for (const statement of ['DROP TABLE flat', 'CREATE TABLE flat (name TEXT)', 'PRAGMA user_version = 1'])
        views.run(statement)
      views.close()
      const node = await startNode(join(folder, 'data'), options)
      try {
        await expectChain(node, fixture)
        expect(node.output()).toContain('they are built again from the block records')
      } finally {
        await node.stop()
      }
    }))

  test('when a later release wrote its views, then this one refuses them and says what to do', () =>
    withFolder(async folder => {
      const options = unpack(folder, fixtureOf(OLDEST))
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
        'the views have version 99, this program reads version 3: start the release that wrote it, or stop the node and delete the views',
      )
      expect(out + error).not.toContain('    at ')
    }))
})
