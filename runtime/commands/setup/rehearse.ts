import type { Chain } from '../../../core/chain/chain.ts'
import { ChainError } from '../../../core/chain/error.ts'
import { type RehearsedBlock, rehearse } from '../../../core/chain/rehearsal/rehearse.ts'
import type { CommandContext } from '../../cli/command.ts'
import { configureLogFrom } from '../../cli/configureLog.ts'
import { CommandError, requireOption } from '../../cli/errors.ts'
import type { Terminal } from '../../cli/terminal/terminal.ts'
import { type PlannedChange, plannedChanges } from '../../doctor/plans.ts'
import { executionBytesMax } from '../../node/opening/executionMemory.ts'
import { openNode } from '../../node/opening/openNode.ts'
import { stopSignal } from '../../node/process/signals.ts'
import { createYield, isSliceOver } from '../../scheduler.ts'
import { copyChain } from '../../setup/chainCopy.ts'
import type { RehearseOptions } from './rehearseCommand.ts'

/** Blocks that are replayed without --at. */
const BLOCKS_DEFAULT = 64n

/** Lines about single blocks; the totals count the others. */
const LINES_MAX = 100

type Context = CommandContext<RehearseOptions>

type Totals = { blocks: number; valid: number; rebuilt: number; differing: number; impossible: number }

const planLine = ({ block, timestamp, changes }: PlannedChange): string => {
  const place = block === undefined ? `time ${BigInt(timestamp ?? '0x0')}` : `block ${BigInt(block)}`
  const texts = Object.entries(changes).map(([name, value]) => `${name} ${value}`)
  return `plan   from ${place} on: ${texts.join(', ')}`
}

/** What is reported about a block beside the totals. */
const linesOf = ({ number, violation, obstacle, differences }: RehearsedBlock): readonly string[] => {
  if (obstacle !== undefined) return [`WRONG  block ${number} could not be built: ${obstacle}`]
  if (violation === undefined) return []
  if (differences.length === 0) return [`note   as it is, ${violation.message}`]
  return differences.map(text => `WRONG  block ${number}: ${text}`)
}

const count = (totals: Totals, { violation, obstacle, differences }: RehearsedBlock): void => {
  totals.blocks++
  if (obstacle !== undefined) totals.impossible++
  else if (violation === undefined) totals.valid++
  else if (differences.length === 0) totals.rebuilt++
  else totals.differing++
}

const summaryOf = (totals: Totals): string =>
  `Replayed ${totals.blocks} blocks, each as the first one under the plan: ${totals.valid} stay valid as they are, ` +
  `${totals.rebuilt} would be built with the same results, ${totals.differing} with others, ${totals.impossible} not at all`

const verdictOf = ({ blocks, differing, impossible }: Totals): string => {
  if (blocks === 0) return 'WRONG  no block was replayed: the chain has none from there on'
  const wrong = differing + impossible
  return wrong === 0
    ? `well   the plan changes the result of no block that was replayed`
    : `WRONG  under the plan ${wrong} of ${blocks} blocks have other results, or could not be built`
}

/** @returns whether all blocks give the same results */
const report = async (
  blocks: AsyncIterable<RehearsedBlock>,
  terminal: Terminal,
  stopped: () => boolean,
): Promise<boolean> => {
  const totals: Totals = { blocks: 0, valid: 0, rebuilt: 0, differing: 0, impossible: 0 }
  const reported = new Set<string>()
  let lines = 0
  for await (const block of blocks) {
    if (stopped()) throw new CommandError('REHEARSAL', 'Stopped before the end')
    count(totals, block)
    // Blocks that violate one rule in the same way need no line each.
    const rule = block.differences.length === 0 ? block.violation?.rule : undefined
    if (rule !== undefined && reported.has(rule)) continue
    if (rule !== undefined) reported.add(rule)
    for (const line of linesOf(block)) if (lines++ < LINES_MAX) terminal.out(line)
  }
  if (lines > LINES_MAX) terminal.out(`and ${lines - LINES_MAX} more lines`)
  terminal.out(summaryOf(totals))
  terminal.out(verdictOf(totals))
  return totals.blocks > 0 && totals.differing === 0 && totals.impossible === 0
}

const firstOf = ({ options: { at } }: Context, chain: Chain): bigint => {
  const last = chain.head().header.number
  return at ?? (last > BLOCKS_DEFAULT ? last - BLOCKS_DEFAULT + 1n : 1n)
}

/**
 * Replays the last blocks of a copy of the chain under the transitions and forks that the genesis file has after the head.
 * Exit code 1 when a block has other results, or could not be built.
 */
export const rehearseGenesis = async (context: Context): Promise<number> => {
  const { options, terminal } = context
  configureLogFrom(options, terminal, 'error')
  requireOption(options.genesisFile, '--genesis-file=<PATH>', ', the planned one')
  const copy = await copyChain(options.dataPath, options.copyTo)
  const stop = stopSignal()
  try {
    const node = await openNode({ ...options, dataPath: copy.dataPath })
    try {
      const { chain, recoverSenders } = node
      for (const change of plannedChanges(chain.configuration, chain.head().header))
        terminal.out(planLine(change))
      const rules = {
        chain,
        recoverSenders,
        pause: createYield(),
        isPauseDue: isSliceOver,
        executionBytesMax: executionBytesMax(),
      }
      const isSame = await report(rehearse(rules, firstOf(context, chain)), terminal, () => stop.received)
      return isSame ? 0 : 1
    } finally {
      await node.close()
    }
  } catch (error) {
    if (error instanceof ChainError) throw new CommandError('REHEARSAL', error.message, { cause: error })
    throw error
  } finally {
    stop.release()
    copy.remove()
  }
}
