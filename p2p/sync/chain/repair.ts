import type { Chain } from '../../../core/chain/chain.ts'
import { textOf } from '../../error.ts'
import type { Network } from '../../network.ts'
import type { Log } from '../../log.ts'
import type { CreateYield } from '../../yieldTurn.ts'
import { decodeBlockYielding } from './decodeBlock.ts'
import type { PeerHead, PeerHeads } from './peerHeads.ts'

/** Damaged blocks that wait at once; more are found when they are read again, or by the scan. */
const WAITING_MAX = 1_024

/** Blocks of one request. */
const RUN_BLOCKS_MAX = 64

/** Longest time for one request. */
const REQUEST_MS_MAX = 60_000

/** Interval between attempts while no peer gives the block. */
const RETRY_MS = 5_000

export type RepairOptions = {
  readonly chain: Chain
  readonly heads: Pick<PeerHeads, 'having' | 'failed'>
  readonly network: () => Network | undefined
  readonly log: Log
  readonly nowMs: () => number
  readonly createYield: CreateYield
}

export type Repair = {
  /** A peer came or told a new head. */
  consider(): void
  stop(): Promise<void>
}

/** Fetches from the peers what the store has lost of blocks below the head, and says so. */
export const startRepair = (options: RepairOptions): Repair => {
  const { chain, heads, network, log, nowMs, createYield } = options
  const { store } = chain
  const waiting = new Set<bigint>()
  const ending = new AbortController()
  let working: Promise<void> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  /** The next block that the scan looks at, downwards; undefined when it has ended. */
  let scan = store.damagedFrom()
  let hasToldWaiting = false

  const add = (number: bigint): void => {
    if (waiting.size < WAITING_MAX) waiting.add(number)
    consider()
  }

  /** Half a log is missing where its last block is: the blocks below are looked at, too. */
  const lookDown = async (): Promise<void> => {
    const pause = createYield()
    for (; scan !== undefined && scan > 0n && waiting.size < WAITING_MAX; scan--) {
      if (ending.signal.aborted) return
      if (!(await store.hasRecord(scan))) waiting.add(scan)
      await pause()
    }
    if (scan === 0n) scan = undefined
  }

  /** The lowest that waits, and those that follow it. */
  const nextRun = (): { readonly from: bigint; readonly count: number } | undefined => {
    let from: bigint | undefined
    for (const number of waiting) if (from === undefined || number < from) from = number
    if (from === undefined) return undefined
    let count = 1
    while (count < RUN_BLOCKS_MAX && waiting.has(from + BigInt(count))) count++
    return { from, count }
  }

  /** The number of blocks that are as they were. */
  const fetchRun = async (
    over: Network,
    { peer }: PeerHead,
    from: bigint,
    count: number,
  ): Promise<number> => {
    const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(REQUEST_MS_MAX)])
    let done = 0
    for await (const encoded of over.requestBlocks(peer, from, count, signal)) {
      const number = from + BigInt(done)
      const block = await decodeBlockYielding(encoded, createYield)
      if (block.header.number !== number)
        throw new Error(`block ${block.header.number} came for block ${number}`)
      await chain.repairBlock(block)
      waiting.delete(number)
      done++
    }
    return done
  }

  const tellRepaired = (from: bigint, done: number, { peer }: PeerHead): void => {
    const to = from + BigInt(done) - 1n
    const values = { from, to, peer: peer.enode }
    if (done === 1)
      log.warn(
        'The record of block {from} was damaged: it was fetched from {peer} and is whole again',
        values,
      )
    else
      log.warn(
        'The records of blocks {from} to {to} were damaged: they were fetched from {peer} and are whole again',
        values,
      )
  }

  /** False when no peer gave anything. */
  const repairRun = async (over: Network, from: bigint, count: number): Promise<boolean> => {
    const before = waiting.size
    for (const holder of heads.having(from, nowMs())) {
      if (ending.signal.aborted) return true
      try {
        const done = await fetchRun(over, holder, from, count)
        if (done > 0) tellRepaired(from, done, holder)
      } catch (error) {
        const done = before - waiting.size
        if (done > 0) tellRepaired(from, done, holder)
        heads.failed(holder.key, nowMs())
        log.warn('Block {number} is damaged, and {peer} did not mend it: {reason}', {
          number: from + BigInt(done),
          peer: holder.peer.enode,
          reason: textOf(error),
        })
      }
      if (waiting.size < before) return true
    }
    return false
  }

  const work = async (over: Network): Promise<void> => {
    for (;;) {
      await lookDown()
      const run = nextRun()
      if (run === undefined || ending.signal.aborted) return
      if (await repairRun(over, run.from, run.count)) {
        hasToldWaiting = false
        continue
      }
      if (!hasToldWaiting)
        log.warn(
          'The records of {count} blocks are damaged, from block {from} on. They are fetched as soon as a peer gives them.',
          {
            count: waiting.size,
            from: run.from,
          },
        )
      hasToldWaiting = true
      timer = setTimeout(consider, RETRY_MS)
      return
    }
  }

  const consider = (): void => {
    const over = network()
    if (working !== undefined || over === undefined || ending.signal.aborted) return
    if (waiting.size === 0 && scan === undefined) return
    if (over.peers().length === 0) return
    clearTimeout(timer)
    working = work(over)
      .catch((error: unknown) => log.error('Damaged blocks could not be repaired: {error}', { error }))
      .finally(() => {
        working = undefined
        // Found while the last ones were written.
        if (!hasToldWaiting && waiting.size > 0) consider()
      })
  }

  const unsubscribe = store.onDamaged(add)
  const lost = store.endedBefore()
  if (lost !== undefined)
    log.warn(
      'The record of block {lost} is damaged: this node begins at the block before it, and fetches it and the later ones from its peers',
      { lost },
    )
  return {
    consider,
    stop: async () => {
      unsubscribe()
      clearTimeout(timer)
      ending.abort()
      await working
    },
  }
}
