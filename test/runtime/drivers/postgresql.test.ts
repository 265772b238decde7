import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Client } from 'pg'
import { keyValueOfDriver } from '../../../core/store/keyvalue/driverStore.ts'
import { openPostgresqlDriver } from '../../../runtime/drivers/postgresql.ts'
import { testConditionalWrites, testDriver } from '../../support/stores/driverSuite.ts'
import { rejection } from '../../support/rejection.ts'
import { HAS_POSTGRESQL, startPostgresql } from '../../support/servers/postgresql.ts'
import type { TestServer } from '../../support/servers/serverProcess.ts'

describe.skipIf(!HAS_POSTGRESQL)('PostgreSQL', () => {
  let server: TestServer
  let places = 0
  beforeAll(async () => {
    server = await startPostgresql()
  })
  afterAll(() => server?.remove())

  const open = async (table: string) => {
    const { driver, durability } = await openPostgresqlDriver({ url: server.url, table })
    return keyValueOfDriver(driver, durability)
  }
  const place = async () => {
    const table = `place${places++}`
    return { open: () => open(table), remove: () => Promise.resolve() }
  }
  testDriver('postgresql', { place, keeps: true })
  testConditionalWrites('postgresql', () => open(`condition${places++}`))

  test('given a server with its defaults, then what it keeps survives a power cut', async () => {
    const kv = await open('durability')
    expect(kv.durability).toBe('synced')
    await kv.close()
  })

  test('given several processes that open one table at once, then each gets it', async () => {
    // Each attempt meets another step of the one that makes the table.
    for (let attempt = 0; attempt < 10; attempt++) {
      const opened = await Promise.all(Array.from({ length: 4 }, () => open(`together${attempt}`)))
      await Promise.all(opened.map(kv => kv.close()))
    }
  })

  test('given a role that may only read, or a standby, then it reads a table that is there', async () => {
    const writer = await open('readable')
    await writer.set([{ key: 'a', value: Uint8Array.of(7) }])
    await writer.close()
    const client = new Client({ connectionString: server.url })
    await client.connect()
    await client.query('CREATE ROLE reader LOGIN')
    await client.query('GRANT SELECT ON readable TO reader')
    await client.end()
    const standby = `${server.url}?options=${encodeURIComponent('-c default_transaction_read_only=on')}`
    for (const url of [server.url.replace('quorate@', 'reader@'), standby]) {
      const { driver, durability } = await openPostgresqlDriver({ url, table: 'readable' })
      const kv = keyValueOfDriver(driver, durability)
      expect(await kv.get('a')).toEqual(Uint8Array.of(7))
      expect(String(await rejection(kv.set([{ key: 'a', value: Uint8Array.of(8) }])))).toMatch(
        /permission denied|read-only/,
      )
      await kv.close()
    }
  })

  test('given an invalid table name, then it is refused', async () => {
    expect(String(await rejection(openPostgresqlDriver({ url: server.url, table: 'a;b' })))).toMatch(
      /cannot have the table/,
    )
  })

  test('given no server, then the error names the URL option', async () => {
    expect(String(await rejection(openPostgresqlDriver({ url: 'postgres://127.0.0.1:1/none' })))).toMatch(
      /URL/,
    )
  })
})
