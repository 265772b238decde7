import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openChainStore } from '../../../core/store/chainStore.ts'
import { keyValueOfDriver } from '../../../core/store/keyvalue/driverStore.ts'
import type { CommandContext } from '../../cli/command.ts'
import { configureLogFrom } from '../../cli/configureLog.ts'
import { lockDataPath } from '../../drivers/lock.ts'
import { openSqliteFolder, sqliteDriverOf } from '../../drivers/sqlite.ts'
import { useFastEngine } from '../../node/opening/engine.ts'
import { type Growth, measureGrowth } from '../../storage/growth.ts'
import { freeBytes, type KindSize, perBlockSizes, recordBytes, sizesByKind } from '../../storage/sizes.ts'
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

const read = async (folder: string): Promise<Report> => {
  const files = await openSqliteFolder(folder)
  const store = await openChainStore(keyValueOfDriver(sqliteDriverOf(files), 'synced'), { repairs: true })
  try {
    await store.flush()
    const kinds = sizesByKind(files)
    const onDisk = filesOf(folder)
    const historyStart = Number(store.historyStart?.() ?? 0n)
    const growth = await measureGrowth(store, {
      recordsOf: (first, last) => recordBytes(files, first, last),
      ...perBlockSizes(kinds, historyStart > 0),
    })
    return { files: onDisk, kinds, growth, historyStart, freeBytes: freeBytes(files) }
  } finally {
    await store.close()
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
    for (const line of report.growth === undefined ? [] : growthLines(report.growth)) terminal.out(line)
    return 0
  } finally {
    lock.release()
  }
}
