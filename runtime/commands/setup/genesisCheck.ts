import { decodeGenesisExtraData } from '../../../core/block/codec/extraData.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import { ChainError } from '../../../core/chain/error.ts'
import { genesisHeadOf } from '../../../core/chain/opening/openGenesis.ts'
import { consensusEntries } from '../../../core/genesis/comparison/consensusEntries.ts'
import type { Genesis } from '../../../core/genesis/genesis.ts'
import type { CommandContext } from '../../cli/command.ts'
import { CommandError, UsageError } from '../../cli/errors.ts'
import type { Terminal } from '../../cli/terminal/terminal.ts'
import { SECONDS_MAX } from '../../doctor/nextBlock.ts'
import type { Cause } from '../../doctor/nodeReport.ts'
import { firstBlockCauses } from '../../setup/firstBlock.ts'
import { quorumText } from '../../setup/voteEffect.ts'
import { readGenesis } from '../../node/opening/genesisFile.ts'

/** Files of the companies of a network. */
const FILES_MAX = 100

type Checked = {
  readonly file: string
  readonly genesis: Genesis | undefined
  /** False where no block can follow the genesis block. */
  readonly hasFirst: boolean
}

const validatorsText = ({ configuration, header }: Genesis): string => {
  if (configuration.consensus.kind !== 'qbft') return `consensus ${configuration.consensus.kind}`
  const { validators } = decodeGenesisExtraData(header.extraData)
  return validators.length === 0 ? 'validators of a contract' : quorumText(validators.length)
}

/** Prints why the rules allow no first block. @returns whether they allow one some day */
const checkFirstBlock = async (file: string, genesis: Genesis, terminal: Terminal): Promise<boolean> => {
  const causes = await firstBlockCauses(genesis, Date.now())
  // A network may be planned for a later time, but not for one after thousands of years.
  const isPlan = ({ kind }: Cause): boolean =>
    kind === 'head-in-future' && genesis.header.timestamp <= SECONDS_MAX
  for (const cause of causes) terminal.out(`${isPlan(cause) ? 'note  ' : 'WRONG '} ${file}: ${cause.text}`)
  return causes.every(isPlan)
}

const checkFile = async (file: string, terminal: Terminal): Promise<Checked> => {
  try {
    const genesis = readGenesis(file)
    const { hash } = genesisHeadOf(genesis)
    const { chainId } = genesis.configuration
    terminal.out(`well   ${file}: chain ${chainId}, ${validatorsText(genesis)}, genesis block ${toHex(hash)}`)
    for (const warning of genesis.warnings) terminal.out(`note   ${file}: ${warning}`)
    const hasFirst = await checkFirstBlock(file, genesis, terminal)
    return { file, genesis, hasFirst }
  } catch (error) {
    if (!(error instanceof CommandError) && !(error instanceof ChainError)) throw error
    terminal.out(`WRONG  ${file}: ${error.message}`)
    return { file, genesis: undefined, hasFirst: false }
  }
}

/** An empty value is one that differs from a missing one. */
const shown = (value: string | undefined): string => (value === undefined ? 'missing' : value || '""')

/** Entries that a network changes while it runs; nodes with and without them are of one network until they act. */
const PLANNED = /^transitions\.|^(?!chainId|daoFork)\w+(?:Block|Time\d*)$|^blobSchedule\./

/** Prints each entry in which a file differs from the first one. @returns whether there is any */
const compare = (first: Checked, other: Checked, terminal: Terminal): boolean => {
  if (first.genesis === undefined || other.genesis === undefined) return false
  const ours = consensusEntries(first.genesis)
  const theirs = consensusEntries(other.genesis)
  const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].sort()
  const differing = names.filter(name => ours[name] !== theirs[name])
  for (const name of differing)
    terminal.out(
      `${PLANNED.test(name) ? 'differs' : 'WRONG '} ${name}: ${shown(ours[name])} in ${first.file}, ${shown(theirs[name])} in ${other.file}`,
    )
  if (differing.length > 0 && differing.every(name => PLANNED.test(name)))
    terminal.out(
      `Both files are of one network. If ${other.file} is a plan, give it to every node before the first block or time that it names.`,
    )
  return differing.length > 0
}

/** Checks genesis files, and compares them with the first one. Exit code 1 when one is wrong or differs. */
export const checkGenesis = async ({ words, terminal }: CommandContext): Promise<number> => {
  if (words.length === 0)
    throw new UsageError('INVALID_COMMAND', 'Give one or more files: genesis check FILE...')
  if (words.length > FILES_MAX) throw new UsageError('INVALID_COMMAND', `More than ${FILES_MAX} files`)
  const checked: Checked[] = []
  for (const file of words) checked.push(await checkFile(file, terminal))
  const [first, ...others] = checked.filter(({ genesis }) => genesis !== undefined)
  const differing = first === undefined ? [] : others.filter(other => compare(first, other, terminal))
  const passed = differing.length === 0 && checked.every(({ hasFirst }) => hasFirst)
  if (passed && checked.length > 1) terminal.out('well   all files are of the same network')
  return passed ? 0 : 1
}
