import type { BlockRecord } from '../../../core/store/store.ts'
import type { RpcHost } from '../context.ts'
import type { Rewound } from '../development/development.ts'

/** A block of which listeners are notified. */
export type BlockEvent = {
  readonly record: BlockRecord
  /** Ascends, also where a development chain goes back. */
  readonly event: number
  /** True where the block left the chain. */
  readonly removed: boolean
}

/** Notifies of the committed blocks in order, each read from the store, so that no queue grows where they arrive too fast. */
export type BlockLoop = {
  /** Number of the last event; starts listening to the chain. */
  start(): number
  /** Stops listening to the chain where there are no listeners. */
  stopIfIdle(): void
  /** A development chain went back. */
  rewind(rewound: Rewound): void
}

export type BlockLoopHost = Pick<RpcHost, 'chain' | 'reportError' | 'forwardCall'>

/**
 * A reader whose shared store fails reads a block again after so long, and so often: two minutes in all. Its subscribers would
 * otherwise miss the block without knowing.
 */
const RECORD_RETRY_MS = 500
const RECORD_RETRIES_MAX = 240

type State = {
  readonly host: BlockLoopHost
  readonly hasListeners: () => boolean
  readonly notify: (event: BlockEvent) => Promise<void>
  unsubscribe: (() => void) | undefined
  /** The next block to notify. */
  next: bigint
  /** Difference between event and block numbers; changes where a development chain goes back. */
  shift: number
  /** The highest event number that was used. */
  last: number
  removals: BlockEvent[]
  isRunning: boolean
}

/** Reads a block to notify; on a reader again and again while that fails and there are listeners. */
const readRecord = async (state: State, number: bigint): Promise<BlockRecord | undefined> => {
  for (let retries = state.host.forwardCall === undefined ? 0 : RECORD_RETRIES_MAX; ; retries--)
    try {
      return await state.host.chain.store.record(number)
    } catch (error) {
      if (retries === 0 || !state.hasListeners()) throw error
      state.host.reportError('eth_subscription', error)
      await new Promise(resolve => setTimeout(resolve, RECORD_RETRY_MS))
    }
}

const headNumber = ({ host }: State): bigint => host.chain.head().header.number

const eventOf = (state: State, number: bigint): number =>
  (state.last = Math.max(state.last, Number(number) + state.shift))

const nextEvent = async (state: State): Promise<BlockEvent | undefined> => {
  const removal = state.removals.shift()
  if (removal !== undefined) return removal
  const number = state.next++
  const event = eventOf(state, number)
  const record = await readRecord(state, number)
  return record === undefined ? undefined : { record, event, removed: false }
}

const run = async (state: State): Promise<void> => {
  if (state.isRunning) return
  state.isRunning = true
  while (state.hasListeners() && (state.removals.length > 0 || state.next <= headNumber(state)))
    try {
      const event = await nextEvent(state)
      if (event !== undefined) await state.notify(event)
    } catch (error) {
      state.host.reportError('eth_subscription', error)
    }
  state.isRunning = false
}

const rewind = (state: State, { head, removed }: Rewound): void => {
  const { number } = head.header
  state.last++
  state.shift = state.last - Number(number)
  if (!state.hasListeners()) return
  for (const record of removed)
    if (record.block.header.number < state.next)
      state.removals.push({ record, event: state.last, removed: true })
  if (state.next > number) state.next = number + 1n
  void run(state)
}

export const createBlockLoop = (
  host: BlockLoopHost,
  hasListeners: () => boolean,
  notify: (event: BlockEvent) => Promise<void>,
): BlockLoop => {
  const state: State = {
    host,
    hasListeners,
    notify,
    unsubscribe: undefined,
    next: 0n,
    shift: 0,
    last: 0,
    removals: [],
    isRunning: false,
  }
  return {
    start: () => {
      const head = headNumber(state)
      if (state.unsubscribe === undefined) {
        state.next = head + 1n
        state.removals = []
        state.unsubscribe = host.chain.onHead(() => void run(state))
      }
      return eventOf(state, head)
    },
    stopIfIdle: () => {
      if (hasListeners()) return
      state.unsubscribe?.()
      state.unsubscribe = undefined
    },
    rewind: rewound => rewind(state, rewound),
  }
}
