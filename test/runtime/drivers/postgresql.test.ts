import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { keyValueOfDriver } from '../../../core/store/driverStore.ts'
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
    const opened = await Promise.all(Array.from({ length: 4 }, () => open('together')))
    for (const kv of opened) await kv.close()
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
