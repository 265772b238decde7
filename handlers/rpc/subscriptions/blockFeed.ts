import type { CreateYield, YieldTurn } from '../../../core/scheduler.ts'
import { bloomMayMatch } from '../../../core/store/logs/pattern.ts'
import type { BlockRecord } from '../../../core/store/store.ts'
import { hasBeaconChain } from '../parameters/finality.ts'
import type { RpcHost } from '../context.ts'
import { type LogFilter, logMatches } from '../logs/filter.ts'
import { blockShape } from '../shapes/block.ts'
import { blockPieces, STEP_ELEMENTS } from '../shapes/pieces.ts'
import { logShape } from '../shapes/receipt.ts'
import { createGroups, type Groups, type Listener, type Results } from './groups.ts'

/** A block with the JSON of its parts; each is computed at most once. */
type NotifiedBlock = {
  readonly number: bigint
  block(includeTransactions: boolean): string | Promise<string>
  logs(filter: LogFilter): readonly string[]
}

/** Notifies listeners of committed blocks, in order. */
export type BlockFeed = {
  heads(includeTransactions: boolean, listener: Listener): () => void
  logs(filter: LogFilter, text: string, listener: Listener): () => void
}

/**
 * A reader whose shared store fails reads a block again after so long, and so often: two minutes in all. Its subscribers would
 * otherwise miss the block without knowing.
 */
const RECORD_RETRY_MS = 500
const RECORD_RETRIES_MAX = 240

const once = <T>(compute: () => T): (() => T) => {
  let computed: { readonly value: T } | undefined
  return () => {
    computed ??= { value: compute() }
    return computed.value
  }
}

/** Block numbers of a filter limit the notified range; tags do not, as in Besu. */
const isWithin = ({ range }: LogFilter, number: bigint): boolean =>
  range.kind === 'block' ||
  ((range.from.kind !== 'number' || range.from.number <= number) &&
    (range.to.kind !== 'number' || number <= range.to.number))

const notifiedBlock = (
  record: BlockRecord,
  totalDifficulty: boolean,
  createYield: CreateYield,
  removed = false,
): NotifiedBlock => {
  const { number, logsBloom } = record.block.header
  const textOf = (fullTransactions: boolean): string | Promise<string> => {
    const options = { fullTransactions, totalDifficulty }
    if (record.block.transactions.length <= STEP_ELEMENTS) return JSON.stringify(blockShape(record, options))
    return blockPieces(record, options, { yieldTurn: createYield(), keep: undefined }).then(
      ({ text }) => text,
    )
  }
  const [short, full] = [once(() => textOf(false)), once(() => textOf(true))]
  const logs = once(() => {
    let logIndex = 0
    return record.receipts.flatMap((receipt, transactionIndex) =>
      receipt.logs.map(log => {
        const place = { record, transactionIndex, logIndex: logIndex++ }
        return { log, text: once(() => JSON.stringify({ ...logShape(log, place), removed })) }
      }),
    )
  })
  return {
    number,
    block: includeTransactions => (includeTransactions ? full() : short()),
    logs: filter =>
      filter.pattern !== undefined && bloomMayMatch(logsBloom, filter.pattern) && isWithin(filter, number)
        ? logs().flatMap(({ log, text }) => (logMatches(log, filter) ? [text()] : []))
        : [],
  }
}

const headResults =
  (includeTransactions: boolean): Results<NotifiedBlock> =>
  block => {
    const text = block.block(includeTransactions)
    return typeof text === 'string' ? [text] : text.then(one => [one])
  }

/** Notifies listeners of logs of the logs that left the chain with the removed blocks. */
const notifyRemoved = async (
  logs: Groups<NotifiedBlock>,
  removed: readonly NotifiedBlock[],
  yieldTurn: YieldTurn,
): Promise<void> => {
  for (const block of removed) await logs.notify(block, Infinity, yieldTurn)
}

/** Reads the blocks to notify; on a reader again and again while that fails and there are listeners. */
const createRecordReads =
  (
    { chain, reportError, forwardCall }: Pick<RpcHost, 'chain' | 'reportError' | 'forwardCall'>,
    hasListeners: () => boolean,
  ) =>
  async (number: bigint): Promise<BlockRecord | undefined> => {
    for (let retries = forwardCall === undefined ? 0 : RECORD_RETRIES_MAX; ; retries--)
      try {
        return await chain.store.record(number)
      } catch (error) {
        if (retries === 0 || !hasListeners()) throw error
        reportError('eth_subscription', error)
        await new Promise(resolve => setTimeout(resolve, RECORD_RETRY_MS))
      }
  }

type FeedHost = Pick<RpcHost, 'chain' | 'scheduler' | 'reportError' | 'development' | 'forwardCall'>

export const createBlockFeed = (host: FeedHost): BlockFeed => {
  const { chain, reportError, development } = host
  const { createYield } = host.scheduler
  const heads = createGroups<NotifiedBlock>()
  const logs = createGroups<NotifiedBlock>()
  // The form of eth_getBlockByNumber.
  const totalDifficulty = !hasBeaconChain(chain.configuration)
  let unsubscribe: (() => void) | undefined
  /** The next block to notify. */
  let next = 0n
  let running = false
  /** Blocks that a development chain has removed; added to block numbers, so that event numbers always ascend. */
  let removedCount = 0

  const headNumber = (): bigint => chain.head().header.number
  const eventOf = (number: bigint): number => Number(number) + removedCount

  const hasListeners = (): boolean => heads.size + logs.size > 0
  const readRecord = createRecordReads(host, hasListeners)

  const notify = async (number: bigint): Promise<void> => {
    const record = await readRecord(number)
    if (record === undefined) return
    const block = notifiedBlock(record, totalDifficulty, createYield)
    const yieldTurn = createYield()
    await heads.notify(block, eventOf(number), yieldTurn)
    await logs.notify(block, eventOf(number), yieldTurn)
  }

  /** Blocks are read from the store one by one, so no queue grows where blocks arrive faster than they are notified. */
  const run = async (): Promise<void> => {
    if (running) return
    running = true
    while (hasListeners() && next <= headNumber()) {
      const number = next++
      try {
        await notify(number)
      } catch (error) {
        reportError('eth_subscription', error)
      }
    }
    running = false
  }

  const listen = (
    groups: typeof heads,
    key: string,
    results: Results<NotifiedBlock>,
    listener: Listener,
  ): (() => void) => {
    const head = headNumber()
    if (unsubscribe === undefined) {
      next = head + 1n
      unsubscribe = chain.onHead(() => void run())
    }
    const remove = groups.add(key, results, listener, eventOf(head))
    return () => {
      remove()
      if (hasListeners()) return
      unsubscribe?.()
      unsubscribe = undefined
    }
  }

  development?.onRewind(({ head, removed }) => {
    const { number } = head.header
    if (next - 1n > number) removedCount += Number(next - 1n - number)
    next = number + 1n
    const blocks = removed.map(record => notifiedBlock(record, totalDifficulty, createYield, true))
    notifyRemoved(logs, blocks, createYield()).catch((error: unknown) =>
      reportError('eth_subscription', error),
    )
  })

  return {
    heads: (includeTransactions, listener) =>
      listen(heads, String(includeTransactions), headResults(includeTransactions), listener),
    logs: (filter, text, listener) => listen(logs, text, block => block.logs(filter), listener),
  }
}
