import { availableParallelism } from 'node:os'
import type { Chain } from '../../../core/chain/chain.ts'
import { encodeChainHead } from '../../../core/store/codec/chainHead.ts'
import type { CallWorkers } from '../../../handlers/rpc/dispatch/offload.ts'
import type { RpcOptions } from '../../../handlers/rpc/context.ts'
import { bodyLength, errorOutcome, type Outcome } from '../../../handlers/rpc/dispatch/envelope.ts'
import { isJsonPieces } from '../../../handlers/rpc/json/jsonPieces.ts'
import { type ReaderThread, startReaderThread } from './readerThread.ts'
import { createWaiting, type Job } from './waiting.ts'

/** More threads than this would take the machine from consensus and from everything else on it. */
const READERS_MAX = 4

/** How often calls are looked at whose client or whose time is gone. */
const LOOK_MS = 100

/** A call that was told to end and does not (one long step, as a precompile, is never interrupted) takes its thread with it. */
const GRACE_MS = 5000

/** A thread that had nothing to do for so long is ended: it holds some 50 MB. */
const IDLE_MS = 30_000

/** Characters of an answer whose thread is ended after it: its heap is many times that, and no collector gives it back soon. */
const LARGE_ANSWER = 16 * 1024 * 1024

/** Threads that end before they were ready, one after the other: more will not come up either. */
const FAILED_STARTS_MAX = 3

/** One thread less than the machine has cores, at least one. */
export const defaultReaders = (): number => Math.max(1, Math.min(availableParallelism() - 1, READERS_MAX))

export type ReaderPoolOptions = {
  readonly chain: Chain
  readonly options: RpcOptions
  /** The most threads; at least one. The first starts with the first call. */
  readonly readers: number
  /** Of the options the one that may change while the node runs. Wei. */
  readonly minGasPrice: () => bigint
  readonly nowMs: () => number
  /** Told of errors in methods, which are the node's own fault. */
  readonly reportError: (method: string, error: unknown) => void
  /** Told when threads die or cannot start. */
  readonly onReaderFailure: (cause: unknown) => void
  readonly idleMs?: number
  readonly graceMs?: number
}

export type ReaderPool = CallWorkers & {
  /** Threads that there are now. */
  readonly size: number
  /** Ends the threads; calls under way, those that wait and those that come are answered with an error. */
  readonly close: () => Promise<void>
}

/** For calls whose thread is gone, or the node soon: run here they would hold up the stop. */
const STOPPING = errorOutcome('INTERNAL_ERROR')

const answerLength = (outcome: Outcome): number => {
  if ('resultText' in outcome) return outcome.resultText.length
  return 'result' in outcome && isJsonPieces(outcome.result) ? bodyLength(outcome.result.pieces) : 0
}

type Running = { readonly id: number; readonly job: Job; endedMs: number | undefined }

type Member = { readonly thread: ReaderThread; ready: boolean; running: Running | undefined }

