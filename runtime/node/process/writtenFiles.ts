import { join, resolve } from 'node:path'
import { invalidValue } from '../../cli/errors.ts'
import { NODE_OPTIONS, type NodeOptions } from '../../cli/nodeOptions.ts'

/** A path, and what names it. */
type NamedPath = { readonly name: string; readonly path: string }

/** Files that the node creates, replaces or appends to. */
const WRITTEN = ['logFile', 'pidPath', 'xRpcIpcPath', 'txPoolSaveFile'] as const

const PATH_PLACEHOLDER = NODE_OPTIONS.logFile.placeholder

/** A folder: a file cannot be written there in any case. */
const DATA_PATH = `--${NODE_OPTIONS.dataPath.name}`

const namedPaths = (options: NodeOptions): readonly NamedPath[] => [
  ...Object.entries(NODE_OPTIONS).flatMap(([key, { name, placeholder }]) => {
    const value = options[key as keyof NodeOptions]
    return placeholder === PATH_PLACEHOLDER && typeof value === 'string'
      ? [{ name: `--${name}`, path: resolve(value) }]
      : []
  }),
  { name: 'the key of the node', path: resolve(join(options.dataPath, 'key')) },
  { name: 'the connection key', path: resolve(join(options.dataPath, 'connection-key')) },
]

/** Refuses to write the log, or another file, over a file that has another use. @throws UsageError */
export const requireDistinctFiles = (options: NodeOptions): void => {
  const all = namedPaths(options)
  for (const key of WRITTEN) {
    const own = `--${NODE_OPTIONS[key].name}`
    const written = all.find(({ name }) => name === own)
    const other = all.find(({ name, path }) => name !== own && name !== DATA_PATH && path === written?.path)
    if (other !== undefined)
      throw invalidValue(`${own}=${other.path} is also the path of ${other.name}: give another one`)
  }
}
