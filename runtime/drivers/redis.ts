import type { Redis } from 'ioredis'
import { type Driver, defineDriver } from 'unstorage'
import type { EntryCondition } from '../../core/store/keyvalue/condition.ts'
import type { DriverExtensions } from '../../core/store/keyvalue/driverStore.ts'
import type { KeyValueEntry, KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'
import { connectionFailureReason } from '../files/reason.ts'
import { bufferOf } from './bufferOf.ts'
import { loadOptional } from './optionalPackage.ts'
import { guardedConnector } from './guards/redisConnector.ts'
import { StorageUnavailable } from './storageUnavailable.ts'

export type RedisDriverOptions = {
  /** `redis://` or `rediss://`, with user, password and database number as in `redis://user:password@host:6379/1`. */
  readonly url: string
  /** Precedes every key, so that several chains can share one server; empty by default. */
  readonly base?: string
}

const CONNECT_TIMEOUT_MS = 5_000
/** A batch of megabytes to a busy server takes seconds; a server that is silent for longer is treated as lost. */
const COMMAND_TIMEOUT_MS = 30_000
const RECONNECT_MS_MAX = 2_000
/** Reconnects that a command survives: a short interruption is not an error. */
const RETRIES = 3
/** Keys of one MGET or SCAN; more would keep the server, which has one thread, from other clients. */
const KEYS_AT_ONCE = 1_000

/**
 * Writes the entries if the value of the first key is the first argument, or if the key is absent and the argument empty.
 * The second argument is the number of entries to set; the other keys are removed. A script runs as one transaction.
 */
const SET_IF = `
local found = redis.call('GET', KEYS[1])
if (found or '') ~= ARGV[1] then return 0 end
local sets = tonumber(ARGV[2])
for i = 1, sets do redis.call('SET', KEYS[i + 1], ARGV[i + 2]) end
for i = sets + 2, #KEYS do redis.call('UNLINK', KEYS[i]) end
return 1`

type Scripted = Redis & {
  quorateSetIf(keys: number, ...rest: (string | Uint8Array)[]): Promise<number>
}

/** The last value of each key, and the keys to remove. */
const split = (entries: readonly KeyValueEntry[]) => {
  const last = new Map<string, Uint8Array | undefined>()
  for (const { key, value } of entries) last.set(key, value)
  const sets: (readonly [string, Uint8Array])[] = []
  const removed: string[] = []
  for (const [key, value] of last)
    if (value === undefined) removed.push(key)
    else sets.push([key, value])
  return { sets, removed }
}

/** False when the user may not read the server's settings. */
const isCluster = async (client: Redis): Promise<boolean> => {
  try {
    return /cluster_enabled:1/.test(await client.info('cluster'))
  } catch (error) {
    if ((error as Error).message.startsWith('NOPERM')) return false
    throw error
  }
}

const connect = async (url: string): Promise<Scripted> => {
  const { Redis: Client, AbstractConnector } = await loadOptional('redis', 'ioredis', () => import('ioredis'))
  const client = new Client(url, {
    Connector: guardedConnector(AbstractConnector),
    // RESP2, which Redis 5 and every Valkey understand.
    protocol: 2,
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    maxRetriesPerRequest: RETRIES,
    retryStrategy: times => Math.min(50 * 2 ** times, RECONNECT_MS_MAX),
    scripts: { quorateSetIf: { lua: SET_IF } },
  }) as Scripted
  // Commands reject with an error that names no cause; without a listener the client would print the cause.
  let lastError: unknown
  client.on('error', error => {
    lastError = error
  })
  try {
    await client.connect()
    if (await isCluster(client))
      throw new StorageUnavailable(
        'the storage redis needs a server without cluster mode, which has no transactions over all keys: give the URL of a single server, a replica set or a Sentinel-managed primary',
      )
    return client
  } catch (cause) {
    client.disconnect()
    if (cause instanceof StorageUnavailable) throw cause
    const reason = connectionFailureReason(lastError ?? cause)
    throw new StorageUnavailable(`the storage redis cannot be reached: ${reason}; check the URL`, { cause })
  }
}

/** A setting of the server; undefined from a server that hides it. */
const settingOf = async (client: Redis, name: string): Promise<string | undefined> => {
  try {
    return ((await client.config('GET', name)) as readonly string[])[1]
  } catch {
    return undefined
  }
}

/** `synced` where the server writes its log to the disk before it answers; a server that hides its settings counts as not. */
const durabilityOf = async (client: Redis): Promise<KeyValueStore['durability']> => {
  const [log, sync] = [await settingOf(client, 'appendonly'), await settingOf(client, 'appendfsync')]
  return log === 'yes' && sync === 'always' ? 'synced' : 'process'
}

/**
 * A server that removes any keys when its memory is full leaves a chain with holes, where an account is missing that has a balance.
 * Policies that remove keys with an expiry alone do no harm. @throws StorageUnavailable
 */
const requireNoEviction = async (client: Redis): Promise<void> => {
  const policy = await settingOf(client, 'maxmemory-policy')
  if (policy?.startsWith('allkeys') !== true || (await settingOf(client, 'maxmemory')) === '0') return
  throw new StorageUnavailable(
    `the storage redis has the policy ${policy}, which removes any keys when its memory is full: run CONFIG SET maxmemory-policy noeviction, and write it into redis.conf`,
  )
}

const getEntries = async (client: Redis, keys: readonly string[]): Promise<(Uint8Array | undefined)[]> => {
  const values: (Uint8Array | undefined)[] = []
  for (let at = 0; at < keys.length; at += KEYS_AT_ONCE) {
    const found = await client.mgetBuffer(...keys.slice(at, at + KEYS_AT_ONCE))
    for (const value of found) values.push(value ?? undefined)
  }
  return values
}

const setEntries = async (client: Redis, entries: readonly KeyValueEntry[]): Promise<void> => {
  const { sets, removed } = split(entries)
  const transaction = client.multi()
  if (sets.length > 0) transaction.mset(...sets.flatMap(([key, value]) => [key, bufferOf(value)]))
  if (removed.length > 0) transaction.unlink(...removed)
  for (const [error] of (await transaction.exec()) ?? []) if (error !== null) throw error
}

const setEntriesIf = async (
  client: Scripted,
  condition: EntryCondition,
  entries: readonly KeyValueEntry[],
): Promise<boolean> => {
  const { sets, removed } = split(entries)
  const keys = [condition.key, ...sets.map(([key]) => key), ...removed]
  const expected = condition.value === undefined ? '' : bufferOf(condition.value)
  const values = sets.map(([, value]) => bufferOf(value))
  return (await client.quorateSetIf(keys.length, ...keys, expected, String(sets.length), ...values)) === 1
}

const listKeys = async (client: Redis, prefix: string): Promise<string[]> => {
  const found = new Set<string>()
  const pattern = `${prefix.replace(/[*?[\]\\]/g, '\\$&')}*`
  let cursor = '0'
  do {
    const [next, keys] = await client.scan(cursor, 'MATCH', pattern, 'COUNT', KEYS_AT_ONCE)
    for (const key of keys) found.add(key)
    cursor = next
  } while (cursor !== '0')
  return [...found]
}

const driverOf = defineDriver<{ readonly client: Scripted; readonly base: string }, Redis>(
  ({
    client,
    base,
  }): Driver<{ readonly client: Scripted; readonly base: string }, Redis> & DriverExtensions => {
    const named = (entries: readonly KeyValueEntry[]): readonly KeyValueEntry[] =>
      base === '' ? entries : entries.map(({ key, value }) => ({ key: base + key, value }))
    return {
      name: 'redis',
      getInstance: () => client,
      hasItem: async key => (await client.exists(base + key)) === 1,
      getItem: key => client.get(base + key),
      getItemRaw: key => client.getBuffer(base + key),
      setItem: async (key, value) => void (await client.set(base + key, value)),
      setItemRaw: async (key, value: Uint8Array) => void (await client.set(base + key, bufferOf(value))),
      removeItem: async key => void (await client.unlink(base + key)),
      getKeys: async prefix => (await listKeys(client, base + prefix)).map(key => key.slice(base.length)),
      dispose: async () => {
        await client.quit().catch(() => client.disconnect())
      },
      getEntries: keys =>
        getEntries(
          client,
          keys.map(key => base + key),
        ),
      setEntries: entries => setEntries(client, named(entries)),
      setEntriesIf: ({ key, value }, entries) =>
        setEntriesIf(client, { key: base + key, value }, named(entries)),
    }
  },
)

/** An opened driver of a shared store, and what its completed writes survive. */
export type OpenedDriver = {
  readonly driver: Driver & DriverExtensions
  readonly durability: KeyValueStore['durability']
}

/**
 * unstorage driver over Redis or Valkey: raw bytes, batches in one transaction, a conditional batch in one round trip.
 * @throws StorageUnavailable when the client is not installed, the server is not reached, is a cluster or removes keys
 */
export const openRedisDriver = async ({ url, base = '' }: RedisDriverOptions): Promise<OpenedDriver> => {
  const client = await connect(url)
  try {
    await requireNoEviction(client)
  } catch (error) {
    client.disconnect()
    throw error
  }
  return { driver: driverOf({ client, base }), durability: await durabilityOf(client) }
}
