import { join } from 'node:path'
import { EnodeError, parseEnode } from '../../p2p/transport/enode.ts'
import { CommandError } from '../cli/errors.ts'
import { readFailureReason, readTextUpTo } from '../cli/readUpTo.ts'

/** Maximum file length: enough for thousands of enode URLs. */
const FILE_BYTES_MAX = 1024 * 1024

const invalid = (path: string, reason: string): CommandError =>
  new CommandError(
    'STATIC_NODES',
    `The static nodes of ${path} cannot be read: ${reason}. It must hold a JSON array of enode URLs.`,
  )

const parse = (path: string, text: string): readonly string[] => {
  // Besu reads an empty file as an empty list.
  if (text.trim() === '') return []
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The messages of the engines differ between runtimes.
    throw invalid(path, 'it is not JSON')
  }
  if (!Array.isArray(value) || !value.every(entry => typeof entry === 'string'))
    throw invalid(path, 'it is not an array of strings')
  for (const entry of value) {
    try {
      parseEnode(entry)
    } catch (error) {
      if (error instanceof EnodeError) throw invalid(path, error.message.replace(/\.$/, ''))
      throw error
    }
  }
  return value
}

/**
 * Reads the enode URLs of static nodes: from the given file, which must exist, otherwise from `static-nodes.json` in the data
 * path if it exists. @throws CommandError
 */
export const readStaticNodes = (options: {
  readonly dataPath: string
  readonly staticNodesFile: string | undefined
}): readonly string[] => {
  const path = options.staticNodesFile ?? join(options.dataPath, 'static-nodes.json')
  let text: string
  try {
    text = readTextUpTo(path, FILE_BYTES_MAX)
  } catch (cause) {
    const code = (cause as { code?: string }).code
    if (code === 'ENOENT' && options.staticNodesFile === undefined) return []
    throw invalid(path, readFailureReason(cause))
  }
  return parse(path, text)
}
