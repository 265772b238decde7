import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { equalBytes, type Hash } from '../../core/bytes/bytes.ts'
import { toHex } from '../../core/bytes/hex.ts'
import { readChainId } from '../../core/store/chainId.ts'
import { openChainStore } from '../../core/store/chainStore.ts'
import { StoreCorruption } from '../../core/store/checksum.ts'
import { MalformedRecord } from '../../core/store/codec/reader.ts'
import { readFlushedHeight } from '../../core/store/flushing/flushedHeight.ts'
import { keyValueOfDriver } from '../../core/store/keyvalue/driverStore.ts'
import type { KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'
import { readHistoryStart } from '../../core/store/recovery/historyMark.ts'
import { openSegment } from '../../core/store/segments/segment.ts'
import { readSegment } from '../../core/store/segments/segmentParts.ts'
import { StoreFailed } from '../../core/store/storeFailed.ts'
import { errorText } from '../../core/text/errorText.ts'
import { CommandError } from '../cli/errors.ts'
import { SqliteFileError } from '../drivers/databaseFile.ts'
import { sqliteDriverOf } from '../drivers/sqlite.ts'
import type { SqliteFile } from '../drivers/sqliteFile.ts'
import { openSegmentsFile, openViewsFile, VIEWS_FILE } from '../drivers/sqliteFolder.ts'
import { checkRecords } from './checkRecords.ts'
import { checkEntries, checkState } from './checkViews.ts'
import { createFindings, type Findings, found } from './findings.ts'
import { createShadowStore, ViewsTooOld } from './shadowStore.ts'
import { openSqliteFileToRead } from './sqliteToRead.ts'
import { entriesAfter, viewEntries } from './viewEntries.ts'
import { createRecordReader, lastRecordOf, type RecordReader } from './recordReader.ts'

export type Checked = {
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

export type Check = Pick<Parameters<typeof checkRecords>[0], 'configuration'> & {
  readonly genesisHash: Hash
  readonly onBlock: (number: number, last: number) => void
}

/** The views of a check; `file` is undefined where they cannot be read at all. */
type CheckedViews = {
  readonly file: SqliteFile | undefined
  readonly findings: Findings
  /** True once SQLite found the file damaged: nothing of it is verified after that. */
  isDamaged: boolean
}

const isViewsDamage = (cause: unknown): cause is SqliteFileError =>
  cause instanceof SqliteFileError && cause.isDamaged && cause.path.endsWith(VIEWS_FILE)

/** Adds the damage of the file once. @throws any other error */
const foundDamage = (views: Pick<CheckedViews, 'findings' | 'isDamaged'>, cause: unknown): void => {
  if (!isViewsDamage(cause)) throw cause
  if (!views.isDamaged) found(views.findings, `${cause.path}: ${errorText(cause.cause)}`)
  views.isDamaged = true
}

const openViews = async (folder: string, segments: SqliteFile): Promise<CheckedViews> => {
  const views = { file: undefined, findings: createFindings(), isDamaged: false }
  const path = join(folder, VIEWS_FILE)
  if (!existsSync(path)) {
    found(views.findings, `${path} is missing`)
    return views
  }
  try {
    return { ...views, file: await openViewsFile(folder, segments, {}, openSqliteFileToRead) }
  } catch (cause) {
    foundDamage(views, cause)
    return views
  }
}

/** Reads entries of damaged views as missing ones. */
const tolerant = (kv: RecordReader, views: CheckedViews): RecordReader => ({
  get: async key => {
    try {
      return await kv.get(key)
    } catch (cause) {
      foundDamage(views, cause)
      return undefined
    }
  },
  pause: () => kv.pause(),
})

/** @throws CommandError for the genesis file of another chain */
const requireSameChain = async (
  kv: RecordReader,
  stored: Hash | undefined,
  { genesisHash, configuration }: Pick<Check, 'genesisHash' | 'configuration'>,
): Promise<void> => {
  const record = stored === undefined ? await readSegment(kv, 0) : 'missing'
  const hash = typeof record === 'string' ? stored : openSegment(record).hash
  if (hash !== undefined && !equalBytes(hash, genesisHash))
    throw new CommandError(
      'GENESIS',
      `The data path has the chain of genesis block ${toHex(hash)}, and the genesis file is of ${toHex(genesisHash)}: give the --genesis-file of that chain`,
    )
  const chainId = await readChainId(kv)
  if (chainId !== undefined && chainId !== configuration.chainId)
    throw new CommandError(
      'GENESIS',
      `The data path has a chain with the chain id ${chainId}, and the genesis file has ${configuration.chainId}: give the --genesis-file of that chain`,
    )
}

/** Verifies all entries, then accounts, slots and code after the head. Blocks above the views are added to them in memory. */
const checkViews = async (
  kv: KeyValueStore,
  file: SqliteFile,
  views: CheckedViews,
): Promise<{ readonly entries: number; readonly accounts: number }> => {
  const { findings } = views
  let entries = 0
  let accounts = 0
  try {
    entries = checkEntries(file, findings)
    const { kv: shadow, written } = createShadowStore(kv)
    const store = await openChainStore(shadow, { repairs: true })
    try {
      await store.flush()
      accounts = await checkState(() => entriesAfter(viewEntries(file), written), store, findings)
    } finally {
      await store.close()
    }
  } catch (cause) {
    if (cause instanceof StoreCorruption || cause instanceof MalformedRecord) found(findings, cause.message)
    else if (cause instanceof StoreFailed && cause.cause instanceof ViewsTooOld)
      found(findings, cause.cause.message)
    else foundDamage(views, cause)
  }
  return { entries, accounts }
}

const checkOpened = async (segments: SqliteFile, views: CheckedViews, check: Check): Promise<Checked> => {
  const { configuration, onBlock } = check
  const { file } = views
  const kv =
    file === undefined ? undefined : keyValueOfDriver(sqliteDriverOf({ segments, views: file }), 'synced')
  const reader = tolerant(kv ?? createRecordReader(segments), views)
  const { flushedHeight } = await readFlushedHeight(reader)
  await requireSameChain(reader, flushedHeight?.genesisHash, check)
  const historyStart = await readHistoryStart(reader, flushedHeight)
  // The views tell which records were lost at the end.
  const last = Math.max(lastRecordOf(segments), flushedHeight?.number ?? -1)
  const records = createFindings()
  const damagedBlocks = await checkRecords(
    {
      kv: reader,
      historyStart,
      configuration,
      findings: records,
      onBlock: number => onBlock(number, last),
    },
    last,
  )
  const { entries, accounts } =
    kv === undefined || file === undefined || views.isDamaged
      ? { entries: 0, accounts: 0 }
      : await checkViews(kv, file, views)
  const blocks = last + 1 - Math.max(0, historyStart - 1)
  return { historyStart, blocks, entries, accounts, damagedBlocks, records, views: views.findings }
}

/**
 * Verifies the files of a chain that no process has open, and changes nothing of them.
 * @throws CommandError for the genesis file of another chain; SqliteFileError for a file of records that SQLite cannot read
 */
export const checkFiles = async (folder: string, check: Check): Promise<Checked> => {
  const segments = await openSegmentsFile(folder, openSqliteFileToRead)
  try {
    const views = await openViews(folder, segments)
    try {
      return await checkOpened(segments, views, check)
    } finally {
      await views.file?.close()
    }
  } finally {
    await segments.close()
  }
}
