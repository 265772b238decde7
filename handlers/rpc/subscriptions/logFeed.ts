import type { Log } from '../../../core/block/receipt.ts'
import type { YieldTurn } from '../../../core/scheduler.ts'
import type { RpcHost } from '../context.ts'
import type { Rewound } from '../development/development.ts'
import type { LogFilter } from '../logs/filter.ts'
import { createFilterIndex, type FilterIndex } from '../logs/filterIndex.ts'
import { logShape } from '../shapes/receipt.ts'
import { type BlockEvent, type BlockLoopHost, createBlockLoop } from './blockLoop.ts'
import { createGroup, type Group } from './groups.ts'
import type { Listener } from './lanes.ts'

/** Notifies listeners of the logs of committed blocks, in order. */
export type LogFeed = {
  /** @param text the same for the same filter */
  listen(filter: LogFilter, text: string, listener: Listener): () => void
  rewind(rewound: Rewound): void
}

/** Logs matched at once, and the matches among them: the lists of one step, which grow with the number of filters. */
const STEP_LOGS = 256
const STEP_MATCHES = 4096

/** The listeners of one filter. */
type Filtered = {
  readonly filter: LogFilter
  readonly group: Group
  /** Removes the filter from the index; undefined while it is not in it. */
  leaveIndex: (() => void) | undefined
}

type State = {
  readonly filters: Map<string, Filtered>
  readonly index: FilterIndex<Filtered>
  /** Filters with block numbers: they are in the index while the notified block is in their range. */
  readonly ranged: Set<Filtered>
}

/** Block numbers of a filter limit the notified range; tags do not, as in Besu. */
const isRanged = ({ range }: LogFilter): boolean =>
  range.kind === 'range' && (range.from.kind === 'number' || range.to.kind === 'number')

const isWithin = ({ range }: LogFilter, number: bigint): boolean =>
  range.kind === 'block' ||
  ((range.from.kind !== 'number' || range.from.number <= number) &&
    (range.to.kind !== 'number' || number <= range.to.number))

const enterIndex = ({ index }: State, filtered: Filtered): void => {
  filtered.leaveIndex ??= index.add(filtered.filter, filtered)
}

const leaveIndex = (filtered: Filtered): void => {
  filtered.leaveIndex?.()
  filtered.leaveIndex = undefined
}

/** Takes the filters out of the index whose range does not have the block, and puts the others into it. */
const placeRanged = async (state: State, number: bigint, yieldTurn: YieldTurn): Promise<void> => {
  for (const filtered of state.ranged) {
    if (isWithin(filtered.filter, number)) enterIndex(state, filtered)
    else leaveIndex(filtered)
    const pause = yieldTurn()
    if (pause !== undefined) await pause
  }
}

/** The matches of one step, by filter. */
const createMatches = (event: number) => {
  let matches = new Map<Filtered, string[]>()
  let count = 0
  return {
    add: (filtered: Filtered, text: string): void => {
      const texts = matches.get(filtered)
      if (texts === undefined) matches.set(filtered, [text])
      else texts.push(text)
      count++
    },
    isFull: () => count >= STEP_MATCHES,
    /** Notifies the listeners; those of a connection with too many notifications are gone afterwards. */
    flush: (): void => {
      for (const [{ group }, texts] of matches) group.put(texts, event)
      matches = new Map()
      count = 0
    },
  }
}

type PlacedLog = { readonly log: Log; readonly text: () => string }

function* logsOf({ record, removed }: BlockEvent): Generator<PlacedLog> {
  let logIndex = 0
  for (const [transactionIndex, { logs }] of record.receipts.entries())
    for (const log of logs) {
      const place = { record, transactionIndex, logIndex: logIndex++ }
      yield { log, text: () => JSON.stringify({ ...logShape(log, place), removed }) }
    }
}

const notifyLogs = async (state: State, block: BlockEvent, yieldTurn: YieldTurn): Promise<void> => {
  await placeRanged(state, block.record.block.header.number, yieldTurn)
  const matches = createMatches(block.event)
  let seen = 0
  for (const { log, text } of logsOf(block)) {
    let json: string | undefined
    for (const filtered of state.index.matching(log)) {
      matches.add(filtered, (json ??= text()))
      if (!matches.isFull()) continue
      matches.flush()
      const pause = yieldTurn()
      if (pause !== undefined) await pause
    }
    if (++seen % STEP_LOGS === 0) matches.flush()
    const pause = yieldTurn()
    if (pause !== undefined) await pause
  }
  matches.flush()
}

export const createLogFeed = (host: BlockLoopHost & Pick<RpcHost, 'scheduler'>): LogFeed => {
  const state: State = { filters: new Map(), index: createFilterIndex(), ranged: new Set() }
  const loop = createBlockLoop(
    host,
    () => state.filters.size > 0,
    block => notifyLogs(state, block, host.scheduler.createYield()),
  )

  const filteredOf = (filter: LogFilter, text: string): Filtered => {
    const known = state.filters.get(text)
    if (known !== undefined) return known
    const filtered: Filtered = { filter, group: createGroup('bulk'), leaveIndex: undefined }
    state.filters.set(text, filtered)
    if (isRanged(filter)) state.ranged.add(filtered)
    else enterIndex(state, filtered)
    return filtered
  }

  return {
    listen: (filter, text, listener) => {
      const since = loop.start()
      const filtered = filteredOf(filter, text)
      const remove = filtered.group.add(listener, since)
      return () => {
        remove()
        if (filtered.group.size > 0) return
        state.filters.delete(text)
        state.ranged.delete(filtered)
        leaveIndex(filtered)
        loop.stopIfIdle()
      }
    },
    rewind: rewound => loop.rewind(rewound),
  }
}
