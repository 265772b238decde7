import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { CommandError } from '../cli/errors.ts'
import { readTomlEntries } from '../cli/tomlFile.ts'

/** Where a Besu node keeps what a new node needs; undefined for what is not there. */
export type BesuNode = {
  readonly configFile: string | undefined
  readonly entries: readonly (readonly [name: string, value: unknown])[]
  readonly dataPath: string | undefined
  /** Makes a path of the configuration absolute. */
  readonly locate: (path: string) => string
  readonly genesisFile: string | undefined
  readonly keyFile: string | undefined
  readonly staticNodesFile: string | undefined
  /** Of the Besu that last opened its database, which it writes from 24.10 on. */
  readonly version: string | undefined
}

/** A file of this size is another one. */
const METADATA_BYTES_MAX = 64 * 1024

const fileAt = (...paths: readonly (string | undefined)[]): string | undefined =>
  paths.find(path => path !== undefined && existsSync(path) && statSync(path).isFile())

const versionIn = (dataPath: string | undefined): string | undefined => {
  if (dataPath === undefined) return undefined
  const path = fileAt(join(dataPath, 'VERSION_METADATA.json'))
  if (path === undefined || statSync(path).size > METADATA_BYTES_MAX) return undefined
  return /"besuVersion"\s*:\s*"(\d+\.\d+[^"]*)"/.exec(readFileSync(path, 'utf8'))?.[1]
}

/** Reads, and changes nothing. @throws CommandError when there is no such path, UsageError when the file is no TOML */
export const readBesuNode = (from: string): BesuNode => {
  if (!existsSync(from)) throw new CommandError('INPUT', `There is nothing at ${from}`)
  const isFolder = statSync(from).isDirectory()
  const configFile = isFolder ? fileAt(join(from, 'config.toml'), join(from, '..', 'config.toml')) : from
  const entries = configFile === undefined ? [] : readTomlEntries(configFile)
  const given = (name: string): string | undefined => {
    const value = entries.find(([key]) => key === name)?.[1]
    return typeof value === 'string' ? value : undefined
  }
  const base = configFile === undefined ? from : dirname(configFile)
  /** Besu takes relative paths from the folder that it was started in, which nobody knows here. */
  const locate = (path: string): string =>
    isAbsolute(path) ? path : ([resolve(base, path), resolve(path)].find(existsSync) ?? resolve(base, path))
  const located = (name: string): string | undefined => {
    const path = given(name)
    return path === undefined ? undefined : locate(path)
  }
  const dataPath = isFolder ? resolve(from) : located('data-path')
  const within = (name: string): string | undefined =>
    dataPath === undefined ? undefined : join(dataPath, name)
  return {
    configFile,
    entries,
    dataPath,
    locate,
    genesisFile: fileAt(located('genesis-file'), within('genesis.json'), within('../genesis.json')),
    keyFile: fileAt(located('node-private-key-file'), within('key')),
    staticNodesFile: fileAt(located('static-nodes-file'), within('static-nodes.json')),
    version: versionIn(dataPath),
  }
}
