import { freePorts } from '../../../runtime/devnet/ports.ts'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Redis } from 'ioredis'
import { keyValueOfDriver } from '../../../core/store/keyvalue/driverStore.ts'
import { openRedisDriver } from '../../../runtime/drivers/redis.ts'
import { testConditionalWrites, testDriver } from '../../support/stores/driverSuite.ts'
import { rejection } from '../../support/rejection.ts'
import { HAS_REDIS, startRedis } from '../../support/servers/redis.ts'
import type { TestServer } from '../../support/servers/serverProcess.ts'

describe.skipIf(!HAS_REDIS)('Redis', () => {
  let server: TestServer
  let places = 0
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server?.remove())

  const open = async (base: string) => {
    const { driver, durability } = await openRedisDriver({ url: server.url, base })
    return keyValueOfDriver(driver, durability)
  }
  const place = async () => {
    const base = `place${places++}:`
    return { open: () => open(base), remove: () => Promise.resolve() }
  }
  testDriver('redis', { place, keeps: true })
  testConditionalWrites('redis', () => open(`condition${places++}:`))

  test('given a server without a log on the disk, then what it keeps survives the end of the process alone', async () => {
    const kv = await open('durability:')
    expect(kv.durability).toBe('process')
    await kv.close()
  })

  test('given two bases, then neither sees the keys of the other', async () => {
    const [first, second] = [await open('one:'), await open('two:')]
    await first.set([{ key: 'mark:0', value: Uint8Array.of(1) }])
    expect(await second.get('mark:0')).toBeUndefined()
    await first.close()
    await second.close()
  })

  test('given a user that may only read, then it reads', async () => {
    const writer = await open('readable:')
    await writer.set([{ key: 'a', value: Uint8Array.of(7) }])
    await writer.close()
    const client = new Redis(server.url)
    await client.call('ACL', 'SETUSER', 'reader', 'on', '>secret', '~readable:*', '+get', '+mget')
    client.disconnect()
    const url = server.url.replace('://', '://reader:secret@')
    const { driver, durability } = await openRedisDriver({ url, base: 'readable:' })
    const kv = keyValueOfDriver(driver, durability)
    expect(await kv.get('a')).toEqual(Uint8Array.of(7))
    expect(String(await rejection(kv.set([{ key: 'a', value: Uint8Array.of(8) }])))).toContain('NOPERM')
    await kv.close()
  })

  test('given no server, then the error names the URL option', async () => {
    expect(String(await rejection(openRedisDriver({ url: 'redis://127.0.0.1:1' })))).toMatch(
      /cannot be reached: connection refused, no program listens there; check the URL$/,
    )
  })

  test('given a server that removes any keys when it is full, then it is refused with what to set', async () => {
    const evicting = await startRedis({
      words: ['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'],
    })
    try {
      expect(String(await rejection(openRedisDriver({ url: evicting.url })))).toContain(
        'CONFIG SET maxmemory-policy noeviction',
      )
      const client = new Redis(evicting.url)
      await client.config('SET', 'maxmemory-policy', 'volatile-lru')
      client.disconnect()
      const { driver } = await openRedisDriver({ url: evicting.url })
      await driver.dispose?.()
    } finally {
      await evicting.remove()
    }
  })

  test('given a cluster, then it is refused with the reason', async () => {
    // By default the nodes of a cluster talk on the port plus 10,000, which may be too high.
    const [busPort] = await freePorts(1)
    const cluster = await startRedis({ words: ['--cluster-enabled', 'yes', '--cluster-port', `${busPort}`] })
    try {
      expect(String(await rejection(openRedisDriver({ url: cluster.url })))).toMatch(/without cluster mode/)
    } finally {
      await cluster.remove()
    }
  })
})
