import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { toHex } from '../../../core/bytes/hex.ts'
import { GenesisError } from '../../../core/genesis/error.ts'
import { parseGenesisText } from '../../../core/genesis/parse/parse.ts'
import type { CommandContext } from '../../cli/command.ts'
import { CommandError, UsageError, requireOption } from '../../cli/errors.ts'
import { writeFileAtomically } from '../../files/atomic.ts'
import { writeFailureReason } from '../../files/reason.ts'
import { createNodeKey } from '../../keys/nodeKey.ts'
import { readInputFile } from '../../setup/inputFile.ts'
import { genesisExtraData } from '../../setup/networkGenesis.ts'
import { type OperatorConfig, parseOperatorConfig, writeJson } from '../../setup/operatorConfig.ts'
import type { OperatorOptions } from './operatorCommand.ts'

type Context = CommandContext<OperatorOptions>

/** A genesis file with many accounts. */
const CONFIG_BYTES_MAX = 256 * 1024 * 1024

/** A node of the network; without a private key where its operator has it. */
type Node = {
  readonly address: Uint8Array
  readonly publicKey: string
  readonly privateKey: string | undefined
}

const nodesOf = ({ nodes }: OperatorConfig): readonly Node[] =>
  'keys' in nodes
    ? nodes.keys.map(({ address, publicKey }) => ({ address, publicKey, privateKey: undefined }))
    : Array.from({ length: nodes.count }, () => {
        const { address, publicKey, privateKey } = createNodeKey()
        return { address, publicKey: toHex(publicKey), privateKey: toHex(privateKey) }
      })

/** @throws UsageError for a missing option, or names that are not those of two files */
const namesOf = ({ options }: Context) => {
  const { genesisFileName, privateKeyFileName, publicKeyFileName } = options
  const configFile = requireOption(options.configFile, '--config-file=<PATH>')
  const to = requireOption(options.to, '--to=<PATH>')
  const names = [genesisFileName, privateKeyFileName, publicKeyFileName]
  const wrong = names.find(name => basename(name) !== name || name === '.' || name === '..')
  if (wrong !== undefined) throw new UsageError('INVALID_VALUE', `'${wrong}' is not the name of a file`)
  if (privateKeyFileName === publicKeyFileName)
    throw new UsageError('INVALID_VALUE', 'Private key file name and public key file name must differ')
  return { configFile, to, genesisFileName, privateKeyFileName, publicKeyFileName }
}

/** @throws CommandError for a folder with content, as Besu */
const requireEmpty = (folder: string): void => {
  if (!existsSync(folder)) return
  if (!statSync(folder).isDirectory() || readdirSync(folder).length > 0)
    throw new CommandError('DATA_PATH', 'Output directory already exists.')
}

/** @throws CommandError for a genesis file that no node would start with */
const genesisTextOf = (config: OperatorConfig, nodes: readonly Node[]): string => {
  const extraData = genesisExtraData(nodes.map(({ address }) => address))
  const text = `${writeJson({ ...config.genesis, extraData })}\n`
  try {
    parseGenesisText(text)
  } catch (error) {
    if (error instanceof GenesisError) throw new CommandError('INPUT', `genesis: ${error.message}`)
    throw error
  }
  return text
}

/** Writes the genesis file and the keys of a network, as Besu does. @throws UsageError, CommandError */
export const generateBlockchainConfig = async (context: Context): Promise<number> => {
  const names = namesOf(context)
  const { to } = names
  requireEmpty(to)
  const config = parseOperatorConfig(readInputFile(names.configFile, CONFIG_BYTES_MAX), names.configFile)
  const nodes = nodesOf(config)
  const genesis = genesisTextOf(config, nodes)
  try {
    for (const { address, publicKey, privateKey } of nodes) {
      const folder = join(to, 'keys', toHex(address))
      if (privateKey !== undefined)
        writeFileAtomically(join(folder, names.privateKeyFileName), privateKey, 0o600)
      writeFileAtomically(join(folder, names.publicKeyFileName), publicKey)
    }
    writeFileAtomically(join(to, names.genesisFileName), genesis)
  } catch (cause) {
    throw new CommandError('DATA_PATH', `Cannot write to ${to}: ${writeFailureReason(cause)}`, { cause })
  }
  context.terminal.out(`Wrote ${join(to, names.genesisFileName)} and the keys of ${nodes.length} validators`)
  return 0
}
