import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { stderr } from 'node:process'
import { genesisHeadOf } from '../../../core/chain/opening/openGenesis.ts'
import type { CommandContext } from '../../cli/command.ts'
import { configureLogFrom } from '../../cli/configureLog.ts'
import { CommandError } from '../../cli/errors.ts'
import type { Terminal } from '../../cli/terminal/terminal.ts'
import { startProgress } from '../../cli/terminal/progress.ts'
import { lockDataPath } from '../../drivers/lock.ts'
import { VIEWS_FILE } from '../../drivers/sqliteFolder.ts'
import { useFastEngine } from '../../node/opening/engine.ts'
import { developmentGenesisPath, readGenesis } from '../../node/opening/genesisFile.ts'
import { type Check, type Checked, checkFiles } from '../../storage/checkFiles.ts'
import { linesOf } from '../../storage/findings.ts'
import { rebuildViews } from '../../storage/rebuildViews.ts'
import { chainFolderOf } from './chainFolder.ts'
import type { CheckStorageOptions } from './storageCommands.ts'

/** What to do about what was found; undefined where nothing is damaged. */
const remedyOf = ({ historyStart, damagedBlocks, views }: Checked, folder: string): string | undefined => {
  const count = damagedBlocks.length
  const viewsPath = join(folder, VIEWS_FILE)
  if (views.count > 0 && historyStart > 0)
    return `The views cannot be built again, because the blocks before ${historyStart} were removed (--prune-history): restore ${folder} from a backup, or remove it and start the node with its peers, which then fetches the whole chain`
  if (count > 0 && views.count > 0)
    return `${count} records of blocks are damaged, and so are the views: delete ${viewsPath}, and start the node with its peers: it builds the views again and fetches the records`
  if (count > 0)
    return `${count} records of blocks are damaged. Start the node with its peers: it fetches them, and the log says so`
  if (views.count > 0) return `Run again with --repair to build ${viewsPath} from the block records`
  return undefined
}

/** Prints what was found, and what to do about it. Returns the exit code. */
const printChecked = (checked: Checked, folder: string, isRebuilt: boolean, terminal: Terminal): number => {
  const { historyStart, blocks, entries, accounts, records, views } = checked
  for (const line of [...linesOf(records), ...linesOf(views)]) terminal.out(line)
  const remedy = remedyOf(checked, folder)
  if (remedy !== undefined) terminal.out(remedy)
  if (records.count + views.count > 0) return 1
  if (historyStart > 0) terminal.out(`The history is kept from block ${historyStart} on`)
  terminal.out(
    `${isRebuilt ? 'Built the views again. ' : ''}${blocks} block records, ${entries} entries of the views and ${accounts} accounts are as their checksums and roots say`,
  )
  return 0
}

/** Verifies the files of a stopped node; with `--repair` builds damaged views again. @throws CommandError */
export const checkStorage = async ({
  options,
  terminal,
}: CommandContext<CheckStorageOptions>): Promise<number> => {
  configureLogFrom(options, terminal, 'error')
  const { dataPath, repair } = options
  const folder = chainFolderOf(dataPath)
  const genesisFile = options.genesisFile ?? developmentGenesisPath(dataPath)
  if (!existsSync(genesisFile))
    throw new CommandError('GENESIS', 'Give the --genesis-file of the chain in the data path')
  await useFastEngine()
  const genesis = readGenesis(genesisFile)
  const lock = await lockDataPath(dataPath)
  const progress = startProgress(terminal, text => void stderr.write(text))
  const check: Check = {
    configuration: genesis.configuration,
    genesisHash: genesisHeadOf(genesis).hash,
    onBlock: (done, total) => progress.update({ done, total, text: `block ${done}` }),
  }
  try {
    let checked = await checkFiles(folder, check)
    const isRebuilt =
      repair && checked.views.count > 0 && checked.records.count === 0 && checked.historyStart === 0
    if (isRebuilt) {
      for (const line of linesOf(checked.views)) terminal.out(line)
      await rebuildViews(dataPath, folder)
      checked = await checkFiles(folder, check)
    }
    progress.end()
    return printChecked(checked, folder, isRebuilt, terminal)
  } finally {
    progress.end()
    if (repair) lock.release()
    else lock.undo()
  }
}
