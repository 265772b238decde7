import { availableParallelism } from 'node:os'
import type { Chain } from '../../../core/chain/chain.ts'
import { encodeChainHead } from '../../../core/store/codec/chainHead.ts'
import type { CallWorkers } from '../../../handlers/rpc/dispatch/offload.ts'
import type { RpcOptions } from '../../../handlers/rpc/context.ts'
import { bodyLength, errorOutcome, type Outcome } from '../../../handlers/rpc/dispatch/envelope.ts'
import { isJsonPieces } from '../../../handlers/rpc/json/jsonPieces.ts'
import { type CallWorker, startCallWorker } from './callWorker.ts'
import { createWaiting, type Job } from './waiting.ts'

/** Maximum workers by default; the rest of the machine is left to consensus. */
const WORKERS_MAX = 4

/** Interval between checks for calls that have timed out or lost their client. */
const CHECK_INTERVAL_MS = 100

/** Time a cancelled call has to end before its worker is replaced: one long step, such as a precompile, is never interrupted. */
const GRACE_MS = 5000

/** Idle time after which all workers are stopped: each holds about 50 MB. */
const IDLE_MS = 30_000

/** Answers above this many characters end their worker: its heap is many times larger and would be freed late. */
const LARGE_ANSWER = 16 * 1024 * 1024

/** Consecutive failed starts after which no more workers are started. */
const FAILED_STARTS_MAX = 3

/** Default number of workers: one less than the machine's cores, at least 1 and at most 4. */
export const defaultCallWorkers = (): number => Math.max(1, Math.min(availableParallelism() - 1, WORKERS_MAX))

export type CallPoolOptions = {
  readonly chain: Chain
  readonly options: RpcOptions
  /** Maximum workers, at least 1. The first starts with the first call. */
  readonly workers: number
  /** Current minimum gas price in wei; the only option that changes while the node runs. */
  readonly minGasPrice: () => bigint
  readonly nowMs: () => number
  /** Called with internal errors of methods. */
  readonly reportError: (method: string, error: unknown) => void
  /** Called when a worker dies or cannot start. */
  readonly onWorkerFailure: (cause: unknown) => void
  readonly idleMs?: number
  readonly graceMs?: number
}

export type CallPool = CallWorkers & {
  /** Current number of workers. */
  readonly size: number
  /** Stops the workers. Running, queued and later calls get an error. */
  readonly close: () => Promise<void>
}

/** Outcome of calls whose worker died or whose node is stopping: running them on the main thread would delay the stop. */
const STOPPING = errorOutcome('INTERNAL_ERROR')

const answerLength = (outcome: Outcome): number => {
  if ('resultText' in outcome) return outcome.resultText.length
  return 'result' in outcome && isJsonPieces(outcome.result) ? bodyLength(outcome.result.pieces) : 0
}

type Running = { readonly id: number; readonly job: Job; endedMs: number | undefined }

type Member = { readonly thread: CallWorker; ready: boolean; running: Running | undefined }

/** Runs RPC calls on worker threads with read access to the chain, limited in number, time and memory. */
export const createCallPool = (from: CallPoolOptions): CallPool => {
  const { chain, options, workers, nowMs, idleMs = IDLE_MS, graceMs = GRACE_MS } = from
  const { configuration } = chain
  const setup = { configuration, options: { ...options }, genesis: encodeChainHead(chain.genesis) }
  const waiting = createWaiting()
  const members = new Set<Member>()
  let lastId = 0
  let failedStarts = 0
  let closed = false
  let checking: ReturnType<typeof setInterval> | undefined
  let idle: ReturnType<typeof setTimeout> | undefined

  const settle = (member: Member, outcome: Outcome): void => {
    const { running } = member
    member.running = undefined
    running?.job.settle(outcome)
  }

  /** No worker can be started: hands the calls back to the main thread. */
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
      thread: startCallWorker(chain, setup, {
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
          from.onWorkerFailure(cause)
          feed()
        },
      }),
    }
    members.add(member)
  }

  const startIfNeeded = (): void => {
    const starting = [...members].filter(({ ready }) => !ready).length
    if (waiting.size <= starting || members.size >= workers) return
    try {
      start()
    } catch (cause) {
      failedStarts = FAILED_STARTS_MAX
      from.onWorkerFailure(cause)
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
    if (busy) checking ??= setInterval(cancelExpired, CHECK_INTERVAL_MS)
    else {
      clearInterval(checking)
      checking = undefined
    }
    clearTimeout(idle)
    if (!busy && members.size > 0) {
      idle = setTimeout(() => void stopAll(), idleMs)
      // The idle timer does not keep the process alive.
      ;(idle as { unref?: () => void }).unref?.()
    }
  }

  const isOver = (job: Job, now: number): boolean => job.expired() || now > job.untilMs

  /** Cancels expired calls and replaces workers that do not end theirs. */
  const cancelExpired = (): void => {
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
      clearInterval(checking)
      clearTimeout(idle)
      await stopAll()
    },
  }
}
