import { errorText } from '../../core/text/errorText.ts'
import { join } from 'node:path'
import { builtinDrivers, type Driver } from 'unstorage'
import { keyValueOfDriver } from '../../core/store/keyvalue/driverStore.ts'
import type { KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'
import { logOf } from '../logging/log.ts'
import { exclusiveTurn } from '../scheduler.ts'
import type { SqliteFileError } from './databaseFile.ts'
import { parseStorage, requireOptions, shownName, type StorageName } from './driverOptions.ts'
import { LEASE_MS, type LeasedStore, leaseStore } from './lease.ts'
import { openMemoryDriver } from './memory.ts'
import type { OpenedDriver } from './redis.ts'
import { openSqliteDriver } from './sqlite.ts'
import { StorageUnavailable } from './storageUnavailable.ts'

export { StorageUnavailable }

/** Folder of the chain in the data path. */
export const CHAIN_FOLDER = 'chain'

/** @throws StorageUnavailable for options, which would have no effect */
const requireNoOptions = (name: string, options: Readonly<Record<string, string>>): void => {
  const given = Object.keys(options)
  if (given.length > 0)
    throw new StorageUnavailable(`--storage=${name} takes no options: give it without ?${given.join(', ')}`)
}

const openBuiltin = async (name: string, options: Readonly<Record<string, string>>): Promise<Driver> => {
  const path = (builtinDrivers as Readonly<Record<string, string>>)[name]
  if (path === undefined)
    throw new StorageUnavailable(
      `--storage=${name} is not known; known are sqlite (the default), memory, fs, redis, postgresql and unstorage's own: ` +
        Object.keys(builtinDrivers)
          .filter(known => /^[a-z0-9-]+$/.test(known))
          .join(', '),
    )
  try {
    const module = (await import(path)) as {
      readonly default: (options: Readonly<Record<string, string>>) => Driver
    }
    return module.default(options)
  } catch (cause) {
    const reason = errorText(cause)
    throw new StorageUnavailable(
      `--storage=${name} cannot be opened: ${reason.split('\n')[0]}; install the package it needs, or give its options as --storage=${name}?option=value`,
      { cause },
    )
  }
}

/** @throws StorageUnavailable for a storage that gives back older values than were written */
const requireCurrentReads = (name: string): void => {
  if (name.startsWith('cloudflare-kv'))
    throw new StorageUnavailable(
      `--storage=${name} cannot hold a node's chain: Workers KV shows a value up to a minute after it was written, and a node replaces values in place. Use sqlite, redis or postgresql; a Worker can have its immutable values in KV`,
    )
}

/** @throws StorageUnavailable */
const takesOverOf = (value: string | undefined): boolean => {
  if (value !== undefined && value !== 'true' && value !== 'false')
    throw new StorageUnavailable(`the storage option takeover is true or false, not '${value}'`)
  return value === 'true'
}

const openServerDriver = async ({ name, options }: StorageName): Promise<OpenedDriver> => {
  const { url = '', base = '', table } = options
  if (name === 'redis') return (await import('./redis.ts')).openRedisDriver({ url, base })
  const { openPostgresqlDriver } = await import('./postgresql.ts')
  return openPostgresqlDriver(table === undefined ? { url } : { url, table })
}

/** A storage on a server, which other machines reach as well: this process holds it by a lease. @throws StorageUnavailable; StorageInUse; StorageWaitStopped */
const openServer = async (storage: StorageName, stop: AbortSignal | undefined): Promise<LeasedStore> => {
  requireOptions(storage, ['url'], [storage.name === 'redis' ? 'base' : 'table', 'takeover'])
  const takesOver = takesOverOf(storage.options['takeover'])
  const { driver, durability } = await openServerDriver(storage)
  const kv = keyValueOfDriver(driver, durability, exclusiveTurn)
  const name = shownName(storage)
  const onWait = (holder: string): void =>
    logOf('storage').info('The storage {name} is held by {holder}: waiting {seconds} s for a sign of life', {
      name,
      holder,
      seconds: LEASE_MS / 1000,
    })
  try {
    return await leaseStore(kv, { name, takesOver, onWait, stop })
  } catch (error) {
    await kv.close()
    throw error
  }
}

const onEarlierViews = (layout: number): void =>
  logOf('chain').info(
    'The views have the layout {layout} of an earlier release: they are built again from the block records',
    { layout },
  )

const onDamagedViews = ({ path, cause }: SqliteFileError): void =>
  logOf('chain').warn(
    'The views {path} are damaged ({reason}): they are deleted, and built again from the block records',
    { path, reason: errorText(cause) },
  )

/** What a node stores its chain in. */
export type Storage = KeyValueStore & {
  /** Resolves when another node has taken the storage over; undefined where the data path's lock is enough. */
  readonly lost?: LeasedStore['lost']
}

export type StorageOptions = {
  /** Ends a wait for another node's lease. */
  readonly stop?: AbortSignal | undefined
  /** As for the SQLite driver; other storages ignore it. */
  readonly waitsForDisk?: boolean | undefined
}

/**
 * Opens what `--storage` names: `sqlite` and `fs` in the data path, `memory`, `redis?url=...` and `postgresql?url=...`, or any
 * other of unstorage's drivers with its options.
 * @throws StorageUnavailable; DataPathInUse; StorageInUse; StorageWaitStopped
 */
export const openStorage = async (
  storage: string,
  dataPath: string,
  { stop, waitsForDisk = true }: StorageOptions = {},
): Promise<Storage> => {
  const parsed = parseStorage(storage)
  const { name, options } = parsed
  const path = join(dataPath, CHAIN_FOLDER)
  switch (name) {
    case 'sqlite':
      requireNoOptions(name, options)
      return keyValueOfDriver(
        await openSqliteDriver({ path, waitsForDisk, onEarlierViews, onDamagedViews }),
        waitsForDisk ? 'synced' : 'process',
        exclusiveTurn,
      )
    case 'memory':
      requireNoOptions(name, options)
      return keyValueOfDriver(openMemoryDriver(), 'none', exclusiveTurn)
    case 'fs':
      // In place and never synced: what a killed process leaves may be torn, which the chain store finds out.
      return keyValueOfDriver(await openBuiltin('fs', { base: path, ...options }), 'process', exclusiveTurn)
    case 'redis':
    case 'postgresql':
      return openServer(parsed, stop)
    default:
      requireCurrentReads(name)
      return keyValueOfDriver(await openBuiltin(name, options), 'process', exclusiveTurn)
  }
}