/** Runs calls on threads beside the main one, each with all the chain to read, within bounds of number, time and memory. */
export const createReaderPool = (from: ReaderPoolOptions): ReaderPool => {
  const { chain, options, readers, nowMs, idleMs = IDLE_MS, graceMs = GRACE_MS } = from
  const { configuration } = chain
  const setup = { configuration, options: { ...options }, genesis: encodeChainHead(chain.genesis) }
  const waiting = createWaiting()
  const members = new Set<Member>()
  let lastId = 0
  let failedStarts = 0
  let closed = false
  let looking: ReturnType<typeof setInterval> | undefined
  let idle: ReturnType<typeof setTimeout> | undefined

  const settle = (member: Member, outcome: Outcome): void => {
    const { running } = member
    member.running = undefined
    running?.job.settle(outcome)
  }

  /** No thread will come: the calls go back to whoever gave them. */
  const giveUp = (): void => {
    for (const job of waiting.remove(() => true)) job.settle(undefined)
  }

  const dismiss = (member: Member): void => {
    members.delete(member)
    settle(member, STOPPING)
  }

  const start = (): void => {
    const member: Member = {
      ready: false,
      running: undefined,
      thread: startReaderThread(chain, setup, {
        onReady: () => {
          member.ready = true
          failedStarts = 0
          feed()
        },
        onOutcome: (id, outcome) => {
          if (member.running?.id === id) settle(member, outcome)
          if (answerLength(outcome) > LARGE_ANSWER) {
            members.delete(member)
            void member.thread.stop()
          } else member.thread.rest()
          feed()
        },
        onFault: from.reportError,
        onFailure: cause => {
          if (!member.ready) failedStarts++
          dismiss(member)
          from.onReaderFailure(cause)
          feed()
        },
      }),
    }
    members.add(member)
  }

  const startIfNeeded = (): void => {
    const starting = [...members].filter(({ ready }) => !ready).length
    if (waiting.size <= starting || members.size >= readers) return
    try {
      start()
    } catch (cause) {
      failedStarts = FAILED_STARTS_MAX
      from.onReaderFailure(cause)
    }
  }

  const feed = (): void => {
    for (const member of members) {
      if (!member.ready || member.running !== undefined) continue
      const job = waiting.take()
      if (job === undefined) break
      const id = (lastId = (lastId % 0x7fffffff) + 1)
      member.running = { id, job, endedMs: undefined }
      member.thread.send({
        id,
        method: job.method,
        params: job.params,
        head: encodeChainHead(chain.head()),
        minGasPrice: from.minGasPrice(),
      })
    }
    if (failedStarts < FAILED_STARTS_MAX) startIfNeeded()
    else if (members.size === 0) giveUp()
    const busy = waiting.size > 0 || [...members].some(({ running }) => running !== undefined)
    if (busy) looking ??= setInterval(look, LOOK_MS)
    else {
      clearInterval(looking)
      looking = undefined
    }
    clearTimeout(idle)
    if (!busy && members.size > 0) {
      idle = setTimeout(() => void stopAll(), idleMs)
      // What waits to be idle keeps no process alive.
      ;(idle as { unref?: () => void }).unref?.()
    }
  }

  const isOver = (job: Job, now: number): boolean => job.expired() || now > job.untilMs

  /** Ends what nobody waits for any more; a thread that does not let go of it is replaced. */
  const look = (): void => {
    const now = nowMs()
    for (const job of waiting.remove(one => isOver(one, now))) job.settle(errorOutcome('TIMEOUT'))
    for (const member of members) {
      const { running } = member
      if (running === undefined || !isOver(running.job, now)) continue
      running.endedMs ??= now
      member.thread.end(running.id)
      if (now - running.endedMs < graceMs) continue
      members.delete(member)
      settle(member, errorOutcome('TIMEOUT'))
      void member.thread.stop()
    }
    feed()
  }

  const stopAll = async (): Promise<void> => {
    const leaving = [...members]
    leaving.forEach(dismiss)
    await Promise.all(leaving.map(({ thread }) => thread.stop()))
  }

  return {
    get size() {
      return members.size
    },
    run: (method, { params, expired }) => {
      if (closed) return Promise.resolve(STOPPING)
      if (failedStarts >= FAILED_STARTS_MAX && members.size === 0) return Promise.resolve(undefined)
      return new Promise(settleJob => {
        const job: Job = {
          method,
          params: JSON.stringify(params),
          expired,
          untilMs: nowMs() + options.timeoutMs,
          settle: settleJob,
        }
        if (waiting.add(job)) feed()
        else settleJob(errorOutcome('TOO_MANY_CALLS'))
      })
    },
    close: async () => {
      closed = true
      for (const job of waiting.remove(() => true)) job.settle(STOPPING)
      clearInterval(looking)
      clearTimeout(idle)
      await stopAll()
    },
  }
}
