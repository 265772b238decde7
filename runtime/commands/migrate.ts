import { besuTransitionWarnings } from '../../core/genesis/parse/besuTransitions.ts'
import { join, resolve } from 'node:path'
import { toHex } from '../../core/bytes/hex.ts'
import type { CommandContext } from '../cli/command.ts'
import { requireOption } from '../cli/errors.ts'
import { NODE_OPTIONS } from '../cli/nodeOptions.ts'
import { PROGRAM } from '../cli/program.ts'
import { shellWord } from '../cli/shell.ts'
import { printable } from '../doctor/texts.ts'
import { readStaticNodes } from '../files/staticNodes.ts'
import { readNodeKey } from '../keys/nodeKey.ts'
import { type BesuNode, readBesuNode } from '../migrate/besuNode.ts'
import { describeLists } from '../migrate/besuLists.ts'
import { type MigratedOption, classifyOptions } from '../migrate/besuOptions.ts'
import { messageFormatOf } from '../migrate/messageFormat.ts'
import { readGenesis } from '../node/opening/genesisFile.ts'
import type { MigrateOptions } from './migrateCommand.ts'

/** Options whose files are named in the commands on their own. */
const OF_FILES: ReadonlySet<string> = new Set([
  'data-path',
  'genesis-file',
  'node-private-key-file',
  'static-nodes-file',
])
/** A value is shown up to this length. */
const SHOWN_MAX = 60

const mappingText = ({ name, mapping }: MigratedOption): string => {
  if (OF_FILES.has(name)) return 'see the files below'
  if (mapping.kind === 'unneeded') return `not needed: ${mapping.meaning}`
  if (mapping.kind === 'partly') return `${mapping.kept}; REFUSED: ${mapping.reason}`
  return mapping.kind === 'kept' ? 'the same' : `REFUSED: ${mapping.reason}`
}

const optionLines = (options: readonly MigratedOption[]): readonly string[] => {
  const width = Math.max(0, ...options.map(({ name }) => name.length))
  return options.map(option => {
    const value = option.value.length > SHOWN_MAX ? `${option.value.slice(0, SHOWN_MAX)}…` : option.value
    const shown = [option.name.padEnd(width), value, mappingText(option)].map(printable)
    return `  ${shown[0]}  ${shown[1]}\n  ${' '.repeat(width)}    ${shown[2]}`
  })
}

/** Reads what a start would read, so that a file that cannot be used is found now. @throws CommandError */
const fileLines = ({
  genesisFile,
  keyFile,
  staticNodesFile,
  dataPath,
  lists,
}: BesuNode): readonly string[] => {
  const key = keyFile === undefined ? undefined : readNodeKey(keyFile)
  const nodes =
    staticNodesFile === undefined ? 0 : readStaticNodes({ dataPath: dataPath ?? '.', staticNodesFile }).length
  const genesis = genesisFile === undefined ? undefined : readGenesis(genesisFile)
  const chainId = genesis?.configuration.chainId
  return [
    `  genesis       ${genesisFile === undefined ? 'NOT FOUND: run this command again with --genesis-file=<PATH>' : `${genesisFile} (chain ${chainId})`}`,
    ...(genesis === undefined ? [] : besuTransitionWarnings(genesis.configuration)).map(
      each => `                ${each}`,
    ),
    `  node key      ${key === undefined ? 'not found: without it this is another node and no validator' : `${keyFile} (${toHex(key.address)})`}`,
    `  static nodes  ${staticNodesFile === undefined ? 'none' : `${staticNodesFile} (${nodes})`}`,
    ...describeLists(lists),
    '  the chain     is fetched from the other nodes: Besu’s database is not read',
  ]
}

const argumentOf = ({ value, mapping }: MigratedOption): readonly string[] => {
  if (mapping.kind === 'kept') return [`--${mapping.option.name}=${value}`]
  return mapping.kind === 'partly' ? [`--${mapping.option.name}=${mapping.kept}`] : []
}

/** Without the genesis file the node would start a development chain with the key of the validator, so no command is shown. */
const commandLines = (
  besu: BesuNode,
  options: readonly MigratedOption[],
  dataPath: string,
): readonly string[] => {
  if (besu.genesisFile === undefined)
    return ['No commands are shown: the new node needs the genesis file of the network.']
  const args = [
    `--genesis-file=${besu.genesisFile}`,
    `--data-path=${dataPath}`,
    '--p2p-protocol=devp2p',
    ...messageFormatOf(besu.version).options,
    ...options.filter(({ name }) => !OF_FILES.has(name)).flatMap(argumentOf),
  ]
  return [
    'Stop Besu for good before the last command: two nodes with one key must never run at a time.',
    '',
    `  mkdir -p ${shellWord(dataPath)}`,
    ...(besu.keyFile === undefined
      ? []
      : [`  install -m 600 ${shellWord(besu.keyFile)} ${shellWord(join(dataPath, 'key'))}`]),
    ...(besu.staticNodesFile === undefined
      ? []
      : [`  cp ${shellWord(besu.staticNodesFile)} ${shellWord(join(dataPath, 'static-nodes.json'))}`]),
    ...(besu.lists.copied === undefined
      ? []
      : [`  cp ${shellWord(besu.lists.copied)} ${shellWord(join(dataPath, 'permissions_config.toml'))}`]),
    `  ${PROGRAM} ${args.map(shellWord).join(' \\\n    ')}`,
  ]
}

/**
 * Prints how this node treats the options and files of a Besu node, and the commands to run; changes nothing. @throws
 * UsageError, CommandError
 */
export const migrate = async ({ options, terminal }: CommandContext<MigrateOptions>): Promise<number> => {
  const besu = readBesuNode(requireOption(options.fromBesu, '--from-besu=<PATH>'), options.genesisFile)
  const classified = classifyOptions(NODE_OPTIONS, besu.entries, besu.locate)
  terminal.out(
    [
      `Options of ${besu.configFile ?? 'Besu: no config.toml was found, name it to see how each is mapped'}`,
      ...optionLines(classified),
      '',
      'Files',
      ...fileLines(besu),
      '',
      `Consensus messages: ${messageFormatOf(besu.version).text}`,
      '',
      ...commandLines(besu, classified, resolve(options.dataPath)),
    ].join('\n'),
  )
  const isRefused = classified.some(
    ({ name, mapping }) => (mapping.kind === 'refused' || mapping.kind === 'partly') && !OF_FILES.has(name),
  )
  return isRefused || besu.genesisFile === undefined ? 1 : 0
}
