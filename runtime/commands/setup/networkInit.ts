import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { hostKind } from '../../../p2p/transport/enode.ts'
import type { CommandContext } from '../../cli/command.ts'
import { CommandError, UsageError } from '../../cli/errors.ts'
import { writeFileAtomically } from '../../files/atomic.ts'
import { writeFailureReason } from '../../files/reason.ts'
import { readInputFile } from '../../setup/inputFile.ts'
import { filesOf, type PlannedFile } from '../../setup/networkFiles.ts'
import { GENESIS_FILE, type NetworkRequest, planNetwork } from '../../setup/networkPlan.ts'
import type { NetworkInitOptions } from './networkInitCommand.ts'

type Context = CommandContext<NetworkInitOptions>

/** Genesis files of new networks have some kilobytes. */
const GENESIS_BYTES_MAX = 16 * 1024 * 1024

const requestOf = ({ options, words }: Context): NetworkRequest => {
  const [folder, ...more] = words
  if (folder === undefined || more.length > 0)
    throw new UsageError('INVALID_COMMAND', 'Give one folder: network init DIR')
  const { hosts, validators } = options
  if (hosts.length > 0 && hosts.length !== validators)
    throw new UsageError(
      'INVALID_VALUE',
      `--hosts names ${hosts.length} hosts, --validators=${validators}: give a host for each validator`,
    )
  const wrong = hosts.find(host => hostKind(host) === undefined)
  if (wrong !== undefined)
    throw new UsageError('INVALID_VALUE', `--hosts: '${wrong}' is neither an address nor a host name`)
  if (new Set(hosts).size < hosts.length)
    throw new UsageError('INVALID_VALUE', '--hosts names a host twice: each validator needs its own')
  return {
    folder: resolve(folder),
    validators,
    hosts,
    blockPeriodSeconds: options.period,
    chainId: options.chainId,
  }
}

const write = ({ path, text, mode }: PlannedFile): void => {
  try {
    writeFileAtomically(path, text, mode)
  } catch (cause) {
    throw new CommandError('DATA_PATH', `Cannot write ${path}: ${writeFailureReason(cause)}`, { cause })
  }
}

/** Writes the files of a new network; those that are there already stay as they are. @throws UsageError, CommandError */
export const initNetwork = async (context: Context): Promise<number> => {
  const request = requestOf(context)
  const { terminal } = context
  const plan = planNetwork(request)
  const genesis = plan.newGenesis ?? readInputFile(join(request.folder, GENESIS_FILE), GENESIS_BYTES_MAX)
  const missing = filesOf(plan, genesis).filter(({ path }) => !existsSync(path))
  for (const file of missing) write(file)
  if (missing.length === 0) {
    terminal.out(`${request.folder} has all files already: nothing was changed`)
    return 0
  }
  for (const { path } of missing) terminal.out(`wrote ${relative(request.folder, path)}`)
  terminal.out(`\nWhat to do next is in ${join(request.folder, 'NEXT-STEPS.md')}`)
  return 0
}
