import { existsSync, renameSync, rmSync } from 'node:fs'
import { stderr } from 'node:process'
import { toHex } from '../../../core/bytes/hex.ts'
import type { CommandContext } from '../../cli/command.ts'
import { configureLogFrom } from '../../cli/configureLog.ts'
import { CommandError, UsageError, requireOption } from '../../cli/errors.ts'
import { startProgress } from '../../cli/terminal/progress.ts'
import { writeFailureReason } from '../../files/reason.ts'
import { openNode } from '../../node/opening/openNode.ts'
import { prunedReason, STATE_SET_BY_HAND } from '../../snapshot/snapshots.ts'
import { writeSnapshot } from '../../snapshot/writeSnapshot.ts'
import { createOnNode } from './createOnNode.ts'
import { chainFolderOf } from '../storage/chainFolder.ts'
import type { CreateOptions } from './snapshotCommands.ts'

const failure = (path: string, cause: unknown): unknown =>
  typeof (cause as { syscall?: unknown }).syscall === 'string'
    ? new CommandError('EXPORT', `Cannot write ${path}: ${writeFailureReason(cause)}`, { cause })
    : cause

const createHere = async ({ options, terminal }: CommandContext<CreateOptions>): Promise<number> => {
  configureLogFrom(options, terminal, 'error')
  const { block, dataPath, storage, tokenFile } = options
  if (tokenFile !== undefined)
    throw new UsageError('INVALID_VALUE', '--token-file is for a running node: give its --url, too')
  const to = requireOption(options.to, '--to=<PATH>')
  if (existsSync(to)) throw new CommandError('EXPORT', `${to} exists: give another path`)
  // A new chain would be made where there is none.
  if (storage === 'sqlite') chainFolderOf(dataPath)
  const node = await openNode(options)
  const progress = startProgress(terminal, text => void stderr.write(text))
  const temporary = `${to}.part`
  try {
    if (node.development?.chains.edits.isEmpty === false)
      throw new CommandError('EXPORT', `Cannot write ${to}: ${STATE_SET_BY_HAND}`)
    const reason = prunedReason(node.chain.store)
    if (reason !== undefined) throw new CommandError('EXPORT', `Cannot write ${to}: ${reason}`)
    const { header } = node.chain.head()
    if (header.number === 0n)
      throw new CommandError('EXPORT', `Cannot write ${to}: the chain has the genesis block only`)
    const number = block ?? header.number
    if (number < 1n || number > header.number)
      throw new UsageError('INVALID_VALUE', `--block must be from 1 to the head, ${header.number}`)
    await writeSnapshot(node.chain, number, temporary, {
      pause: () => undefined,
      onBlock: done => progress.update({ done: Number(done), total: Number(number), text: `block ${done}` }),
    })
    progress.end()
    renameSync(temporary, to)
    const last = await node.chain.store.chainHead(number)
    terminal.out(
      `Wrote ${to}: the chain up to block ${number}, ${last === undefined ? '' : toHex(last.hash)}`,
    )
    return 0
  } catch (cause) {
    progress.end()
    rmSync(temporary, { force: true })
    throw failure(to, cause)
  } finally {
    await node.close()
  }
}

/**
 * Writes a snapshot of a stopped node, or lets a running node write one. The file gets its name only when it is complete.
 * @throws CommandError, UsageError
 */
export const createSnapshot = async (context: CommandContext<CreateOptions>): Promise<number> => {
  const { url } = context.options
  return url === undefined ? createHere(context) : createOnNode(context, url)
}
