import type { Network } from '../../../p2p/network.ts'
import { UsageError } from '../../cli/errors.ts'
import type { NodeOptions } from '../../cli/nodeOptions.ts'
import { logOf } from '../../logging/log.ts'
import type { OpenNode } from '../runningNode.ts'
import { removeWhole } from '../opening/history/folders.ts'

/** @throws UsageError for a development chain, which goes back */
export const requireHistory = ({ pruneHistory, genesisFile }: NodeOptions): void => {
  if (pruneHistory !== undefined && genesisFile === undefined)
    throw new UsageError(
      'INVALID_VALUE',
      '--prune-history: a development chain keeps all blocks, because it can go back to them: leave it out, or give --genesis-file',
    )
}

export type NodeHistoryOptions = {
  readonly node: OpenNode
  readonly options: Pick<NodeOptions, 'dataPath' | 'genesisFile' | 'storage' | 'pruneHistory'>
  /** Undefined for a node without peers. */
  readonly network: (() => Network | undefined) | undefined
  /** Milliseconds since 1970. */
  readonly nowMs?: () => number
}

/** Shortest interval between lines about the start: it moves with each flush. */
const START_LOG_INTERVAL_MS = 10 * 60_000

/** Logs where the start of the history has moved. Returns the function that stops it. */
const logMoves = (chain: OpenNode['chain'], nowMs: () => number): (() => void) => {
  const log = logOf('chain')
  let logged = chain.store.historyStart?.()
  let loggedMs = Number.NEGATIVE_INFINITY
  return chain.onHead(() => {
    const start = chain.store.historyStart?.()
    if (start === undefined || start === logged || nowMs() - loggedMs < START_LOG_INTERVAL_MS) return
    logged = start
    loggedMs = nowMs()
    log.info('History is now kept from block {start} on', { start })
  })
}

/**
 * Logs from which block on the history is kept, also when that changes. Without `--prune-history`, fetches what was removed before. Returns the
 * function that stops it.
 */
export const startNodeHistory = ({
  node,
  options,
  network,
  nowMs = Date.now,
}: NodeHistoryOptions): (() => Promise<void>) => {
  const { dataPath, genesisFile, storage, pruneHistory } = options
  const log = logOf('chain')
  const start = node.chain.store.historyStart?.()
  const done = (): Promise<void> => Promise.resolve()
  if (pruneHistory !== undefined) {
    removeWhole(dataPath)
    log.info('History: the last {blocks} blocks are kept; now those from {start} on', {
      blocks: pruneHistory,
      start: start ?? 0n,
    })
    const stopLog = logMoves(node.chain, nowMs)
    return async () => stopLog()
  }
  if (start === undefined || genesisFile === undefined) return done
  const how =
    storage !== 'sqlite'
      ? 'To have all of it, stop the node and remove the chain from its storage: it then fetches every block from its peers'
      : network === undefined
        ? 'Connect the node with peers to fetch the rest'
        : 'The rest is fetched from the peers beside the pruned chain, which needs the room of both until the next start'
  log.info('History is kept from block {start} on, because --prune-history was given before. {how}', {
    start,
    how,
  })
  if (storage !== 'sqlite' || network === undefined) return done
  // Imported on use: few nodes have removed their history before.
  const started = import('./fetchWhole.ts').then(({ startFetchingWhole }) =>
    startFetchingWhole({ dataPath, genesisFile, node, historyStart: start, network, log }),
  )
  return async () => (await started)()
}
