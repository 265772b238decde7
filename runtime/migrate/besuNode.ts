import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { CommandError } from '../cli/errors.ts'
import { readTomlEntries } from '../cli/sources/tomlFile.ts'
import { type BesuLists, findLists } from './besuLists.ts'

/** The files of a Besu node that a new node needs; undefined for a missing one. */
export type BesuNode = {
  readonly configFile: string | undefined
  readonly entries: readonly (readonly [name: string, value: unknown])[]
  readonly dataPath: string | undefined
  /** Makes a path of the configuration absolute. */
  readonly locate: (path: string) => string
  readonly genesisFile: string | undefined
  readonly keyFile: string | undefined
  readonly staticNodesFile: string | undefined
  readonly lists: BesuLists
  /** The version of Besu that last opened the database; Besu from 24.10 on writes it. */
  readonly version: string | undefined
}

/** A larger file is not the metadata file. */
const METADATA_BYTES_MAX = 64 * 1024

/** @throws CommandError for a folder, a device or a pipe, whose reading may never end */
const requireFile = (path: string): void => {
  const found = statSync(path)
  if (!found.isFile())
    throw new CommandError(
      'INPUT',
      `${path} is ${found.isDirectory() ? 'a folder' : 'no regular file'}: a file is expected there`,
    )
}

/** Besu's data path has one of these. */
const OF_DATA_PATH = ['key', 'database', 'VERSION_METADATA.json']

/** @throws CommandError for a path at which there is something else */
const requireFolder = (path: string): void => {
  if (existsSync(path) && !statSync(path).isDirectory())
    throw new CommandError('INPUT', `${path} is no folder: the data path of the Besu node is expected there`)
}

/** The first of the paths that exists. @throws CommandError when it is not a file */
const fileAt = (...paths: readonly (string | undefined)[]): string | undefined => {
  const found = paths.find(path => path !== undefined && existsSync(path))
  if (found !== undefined) requireFile(found)
  return found
}

/** The path, also of a file that is missing. @throws CommandError when something else is there */
const fileNamed = (path: string | undefined): string | undefined => {
  if (path !== undefined && existsSync(path)) requireFile(path)
  return path
}

const versionIn = (dataPath: string | undefined): string | undefined => {
  if (dataPath === undefined) return undefined
  const path = fileAt(join(dataPath, 'VERSION_METADATA.json'))
  if (path === undefined || statSync(path).size > METADATA_BYTES_MAX) return undefined
  return /"besuVersion"\s*:\s*"(\d+\.\d+[^"]*)"/.exec(readFileSync(path, 'utf8'))?.[1]
}

/**
 * Reads, and changes nothing. @param genesisFile if given, that of the network
 * @throws CommandError when there is no such path, or no file where one is expected; UsageError when the file is not TOML
 */
export const readBesuNode = (from: string, genesisFile?: string): BesuNode => {
  if (!existsSync(from))
    throw new CommandError(
      'INPUT',
      `There is no file or folder at ${from}: give the config.toml or the data path of the Besu node with --from-besu`,
    )
  const isFolder = statSync(from).isDirectory()
  const configFile = isFolder ? fileAt(join(from, 'config.toml'), join(from, '..', 'config.toml')) : from
  if (!isFolder) requireFile(from)
  if (genesisFile !== undefined && existsSync(genesisFile)) requireFile(genesisFile)
  const entries = configFile === undefined ? [] : readTomlEntries(configFile)
  const given = (name: string): string | undefined => {
    const value = entries.find(([key]) => key === name)?.[1]
    return typeof value === 'string' ? value : undefined
  }
  const base = configFile === undefined ? from : dirname(configFile)
  /** Besu resolves relative paths in the folder in which it was started, which is unknown here. */
  const locate = (path: string): string =>
    isAbsolute(path) ? path : ([resolve(base, path), resolve(path)].find(existsSync) ?? resolve(base, path))
  const located = (name: string): string | undefined => {
    const path = given(name)
    return path === undefined ? undefined : locate(path)
  }
  // A folder may also be the one with config.toml, which says where the data is.
  const isDataPath = isFolder && OF_DATA_PATH.some(name => existsSync(join(from, name)))
  const dataPath = isDataPath
    ? resolve(from)
    : (located('data-path') ?? (isFolder ? resolve(from) : undefined))
  if (dataPath !== undefined) requireFolder(dataPath)
  const within = (name: string): string | undefined =>
    dataPath === undefined ? undefined : join(dataPath, name)
  return {
    configFile,
    entries,
    dataPath,
    locate,
    genesisFile:
      genesisFile === undefined
        ? fileAt(located('genesis-file'), within('genesis.json'), within('../genesis.json'))
        : resolve(genesisFile),
    keyFile: fileAt(located('node-private-key-file'), within('key')),
    staticNodesFile: fileAt(located('static-nodes-file'), within('static-nodes.json')),
    lists: findLists(entries, name => fileNamed(located(name)), fileAt(within('permissions_config.toml'))),
    version: versionIn(dataPath),
  }
}
