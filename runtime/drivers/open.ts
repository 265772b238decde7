import { join } from 'node:path'
import { builtinDrivers, type Driver } from 'unstorage'
import { keyValueOfDriver } from '../../core/store/driverStore.ts'
import type { KeyValueStore } from '../../core/store/keyvalue.ts'
import { nextTurn } from '../schedule.ts'
import { openMemoryDriver } from './memory.ts'
import { openSqliteDriver } from './sqlite.ts'

/** Folder of the chain in the data path. */
const CHAIN_FOLDER = 'chain'

/** `name?option=value&option=value`: options go to the unstorage driver of that name as they are. */
const parseStorage = (
  storage: string,
): { readonly name: string; readonly options: Record<string, string> } => {
  const mark = storage.indexOf('?')
  if (mark < 0) return { name: storage, options: {} }
  return {
    name: storage.slice(0, mark),
    options: Object.fromEntries(new URLSearchParams(storage.slice(mark + 1))),
  }
}

/** @throws StorageUnavailable for options, which would have no effect */
const requireNoOptions = (name: string, options: Record<string, string>): void => {
  const given = Object.keys(options)
  if (given.length > 0)
    throw new StorageUnavailable(`--storage=${name} takes no options: give it without ?${given.join(', ')}`)
}

const openBuiltin = async (name: string, options: Record<string, string>): Promise<Driver> => {
  const path = (builtinDrivers as Readonly<Record<string, string>>)[name]
  if (path === undefined)
    throw new StorageUnavailable(
      `--storage=${name} is not known; known are sqlite (the default), memory, fs and unstorage's own: ` +
        Object.keys(builtinDrivers)
          .filter(known => /^[a-z0-9-]+$/.test(known))
          .join(', '),
    )
  try {
    const module = (await import(path)) as { readonly default: (options: Record<string, string>) => Driver }
    return module.default(options)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new StorageUnavailable(
      `--storage=${name} cannot be opened: ${reason.split('\n')[0]}; install the package it needs, or give its options as --storage=${name}?option=value`,
      { cause },
    )
  }
}

/**
 * Opens what `--storage` names: `sqlite` and `fs` in the data path, `memory`, or any other of unstorage's drivers with its
 * options, as in `redis?url=redis://127.0.0.1:6379`.
 * @throws StorageUnavailable; DataPathInUse
 */
export const openStorage = async (storage: string, dataPath: string): Promise<KeyValueStore> => {
  const { name, options } = parseStorage(storage)
  const path = join(dataPath, CHAIN_FOLDER)
  switch (name) {
    case 'sqlite':
      requireNoOptions(name, options)
      return keyValueOfDriver(await openSqliteDriver({ path }), 'synced', nextTurn)
    case 'memory':
      requireNoOptions(name, options)
      return keyValueOfDriver(openMemoryDriver(), 'none', nextTurn)
    case 'fs':
      // In place and never synced: what a killed process leaves may be torn, which the chain store finds out.
      return keyValueOfDriver(await openBuiltin('fs', { base: path, ...options }), 'process', nextTurn)
    default:
      return keyValueOfDriver(await openBuiltin(name, options), 'process', nextTurn)
  }
}

export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable'
  readonly code = 'STORAGE_UNAVAILABLE'
}
