import { toBareHex } from '../../../core/bytes/hex.ts'
import { minBigint } from '../../../core/bytes/integer.ts'
import type { Network, Peer } from '../../../p2p/network.ts'
import { type BlockDownload, startBlockDownload } from '../../../p2p/sync/chain/blockDownload.ts'
import {
  createPeerHeads,
  firstKeptBlock,
  holdersOf,
  type PeerHeads,
  removeHead,
  updateHead,
} from '../../../p2p/sync/chain/peerHeads.ts'
import { createClockWarning } from '../../../p2p/sync/clockWarning.ts'
import type { Log } from '../../logging/log.ts'
import type { OpenNode } from '../runningNode.ts'
import { copyRecords } from '../opening/history/copyRecords.ts'
import { isWholeComplete, markWholeComplete } from '../opening/history/folders.ts'
import { createRest } from '../opening/history/rest.ts'
import { openWholeChain, type WholeChain } from '../opening/history/wholeChain.ts'

/** Interval between looks at the peers, and between attempts while none delivers the next block. */
const CHECK_MS = 2_000

/** Interval between lines in the log while blocks come: the fetch may take a day. */
const LOG_INTERVAL_MS = 30_000

/** The whole chain stays that far behind: the rest is copied at the start that uses it. */
const FOLLOWED_BLOCKS = 256n

export type FetchWholeOptions = {
  readonly dataPath: string
  readonly genesisFile: string
  readonly node: Pick<OpenNode, 'chain' | 'recoverSenders' | 'recoverBlocks'>
  /** The first block that the node keeps. */
  readonly historyStart: bigint
  readonly network: () => Network | undefined
  readonly log: Log
}

type State = FetchWholeOptions & {
  readonly heads: PeerHeads
  readonly rest: () => Promise<void>
  download: BlockDownload | undefined
  timer: ReturnType<typeof setTimeout> | undefined
  wake: (() => void) | undefined
  /** The last line about the progress, milliseconds since 1970. */
  loggedMs: number
  /** True once the log says that no peer keeps the next block. */
  isWaitLogged: boolean
  /** Looks at which no peer had the next block; at a start the peers are not connected yet. */
  vainLooks: number
  isStopped: boolean
}

/** The node has the blocks from the start of its history on. */
const lastNeeded = ({ historyStart }: State): bigint => historyStart - 1n

const upTo = (peer: Peer, last: bigint): Peer => ({
  ...peer,
  status: { ...peer.status, headNumber: minBigint(peer.status.headNumber, last) },
})

/** Brings the heads of the peers up to date. */
const updateHeads = (state: State): void => {
  const { heads, network, download } = state
  const peers = network()?.peers() ?? []
  const connected = new Set(peers.map(({ address }) => toBareHex(address)))
  for (const { key, peer } of heads.heads.values()) if (!connected.has(key)) removeHead(heads, peer.address)
  for (const peer of peers) updateHead(heads, upTo(peer, lastNeeded(state)))
  download?.wake()
}

const wait = (state: State): Promise<void> =>
  new Promise(resolve => {
    state.wake = resolve
    state.timer = setTimeout(resolve, CHECK_MS)
  })

/** Looks without a peer that has the next block before the log says so: some connect later than the first look. */
const VAIN_LOOKS = 3

/** Logs once why no block comes. */
const logWait = (state: State, number: bigint): void => {
  if (state.isWaitLogged || holdersOf(state.heads, number, Date.now()).length > 0) return
  const firstKept = firstKeptBlock(state.heads, number, Date.now())
  state.vainLooks++
  if (firstKept === undefined && state.vainLooks < VAIN_LOOKS) return
  state.isWaitLogged = true
  if (firstKept === undefined)
    state.log.warn(
      'No connected peer has block {number}. The earlier history is fetched when a node that keeps all blocks is connected',
      { number },
    )
  else
    state.log.warn(
      'No connected peer keeps block {number}: the peers keep their blocks from {firstKept} on. The earlier history is fetched when a node that keeps all blocks is connected',
      { number, firstKept },
    )
}

/** Fetches what the connected peers have of the missing blocks. */
const fetchOnce = async (state: State, { chain, importRecord }: WholeChain): Promise<void> => {
  const { node, log, heads, rest } = state
  const network = state.network()
  if (network === undefined) return
  updateHeads(state)
  state.download = startBlockDownload({
    chain,
    importRecord,
    network,
    heads,
    log,
    nowMs: Date.now,
    createYield: () => rest,
    recoverBlocks: node.recoverBlocks,
    clockWarning: createClockWarning(log, Date.now),
    onImported: ({ header: { number } }) => {
      if (Date.now() - state.loggedMs < LOG_INTERVAL_MS) return
      state.loggedMs = Date.now()
      log.info('Fetched the history up to block {number} of {last}', { number, last: lastNeeded(state) })
    },
  })
  const timer = setInterval(() => updateHeads(state), CHECK_MS)
  try {
    await state.download.ended
  } finally {
    clearInterval(timer)
    state.download = undefined
  }
}

const fetchAll = async (state: State, whole: WholeChain): Promise<void> => {
  const reached = (): bigint => whole.chain.head().header.number
  while (!state.isStopped && reached() < lastNeeded(state)) {
    await fetchOnce(state, whole)
    if (state.isStopped || reached() >= lastNeeded(state)) return
    logWait(state, reached() + 1n)
    await wait(state)
  }
}

/** Follows the node with its own records. */
const follow = async (state: State, whole: WholeChain): Promise<void> => {
  const { node, dataPath, log, rest } = state
  const reached = (): bigint => whole.chain.head().header.number
  while (!state.isStopped) {
    const head = node.chain.head().header.number
    const isDue = !isWholeComplete(dataPath) || head - reached() > FOLLOWED_BLOCKS
    if (isDue && reached() < head) await copyRecords(node.chain.store, whole, rest, () => state.isStopped)
    if (!isWholeComplete(dataPath) && reached() >= head) {
      await whole.chain.store.settle()
      markWholeComplete(dataPath)
      log.info(
        'All history is fetched and verified: the next start of this node uses it, and removes the pruned chain',
      )
    }
    await wait(state)
  }
}

const run = async (state: State): Promise<void> => {
  const { log, node, rest } = state
  const onError = (error: unknown): void => log.error('A follower of the chain failed: {error}', { error })
  const whole = await openWholeChain(state, node.recoverSenders, rest, onError)
  try {
    await fetchAll(state, whole)
    await follow(state, whole)
  } finally {
    await whole.close()
  }
}

/**
 * Builds a chain with all history beside the pruned one in the background: from blocks or records of the peers, and from its
 * own records, each verified by its seals and roots. Returns the function that stops it; the next start continues.
 */
export const startFetchingWhole = (options: FetchWholeOptions): (() => Promise<void>) => {
  const state: State = {
    ...options,
    heads: createPeerHeads(),
    rest: createRest(),
    download: undefined,
    timer: undefined,
    wake: undefined,
    loggedMs: Date.now(),
    isWaitLogged: false,
    vainLooks: 0,
    isStopped: false,
  }
  const running = run(state).catch((error: unknown) =>
    options.log.error('The history could not be fetched: {error}. The next start continues', { error }),
  )
  return async () => {
    state.isStopped = true
    clearTimeout(state.timer)
    state.wake?.()
    state.download?.stop()
    await running
  }
}
