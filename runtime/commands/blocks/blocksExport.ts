import { once } from 'node:events'
import { createWriteStream, existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { stderr } from 'node:process'
import { finished } from 'node:stream/promises'
import { encodeBlock } from '../../../core/block/codec/block.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import type { CommandContext } from '../../cli/command.ts'
import type { BlocksExportOptions } from './blocksCommands.ts'
import { CommandError, requireOption } from '../../cli/errors.ts'
import { type Progress, startProgress } from '../../cli/terminal/progress.ts'
import { writeFailureReason } from '../../files/reason.ts'
import { configureLogFrom } from '../../cli/configureLog.ts'
import { openNode } from '../../node/opening/openNode.ts'
import { stopSignal } from '../../node/process/signals.ts'
import { chainFolderOf } from '../storage/chainFolder.ts'
import { type BlockRange, blockRange } from './blockRange.ts'
import { formatRate } from '../../../core/text/rates.ts'

const cannotWrite = (file: string, cause: unknown): CommandError =>
  new CommandError('EXPORT', `Cannot write ${file}: ${writeFailureReason(cause)}`, { cause })

/** A file is renamed when it is complete, so that an incomplete one never replaces it; a device or pipe is written directly. */
const temporaryName = (file: string): string =>
  existsSync(file) && !statSync(file).isFile() ? file : `${file}.part`

const writeBlocks = async (
  chain: Chain,
  { start, end }: BlockRange,
  file: string,
  progress: Progress,
  stopped: () => boolean,
): Promise<bigint> => {
  const output = createWriteStream(file)
  const closed = finished(output)
  // Awaited below; without this an earlier failure would be an unhandled rejection.
  closed.catch(() => undefined)
  const startedMs = Date.now()
  let number = start
  for (; number < end && !stopped(); number++) {
    const record = await chain.store.record(number)
    if (record === undefined) throw new CommandError('EXPORT', `Block ${number} is not in the store`)
    if (!output.write(encodeBlock(record.block))) await Promise.race([once(output, 'drain'), closed])
    const done = Number(number - start) + 1
    const rate = formatRate(done, Date.now() - startedMs)
    progress.update({ done, total: Number(end - start), text: `block ${number}, ${rate} blocks/s` })
  }
  output.end()
  await closed
  return number - start
}

/** Writes blocks in order as concatenated RLP, with one block in memory at a time. */
export const exportBlocks = async ({
  options,
  terminal,
}: CommandContext<BlocksExportOptions>): Promise<number> => {
  configureLogFrom(options, terminal, 'error')
  const to = requireOption(options.to, '--to=<PATH>')
  const { dataPath, genesisFile, storage } = options
  // A new chain would be made where there is none.
  if (storage === 'sqlite' && genesisFile !== undefined) chainFolderOf(dataPath)
  const node = await openNode(options)
  const progress = startProgress(terminal, text => void stderr.write(text))
  const stop = stopSignal()
  const temporary = temporaryName(to)
  try {
    if (node.development?.chains.edits.isEmpty === false)
      throw new CommandError(
        'EXPORT',
        'The state of this development chain was set by hand, so no other node can execute its blocks: they are not exported',
      )
    const range = blockRange(options, node.chain.head().header.number + 1n)
    const kept = node.chain.store.historyStart?.() ?? 0n
    if (range.start < kept)
      throw new CommandError(
        'EXPORT',
        `This node keeps its blocks from ${kept} on (--prune-history): give --start-block=${kept}, or export the blocks of a node that keeps all`,
      )
    const startedMs = Date.now()
    const count = await writeBlocks(node.chain, range, temporary, progress, () => stop.received)
    progress.end()
    if (stop.received) throw new CommandError('EXPORT', 'Stopped before the end: nothing was written')
    if (temporary !== to) renameSync(temporary, to)
    terminal.out(
      `Exported ${count} blocks (${range.start} to ${range.end - 1n}) to ${to} in ${((Date.now() - startedMs) / 1000).toFixed(1)} s`,
    )
    return 0
  } catch (error) {
    progress.end()
    if (temporary !== to) rmSync(temporary, { force: true })
    if (typeof (error as { syscall?: unknown }).syscall === 'string') throw cannotWrite(to, error)
    throw error
  } finally {
    stop.release()
    await node.close()
  }
}
