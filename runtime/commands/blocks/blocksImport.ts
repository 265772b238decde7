import { createReadStream, statSync } from 'node:fs'
import { stderr } from 'node:process'
import { toHex } from '../../../core/bytes/hex.ts'
import { decodeBlock } from '../../../core/block/codec/block.ts'
import { blockHash } from '../../../core/block/codec/blockHash.ts'
import { splitBlocks } from '../../../core/block/codec/blockStream.ts'
import { DecodeError } from '../../../core/block/codec/error.ts'
import type { Block } from '../../../core/block/block.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import { InvalidBlock } from '../../../core/chain/rules/invalidBlock.ts'
import { equalBytes } from '../../../core/bytes/bytes.ts'
import type { CommandContext } from '../../cli/command.ts'
import type { BlocksImportOptions } from './blocksCommands.ts'
import { CommandError, UsageError } from '../../cli/errors.ts'
import { type Progress, startProgress } from '../../cli/terminal/progress.ts'
import { configureLogFrom } from '../../cli/configureLog.ts'
import { type Log, logOf } from '../../logging/log.ts'
import { openNode } from '../../node/opening/openNode.ts'
import { stopSignal } from '../../node/process/signals.ts'
import { logBlock } from '../../logging/logBlock.ts'
import { type BlockRange, blockRange } from './blockRange.ts'
import { formatRate } from '../../../core/text/rates.ts'

type Context = CommandContext<BlocksImportOptions>

/** Bytes read at once: an import needs this much memory and one block, whatever the length of the file. */
const CHUNK_BYTES = 1024 * 1024

/** More than the blocks of any chain. */
const END_MAX = 1n << 64n

type Totals = { blocks: number; known: number; transactions: number; gas: bigint }

const filesOf = ({ options, words }: Context): readonly string[] => {
  const files = [...(options.from === undefined ? [] : [options.from]), ...words]
  if (files.length === 0)
    throw new UsageError('INVALID_VALUE', 'No files specified to import: give --from=FILE')
  return files
}

const sizeOf = (file: string): number => {
  try {
    const found = statSync(file)
    if (found.isDirectory()) throw new CommandError('IMPORT', `Cannot import ${file}: it is a folder`)
    return found.size
  } catch (cause) {
    if (cause instanceof CommandError) throw cause
    const code = (cause as { code?: string }).code
    const reason = code === 'ENOENT' ? 'there is no such file' : (code ?? String(cause))
    throw new CommandError('IMPORT', `Cannot import ${file}: ${reason}`)
  }
}

const importOne = async (chain: Chain, block: Block): Promise<'imported' | 'known'> => {
  if (block.header.number > 0n) return chain.importBlock(block, { nowMs: Date.now() })
  const hash = blockHash(chain.configuration.consensus, block.header)
  if (equalBytes(hash, chain.genesis.hash)) return 'known'
  throw new CommandError(
    'IMPORT',
    `the file belongs to another chain: its genesis block is ${toHex(hash)}, the genesis file's is ${toHex(chain.genesis.hash)}`,
  )
}

/** A hint for the first blocks of a GoQuorum chain that do not match its genesis file; otherwise empty. */
const londonHint = (chain: Chain, block: Block | undefined): string => {
  const isFirst = block !== undefined && block.header.number <= 1n
  const differs =
    block?.header.baseFeePerGas === undefined && chain.genesis.header.baseFeePerGas !== undefined
  return isFirst && differs
    ? ' Its blocks have no base fee, while the genesis file sets londonBlock: GoQuorum ignores that entry, so leave it and the forks after it out of the genesis file.'
    : ''
}

/** The sentence that names the head after a failed import. */
const keptUpTo = (chain: Chain): string => `The chain is kept up to block ${chain.head().header.number}.`

const importFile = async (
  chain: Chain,
  file: string,
  range: BlockRange,
  totals: Totals,
  seen: (block: Block, bytesDone: number, result: 'imported' | 'known') => void,
  stopped: () => boolean,
): Promise<void> => {
  // An error of splitBlocks names the byte itself.
  let at = file
  let last: Block | undefined
  try {
    for await (const { offset, bytes } of splitBlocks(
      createReadStream(file, { highWaterMark: CHUNK_BYTES }),
    )) {
      at = `${file}, byte ${offset}`
      const block = decodeBlock(bytes)
      last = block
      const { number } = block.header
      at = `${file}, byte ${offset}, block ${number}`
      if (number >= range.end || stopped()) return
      if (number < range.start) continue
      const result = await importOne(chain, block)
      if (result === 'known') totals.known++
      else {
        totals.blocks++
        totals.transactions += block.transactions.length
        totals.gas += block.header.gasUsed
      }
      seen(block, offset + bytes.length, result)
      at = `${file}, after block ${number}`
    }
  } catch (error) {
    const isInvalidInput =
      error instanceof DecodeError || error instanceof InvalidBlock || error instanceof CommandError
    if (!isInvalidInput) throw error
    throw new CommandError(
      'IMPORT',
      `${at}: ${error.message}.${londonHint(chain, last)} ${keptUpTo(chain)}`,
      {
        cause: error,
      },
    )
  }
}

const summary = (totals: Totals, chain: Chain, ms: number): string => {
  const known = totals.known === 0 ? '' : `, ${totals.known} were there already`
  return (
    `Imported ${totals.blocks} blocks with ${totals.transactions} transactions and ${totals.gas} gas in ` +
    `${(ms / 1000).toFixed(1)} s (${formatRate(totals.blocks, ms)} blocks/s)${known}. ` +
    `The head is block ${chain.head().header.number} (${toHex(chain.head().hash)})`
  )
}

const importFiles = async (
  chain: Chain,
  files: readonly string[],
  range: BlockRange,
  progress: Progress,
  log: Log,
  stopped: () => boolean,
): Promise<string> => {
  const totals: Totals = { blocks: 0, known: 0, transactions: 0, gas: 0n }
  const sizes = files.map(sizeOf)
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const startedMs = Date.now()
  let before = 0
  for (const [index, file] of files.entries()) {
    await importFile(
      chain,
      file,
      range,
      totals,
      ({ header, transactions }, bytesDone, result) => {
        if (result === 'imported')
          logBlock(log, 'Imported', header, transactions.length, 0, chain.head().hash, 'debug')
        const rate = formatRate(totals.blocks + totals.known, Date.now() - startedMs)
        progress.update({ done: before + bytesDone, total, text: `block ${header.number}, ${rate} blocks/s` })
      },
      stopped,
    )
    before += sizes[index] as number
  }
  return summary(totals, chain, Date.now() - startedMs)
}

/** Imports files of concatenated block RLP in order; skips blocks that are on the chain already. */
export const importBlocks = async (context: Context): Promise<number> => {
  const { options, terminal } = context
  configureLogFrom(options, terminal, 'error')
  const files = filesOf(context)
  for (const file of files) sizeOf(file)
  const range = blockRange(options, END_MAX)
  const log = logOf('import')
  const node = await openNode(options)
  const progress = startProgress(terminal, text => void stderr.write(text))
  const stop = stopSignal()
  try {
    const line = await importFiles(node.chain, files, range, progress, log, () => stop.received)
    progress.end()
    terminal.out(stop.received ? `Stopped before the end. ${line}` : line)
    return stop.received ? 1 : 0
  } finally {
    progress.end()
    stop.release()
    await node.close()
  }
}
