import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Header } from '../../../core/block/header.ts'
import { checkedValue } from '../../../core/store/checksum.ts'
import { decodeStoredHead } from '../../../core/store/codec/chainHead.ts'
import { readFlushedHeight } from '../../../core/store/flushing/flushedHeight.ts'
import { headerKey } from '../../../core/store/keys.ts'
import { keyValueOfDriver } from '../../../core/store/keyvalue/driverStore.ts'
import { readHistoryStart } from '../../../core/store/recovery/historyMark.ts'
import { openSegment, segmentRecord } from '../../../core/store/segments/segment.ts'
import { readSegment } from '../../../core/store/segments/segmentParts.ts'
import type { CommandContext } from '../../cli/command.ts'
import { configureLogFrom } from '../../cli/configureLog.ts'
import { lockDataPath } from '../../drivers/lock.ts'
import { sqliteDriverOf } from '../../drivers/sqlite.ts'
import { openSegmentsFile, openViewsFile, VIEWS_FILE } from '../../drivers/sqliteFolder.ts'
import { useFastEngine } from '../../node/opening/engine.ts'
import { openSqliteFileToRead } from '../../storage/sqliteToRead.ts'
import { type Growth, measureGrowth } from '../../storage/growth.ts'
import { createRecordReader, lastRecordOf, type RecordReader } from '../../storage/recordReader.ts'
import {
  type ChainFiles,
  freeBytes,
  type KindSize,
  perBlockSizes,
  recordBytes,
  sizesByKind,
} from '../../storage/sizes.ts'
import { chainFolderOf } from './chainFolder.ts'
import type { ReportOptions } from './storageCommands.ts'

type Report = {
  readonly files: readonly { readonly name: string; readonly bytes: number }[]
  readonly kinds: readonly KindSize[]
  readonly growth: Growth | undefined
  /** The first block whose content and state are kept; 0 while all are. */
  readonly historyStart: number
  /** Bytes of the files that were freed, which new blocks use. */
  readonly freeBytes: number
  /** False where the views are missing: their kinds and the growth are then not told. */
  readonly hasViews: boolean
}

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB']

const sizeText = (bytes: number): string => {
  const power = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`
}

const filesOf = (folder: string): Report['files'] =>
  readdirSync(folder)
    .map(name => ({ name, bytes: statSync(join(folder, name)).size }))
    .sort((a, b) => b.bytes - a.bytes)

/** The header of a block from the views, or from its record. */
const headerIn = async (kv: RecordReader, number: number): Promise<Header | undefined> => {
  const key = headerKey(number)
  const head = checkedValue(key, await kv.get(key))
  if (head !== undefined) return decodeStoredHead(head).header
  const record = await readSegment(kv, number)
  return typeof record === 'string' ? undefined : segmentRecord(openSegment(record)).block.header
}

const readFiles = async (files: ChainFiles): Promise<Omit<Report, 'files'>> => {
  const { segments, views } = files
  const kv: RecordReader =
    views === undefined
      ? createRecordReader(segments)
      : keyValueOfDriver(sqliteDriverOf({ segments, views }), 'synced')
  const kinds = sizesByKind(files)
  const historyStart = await readHistoryStart(kv, (await readFlushedHeight(kv)).flushedHeight)
  const header = (number: number): Promise<Header | undefined> => headerIn(kv, number)
  const growth =
    views === undefined
      ? undefined
      : await measureGrowth(
          { last: lastRecordOf(segments), historyStart, header },
          {
            recordsOf: (first, last) => recordBytes(files, first, last),
            ...perBlockSizes(kinds, historyStart > 0),
          },
        )
  return {
    kinds,
    growth,
    historyStart,
    freeBytes: freeBytes(files),
    hasViews: views !== undefined,
  }
}

/** Changes nothing: views that are missing, or end before the records, stay so. */
const read = async (folder: string): Promise<Report> => {
  const sizes = filesOf(folder)
  const segments = await openSegmentsFile(folder, openSqliteFileToRead)
  try {
    const hasViews = existsSync(join(folder, VIEWS_FILE))
    const views = hasViews ? await openViewsFile(folder, segments, {}, openSqliteFileToRead) : undefined
    try {
      return { files: sizes, ...(await readFiles({ segments, views })) }
    } finally {
      await views?.close()
    }
  } finally {
    await segments.close()
  }
}

const growthLines = (growth: Growth): readonly string[] => {
  const { firstBlock, lastBlock, seconds, emptyBlocks, bytesPerDay, keptBytesPerDay } = growth
  const blocks = lastBlock - firstBlock + 1
  const sample = `by the last ${blocks} blocks (${firstBlock} to ${lastBlock}, ${seconds} s)`
  return [
    keptBytesPerDay === undefined
      ? `Growth ${sample}: ${sizeText(bytesPerDay)} a day`
      : `New blocks ${sample}: ${sizeText(bytesPerDay)} a day, for which removed ones make room; their headers stay, ${sizeText(keptBytesPerDay)} a day, and state grows with its accounts`,
    emptyBlocks === 0
      ? 'None of them is empty'
      : `${emptyBlocks} of them are empty: ${sizeText(growth.emptyBlockBytes)} each, ${sizeText(growth.emptyBytesPerDay)} a day. emptyblockperiodseconds in the genesis file makes fewer`,
  ]
}

const historyLine = ({ historyStart, freeBytes: free }: Report): string =>
  `${historyStart === 0 ? 'All blocks are kept' : `The history is kept from block ${historyStart} on`}; ${sizeText(free)} in the files are free for new ones`

/** Prints the sizes of the files of a stopped node by kind, and their growth. @throws CommandError */
export const reportStorage = async ({
  options,
  terminal,
}: CommandContext<ReportOptions>): Promise<number> => {
  configureLogFrom(options, terminal, 'error')
  const { dataPath, json } = options
  const folder = chainFolderOf(dataPath)
  await useFastEngine()
  const lock = await lockDataPath(dataPath)
  try {
    const report = await read(folder)
    if (json) {
      terminal.out(JSON.stringify(report))
      return 0
    }
    for (const { name, bytes } of report.files) terminal.out(`${sizeText(bytes).padStart(12)}  ${name}`)
    terminal.out('')
    for (const { kind, count, bytes } of report.kinds)
      terminal.out(`${sizeText(bytes).padStart(12)}  ${kind}: ${count} entries`)
    terminal.out('')
    terminal.out(historyLine(report))
    if (!report.hasViews)
      terminal.out(
        `The views (${VIEWS_FILE}) are missing: the next start of the node, or storage check --repair, builds them from the block records`,
      )
    for (const line of report.growth === undefined ? [] : growthLines(report.growth)) terminal.out(line)
    return 0
  } finally {
    lock.release()
  }
}
