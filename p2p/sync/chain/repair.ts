import { errorText } from '../../../core/text/errorText.ts'
import type { Network } from '../../network.ts'
import type { SyncContext } from '../context.ts'
import { decodeBlockYielding } from './decodeBlock.ts'
import { holdersOf, ignoreClaim, type PeerHead, type PeerHeads } from './peerHeads.ts'

/** Damaged blocks kept for repair; the scan, or the next read, finds the others again. */
const DAMAGED_MAX = 1_024

/** Blocks of one request. */
const REQUEST_BLOCKS_MAX = 64

/** Time limit of one request. */
const REQUEST_TIMEOUT_MS = 60_000

/** Interval between attempts while no peer delivers the block, or the store fails. */
const REPAIR_RETRY_MS = 5_000

export type RepairOptions = SyncContext & {
  readonly heads: PeerHeads
  readonly network: () => Network | undefined
}

export type Repair = {
  /** To be called when a peer connected or claims new blocks. */
  update(): void
  stop(): Promise<void>
}

type State = RepairOptions & {
  readonly damaged: Set<bigint>
  readonly stopping: AbortController
  running: Promise<void> | undefined
  timer: ReturnType<typeof setTimeout> | undefined
  /** The next block to scan, in descending order; undefined when the scan has ended. */
  scanAt: bigint | undefined
  /** True once a log line says that the damaged blocks wait for a peer. */
  isWaitLogged: boolean
  /** True from a failure of the store until its retry: claims of peers start no attempt meanwhile. */
  isPaused: boolean
}

type Run = { readonly from: bigint; readonly count: number }

/** Scans downwards from the damaged end of the block log: the blocks below it may be missing as well. */
const scan = async (state: State): Promise<void> => {
  const { chain, damaged, stopping } = state
  const yieldTurn = state.createYield()
  // Blocks below the start of the history were removed.
  const last = (chain.store.historyStart?.() ?? 1n) - 1n
  for (; state.scanAt !== undefined && state.scanAt > last && damaged.size < DAMAGED_MAX; state.scanAt--) {
    if (stopping.signal.aborted) return
    if (!(await chain.store.hasRecord(state.scanAt))) damaged.add(state.scanAt)
    await yieldTurn()
  }
  if (state.scanAt !== undefined && state.scanAt <= last) state.scanAt = undefined
  for (const number of damaged) if (number <= last && number > 0n) damaged.delete(number)
}

/** The lowest damaged block and those that follow it without a gap. */
const nextRun = ({ damaged }: State): Run | undefined => {
  let from: bigint | undefined
  for (const number of damaged) if (from === undefined || number < from) from = number
  if (from === undefined) return undefined
  let count = 1
  while (count < REQUEST_BLOCKS_MAX && damaged.has(from + BigInt(count))) count++
  return { from, count }
}

/** Requests the blocks from one peer and restores them. Returns their number, and the error that ended the request. */
const restore = async (
  { chain, damaged, stopping, createYield }: State,
  network: Network,
  { peer }: PeerHead,
  { from, count }: Run,
): Promise<{ readonly restored: number; readonly error?: unknown }> => {
  const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)])
  let restored = 0
  try {
    for await (const encoded of network.requestBlocks(peer, from, count, signal)) {
      const number = from + BigInt(restored)
      const block = await decodeBlockYielding(encoded, createYield)
      if (block.header.number !== number)
        throw new Error(`block ${block.header.number} instead of block ${number}`)
      await chain.repairBlock(block)
      damaged.delete(number)
      restored++
    }
  } catch (error) {
    return { restored, error }
  }
  return { restored }
}

const logRestored = ({ log }: State, from: bigint, count: number, { peer }: PeerHead): void => {
  const values = { from, to: from + BigInt(count) - 1n, peer: peer.enode }
  if (count === 1)
    log.warn('The record of block {from} was damaged: it was fetched from {peer} and restored', values)
  else
    log.warn(
      'The records of blocks {from} to {to} were damaged: they were fetched from {peer} and restored',
      values,
    )
}

/** Returns false if no peer delivered a block. */
const repairRun = async (state: State, network: Network, run: Run): Promise<boolean> => {
  const { heads, log, nowMs, stopping } = state
  for (const holder of holdersOf(heads, run.from, nowMs())) {
    if (stopping.signal.aborted) return true
    const { restored, error } = await restore(state, network, holder, run)
    if (restored > 0) logRestored(state, run.from, restored, holder)
    if (error !== undefined) {
      ignoreClaim(heads, holder.key, nowMs())
      log.warn('Block {number} is damaged, and {peer} did not deliver it: {reason}', {
        number: run.from + BigInt(restored),
        peer: holder.peer.enode,
        reason: errorText(error),
      })
    }
    if (restored > 0) return true
  }
  return false
}

const repairAll = async (state: State, network: Network): Promise<void> => {
  for (;;) {
    await scan(state)
    const run = nextRun(state)
    if (run === undefined || state.stopping.signal.aborted) return
    if (await repairRun(state, network, run)) {
      state.isWaitLogged = false
      continue
    }
    if (!state.isWaitLogged)
      state.log.warn(
        'The records of {count} blocks are damaged, from block {from} on. They are fetched as soon as a peer delivers them.',
        { count: state.damaged.size, from: run.from },
      )
    state.isWaitLogged = true
    state.timer = setTimeout(() => update(state), REPAIR_RETRY_MS)
    return
  }
}

/** Logs a failure of the store, and tries again after the interval. */
const pause = (state: State, error: unknown): void => {
  const { log, stopping } = state
  log.error('Damaged blocks could not be repaired; another attempt follows: {error}', { error })
  if (stopping.signal.aborted) return
  state.isPaused = true
  state.timer = setTimeout(() => {
    state.isPaused = false
    update(state)
  }, REPAIR_RETRY_MS)
}

const update = (state: State): void => {
  const { damaged, stopping } = state
  const network = state.network()
  if (state.running !== undefined || state.isPaused || network === undefined || stopping.signal.aborted)
    return
  if (damaged.size === 0 && state.scanAt === undefined) return
  if (network.peers().length === 0) return
  clearTimeout(state.timer)
  state.running = repairAll(state, network).then(
    () => {
      state.running = undefined
      // More damaged blocks may have been found meanwhile.
      if (!state.isWaitLogged && damaged.size > 0) update(state)
    },
    (error: unknown) => {
      state.running = undefined
      pause(state, error)
    },
  )
}

/** Fetches damaged records of blocks below the head from the peers. */
export const startRepair = (options: RepairOptions): Repair => {
  const { store } = options.chain
  const state: State = {
    ...options,
    damaged: new Set(),
    stopping: new AbortController(),
    running: undefined,
    timer: undefined,
    scanAt: store.damagedFrom(),
    isWaitLogged: false,
    isPaused: false,
  }
  const unsubscribe = store.onDamaged(number => {
    if (state.damaged.size < DAMAGED_MAX) state.damaged.add(number)
    update(state)
  })
  const lost = store.endedBefore()
  if (lost !== undefined)
    options.log.warn(
      'The record of block {lost} is damaged: this node starts at the block before it, and fetches it and the later ones from its peers',
      { lost },
    )
  return {
    update: () => update(state),
    stop: async () => {
      unsubscribe()
      clearTimeout(state.timer)
      state.stopping.abort()
      await state.running
    },
  }
}
