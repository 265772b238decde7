import { join } from 'node:path'
import { developmentGenesis } from '../../../core/genesis/development/development.ts'
import { GenesisError } from '../../../core/genesis/error.ts'
import type { Genesis } from '../../../core/genesis/genesis.ts'
import { parseGenesisText } from '../../../core/genesis/parse/parse.ts'
import type { Address } from '../../../core/bytes/bytes.ts'
import { CommandError } from '../../cli/errors.ts'
import { readFailureReason, readTextUpTo } from '../../cli/readUpTo.ts'

/** Maximum file length: the genesis files of real networks have a few megabytes. */
const GENESIS_BYTES_MAX = 256 * 1024 * 1024

/** Path of the genesis file of a development chain. */
export const developmentGenesisPath = (dataPath: string): string => join(dataPath, 'genesis.json')

const genesisError = (path: string, reason: string): CommandError =>
  new CommandError('GENESIS', `Unable to load genesis file: ${path}: ${reason}`)

const readText = (path: string): string | undefined => {
  try {
    return readTextUpTo(path, GENESIS_BYTES_MAX)
  } catch (cause) {
    if ((cause as { code?: string }).code === 'ENOENT') return undefined
    throw genesisError(path, readFailureReason(cause))
  }
}

const parse = (path: string, text: string): Genesis => {
  try {
    return parseGenesisText(text)
  } catch (error) {
    if (error instanceof GenesisError) throw genesisError(path, error.message)
    throw error
  }
}

/** Reads a genesis file; undefined if it does not exist. @throws CommandError if it is invalid */
export const readGenesisIfPresent = (path: string): Genesis | undefined => {
  const text = readText(path)
  return text === undefined ? undefined : parse(path, text)
}

/** Reads a genesis file. @throws CommandError if it is invalid or does not exist */
export const readGenesis = (path: string): Genesis => {
  const genesis = readGenesisIfPresent(path)
  if (genesis === undefined)
    throw genesisError(
      path,
      'there is no such file. Give the path of the network’s genesis file, or none for a development chain.',
    )
  return genesis
}

/** Creates the genesis of a development chain with this validator, and the text of its file. */
export const newDevelopmentGenesis = (
  validator: Address,
  chainId?: number,
): { readonly genesis: Genesis; readonly text: string } => {
  const text = `${JSON.stringify(developmentGenesis(chainId === undefined ? { validator } : { validator, chainId }), undefined, 2)}\n`
  return { genesis: parseGenesisText(text), text }
}
