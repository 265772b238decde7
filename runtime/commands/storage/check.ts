import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { stderr } from 'node:process'
import { readFlushedHeight } from '../../../core/store/flushing/flushedHeight.ts'
import { readHistoryStart } from '../../../core/store/recovery/historyMark.ts'
import { openChainStore } from '../../../core/store/chainStore.ts'
import { StoreCorruption } from '../../../core/store/checksum.ts'
import { keyValueOfDriver } from '../../../core/store/keyvalue/driverStore.ts'
import { MalformedRecord } from '../../../core/store/codec/reader.ts'
import type { CommandContext } from '../../cli/command.ts'
import { configureLogFrom } from '../../cli/configureLog.ts'
import { CommandError } from '../../cli/errors.ts'
import { type Progress, startProgress } from '../../cli/terminal/progress.ts'
import { lockDataPath } from '../../drivers/lock.ts'
import { openSqliteFolder, sqliteDriverOf, type SqliteFolder, VIEWS_FILE } from '../../drivers/sqlite.ts'
import { useFastEngine } from '../../node/opening/engine.ts'
import { developmentGenesisPath, readGenesis } from '../../node/opening/genesisFile.ts'
import { checkRecords } from '../../storage/checkRecords.ts'
import { checkEntries, checkState } from '../../storage/checkViews.ts'
import { createFindings, type Findings, found, linesOf } from '../../storage/findings.ts'
import { rebuildViews } from '../../storage/rebuildViews.ts'
import { chainFolderOf } from './chainFolder.ts'
import type { CheckStorageOptions } from './storageCommands.ts'

type Checked = {
  /** The first block that is kept; 0 while all are. */
  readonly historyStart: number
  /** Records, with that of the genesis block. */
  readonly blocks: number
  readonly entries: number
  readonly accounts: number
  readonly damagedBlocks: readonly number[]
  readonly records: Findings
  readonly views: Findings
}

type Check = Pick<Parameters<typeof checkRecords>[0], 'configuration'> & { readonly progress: Progress }

/** The last block in the file of records. */
const lastRecordOf = ({ segments }: SqliteFolder): number =>
  (segments.prepare('SELECT max(id) AS last FROM segment').get()?.['last'] as number | null) ?? -1

const checkFiles = async (files: SqliteFolder, { configuration, progress }: Check): Promise<Checked> => {
  const kv = keyValueOfDriver(sqliteDriverOf(files), 'synced')
  const records = createFindings()
  const views = createFindings()
  const last = lastRecordOf(files)
  const { flushedHeight } = await readFlushedHeight(kv)
  const historyStart = await readHistoryStart(kv, flushedHeight)
  const damagedBlocks = await checkRecords(
    {
      kv,
      historyStart,
      configuration,
      findings: records,
      onBlock: done => progress.update({ done, total: last, text: `block ${done}` }),
    },
    last,
  )
  const entries = checkEntries(files.views, views)
  let accounts = 0
  try {
    const store = await openChainStore(kv, { repairs: true })
    accounts = checkState(files.views, store, views)
    await store.close()
  } catch (cause) {
    if (!(cause instanceof StoreCorruption || cause instanceof MalformedRecord)) throw cause
    found(views, cause.message)
  }
  const blocks = last + 1 - Math.max(0, historyStart - 1)
  return { historyStart, blocks, entries, accounts, damagedBlocks, records, views }
}

const check = async (folder: string, options: Check): Promise<Checked> => {
  const files = await openSqliteFolder(folder)
  try {
    return await checkFiles(files, options)
  } finally {
    await files.segments.close()
    await files.views.close()
  }
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
  const { configuration } = readGenesis(genesisFile)
  const lock = await lockDataPath(dataPath)
  const progress = startProgress(terminal, text => void stderr.write(text))
  try {
    let checked = await check(folder, { configuration, progress })
    const isRebuilt =
      repair && checked.views.count > 0 && checked.records.count === 0 && checked.historyStart === 0
    if (isRebuilt) {
      for (const line of linesOf(checked.views)) terminal.out(line)
      await rebuildViews(dataPath, folder)
      checked = await check(folder, { configuration, progress })
    }
    progress.end()
    const { historyStart, blocks, entries, accounts, damagedBlocks, records, views } = checked
    for (const line of [...linesOf(records), ...linesOf(views)]) terminal.out(line)
    if (damagedBlocks.length > 0)
      terminal.out(
        `${damagedBlocks.length} records of blocks are damaged. Start the node with its peers: it fetches them, and the log says so`,
      )
    else if (views.count > 0 && historyStart > 0)
      terminal.out(
        `The views cannot be built again, because the blocks before ${historyStart} were removed (--prune-history): restore ${folder} from a backup, or remove it and start the node with its peers, which then fetches the whole chain`,
      )
    else if (views.count > 0)
      terminal.out(`Run again with --repair to build ${join(folder, VIEWS_FILE)} from the block records`)
    if (records.count + views.count > 0) return 1
    if (historyStart > 0) terminal.out(`The history is kept from block ${historyStart} on`)
    terminal.out(
      `${isRebuilt ? 'Built the views again. ' : ''}${blocks} block records, ${entries} entries of the views and ${accounts} accounts are as their checksums and roots say`,
    )
    return 0
  } finally {
    progress.end()
    lock.release()
  }
}
