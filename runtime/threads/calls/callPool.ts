import { availableParallelism } from 'node:os'
import type { Chain } from '../../../core/chain/chain.ts'
import { encodeChainHead } from '../../../core/store/codec/chainHead.ts'
import type { CallWorkers } from '../../../handlers/rpc/dispatch/offload.ts'
import type { RpcOptions } from '../../../handlers/rpc/context.ts'
import { bodyLength, errorOutcome, type Outcome } from '../../../handlers/rpc/dispatch/envelope.ts'
import type { AnswerMemory } from '../../../handlers/rpc/answerMemory.ts'
import { METHODS } from '../../../handlers/rpc/methods/methodTable.ts'
import { isJsonPieces } from '../../../handlers/rpc/json/jsonPieces.ts'
import { type CallWorker, startCallWorker } from './callWorker.ts'
import { createWaiting, type Job, type Waiting } from './waiting.ts'

/** Maximum workers by default; the rest of the machine is left to consensus. */
const WORKERS_MAX = 4

/** Interval between checks for calls that have timed out or lost their client. */
const CHECK_INTERVAL_MS = 100

/**
 * Time a cancelled call has to end before its worker is replaced: one long step, such as a precompile, is never interrupted.
 */
const GRACE_MS = 5000

/** Idle time after which all workers are stopped: each holds about 50 MB. */
const IDLE_MS = 30_000

/** Answers above this many characters end their worker: its heap is many times larger and would be freed late. */
const LARGE_ANSWER = 16 * 1024 * 1024

/** Consecutive failed starts after which no more workers are started. */
const FAILED_STARTS_MAX = 3

/** Call numbers wrap around after this one: they are kept in a 32-bit word of shared memory. */
const ID_MAX = 0x7fffffff

/** Default number of workers: one less than the machine's cores, at least 1 and at most 4. */
export const defaultCallWorkers = (): number => Math.max(1, Math.min(availableParallelism() - 1, WORKERS_MAX))

export type CallPoolOptions = {
  readonly chain: Chain
  readonly options: RpcOptions
  /** Whether workers compile code that is often called; true by default. */
  readonly evmCompilerEnabled?: boolean
  /** Maximum workers, at least 1. The first starts with the first call. */
  readonly workers: number
  /** Current minimum gas price in wei; the only option that changes while the node runs. */
  readonly minGasPrice: () => bigint
  readonly nowMs: () => number
  /** Memory of the answers that are being sent: calls with long answers wait for room; undefined for no limit. */
  readonly answers?: AnswerMemory | undefined
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
  /**
   * Lets the workers forget what they read: the chain went back, or its state was edited. Running calls get an error, and
   * their workers are replaced.
   */
  readonly forget: () => Promise<void>
  /** Stops the workers. Running, queued and later calls get an error. */
  readonly close: () => Promise<void>
}

/** Outcome of calls whose worker died or whose node is stopping: running them on the main thread would delay the stop. */
const STOPPING = errorOutcome('INTERNAL_ERROR')

const answerLength = (outcome: Outcome): number => {
  if ('resultText' in outcome) return outcome.resultText.length
  return 'result' in outcome && isJsonPieces(outcome.result) ? bodyLength(outcome.result.pieces) : 0
}

type Running = { readonly id: number; readonly job: Job; cancelledMs: number | undefined }

type Member = { readonly thread: CallWorker; isReady: boolean; running: Running | undefined }

type PoolState = {
  readonly from: CallPoolOptions
  readonly setup: Parameters<typeof startCallWorker>[1]
  readonly waiting: Waiting
  readonly members: Set<Member>
  lastId: number
  rewinds: number
  failedStarts: number
  isClosed: boolean
  checkTimer: ReturnType<typeof setInterval> | undefined
  idleTimer: ReturnType<typeof setTimeout> | undefined
}

const settle = (member: Member, outcome: Outcome): void => {
  const { running } = member
  member.running = undefined
  running?.job.settle(outcome)
}

const removeMember = ({ members }: PoolState, member: Member, outcome: Outcome = STOPPING): void => {
  members.delete(member)
  settle(member, outcome)
}

const receiveOutcome = (pool: PoolState, member: Member, id: number, outcome: Outcome): void => {
  if (member.running?.id === id) settle(member, outcome)
  if (answerLength(outcome) > LARGE_ANSWER) {
    pool.members.delete(member)
    void member.thread.stop()
  } else member.thread.unref()
  assignJobs(pool)
}

const startMember = (pool: PoolState): void => {
  const { from, setup } = pool
  const thread = startCallWorker(from.chain, setup, {
    onReady: () => {
      member.isReady = true
      pool.failedStarts = 0
      assignJobs(pool)
    },
    onOutcome: (id, outcome) => receiveOutcome(pool, member, id, outcome),
    onFault: from.reportError,
    onFailure: cause => {
      if (!member.isReady) pool.failedStarts++
      removeMember(pool, member)
      from.onWorkerFailure(cause)
      assignJobs(pool)
    },
  })
  const member: Member = { thread, isReady: false, running: undefined }
  pool.members.add(member)
}

const startIfNeeded = (pool: PoolState): void => {
  const { waiting, members, from } = pool
  const starting = [...members].filter(({ isReady }) => !isReady).length
  if (waiting.size <= starting || members.size >= from.workers) return
  try {
    startMember(pool)
  } catch (cause) {
    pool.failedStarts = FAILED_STARTS_MAX
    from.onWorkerFailure(cause)
  }
}

const run = (pool: PoolState, member: Member, job: Job): void => {
  const { from } = pool
  pool.lastId = (pool.lastId % ID_MAX) + 1
  member.running = { id: pool.lastId, job, cancelledMs: undefined }
  member.thread.send({
    id: pool.lastId,
    method: job.method,
    params: job.params,
    head: encodeChainHead(from.chain.head()),
    minGasPrice: from.minGasPrice(),
    rewinds: pool.rewinds,
  })
}

/** Starts and stops the timers as calls wait and run. */
const setTimers = (pool: PoolState): void => {
  const isBusy = pool.waiting.size > 0 || [...pool.members].some(({ running }) => running !== undefined)
  if (isBusy) pool.checkTimer ??= setInterval(() => cancelExpired(pool), CHECK_INTERVAL_MS)
  else {
    clearInterval(pool.checkTimer)
    pool.checkTimer = undefined
  }
  clearTimeout(pool.idleTimer)
  if (isBusy || pool.members.size === 0) return
  pool.idleTimer = setTimeout(() => void stopAll(pool), pool.from.idleMs ?? IDLE_MS)
  // The idle timer does not keep the process alive.
  ;(pool.idleTimer as { unref?: () => void }).unref?.()
}

/** Methods whose answers may have many megabytes: traces and simulations. */
const LONG_METHODS: ReadonlySet<string> = new Set(
  METHODS.filter(({ offload }) => offload === 'always').map(({ name }) => name),
)

const isLong = ({ method }: Job): boolean => LONG_METHODS.has(method)

/** A call with a long answer waits while those that are being sent and made leave no room for it. */
const mayRun =
  ({ from, members }: PoolState) =>
  (job: Job): boolean => {
    if (from.answers === undefined || !isLong(job)) return true
    const runs = [...members].filter(({ running }) => running !== undefined && isLong(running.job)).length
    return from.answers.hasRoom(runs + 1)
  }

/** Gives waiting calls to idle workers. */
const assignJobs = (pool: PoolState): void => {
  for (const member of pool.members) {
    if (!member.isReady || member.running !== undefined) continue
    const job = pool.waiting.take(mayRun(pool))
    if (job === undefined) break
    run(pool, member, job)
  }
  if (pool.failedStarts < FAILED_STARTS_MAX) startIfNeeded(pool)
  // No worker can be started: the main thread runs the calls.
  else if (pool.members.size === 0) for (const job of pool.waiting.remove(() => true)) job.settle(undefined)
  setTimers(pool)
}

const hasExpired = (job: Job, nowMs: number): boolean => job.expired() || nowMs > job.untilMs

/** Cancels expired calls and replaces workers that do not end theirs. */
const cancelExpired = (pool: PoolState): void => {
  const { graceMs = GRACE_MS, nowMs } = pool.from
  const now = nowMs()
  for (const job of pool.waiting.remove(one => hasExpired(one, now))) job.settle(errorOutcome('TIMEOUT'))
  for (const member of pool.members) {
    const { running } = member
    if (running === undefined || !hasExpired(running.job, now)) continue
    running.cancelledMs ??= now
    member.thread.cancel(running.id)
    if (now - running.cancelledMs < graceMs) continue
    removeMember(pool, member, errorOutcome('TIMEOUT'))
    void member.thread.stop()
  }
  assignJobs(pool)
}

const stopMembers = async (pool: PoolState, members: readonly Member[]): Promise<void> => {
  for (const member of members) removeMember(pool, member)
  await Promise.all(members.map(({ thread }) => thread.stop()))
}

const stopAll = (pool: PoolState): Promise<void> => stopMembers(pool, [...pool.members])

/** Runs RPC calls on worker threads with read access to the chain, limited in number, time and memory. */
export const createCallPool = (from: CallPoolOptions): CallPool => {
  const { chain, options, nowMs } = from
  const { configuration, genesis } = chain
  const pool: PoolState = {
    from,
    setup: {
      configuration,
      options: { ...options },
      genesis: encodeChainHead(genesis),
      evmCompilerEnabled: from.evmCompilerEnabled ?? true,
    },
    waiting: createWaiting(),
    members: new Set(),
    lastId: 0,
    rewinds: 0,
    failedStarts: 0,
    isClosed: false,
    checkTimer: undefined,
    idleTimer: undefined,
  }
  return {
    get size() {
      return pool.members.size
    },
    run: (method, { params, expired }) => {
      if (pool.isClosed) return Promise.resolve(STOPPING)
      if (pool.failedStarts >= FAILED_STARTS_MAX && pool.members.size === 0) return Promise.resolve(undefined)
      return new Promise(resolve => {
        const job: Job = {
          method,
          params: JSON.stringify(params),
          expired,
          untilMs: nowMs() + options.timeoutMs,
          settle: resolve,
        }
        if (pool.waiting.add(job)) assignJobs(pool)
        else resolve(errorOutcome('TOO_MANY_CALLS'))
      })
    },
    forget: async () => {
      pool.rewinds++
      await stopMembers(
        pool,
        [...pool.members].filter(({ running }) => running !== undefined),
      )
      if (!pool.isClosed) assignJobs(pool)
    },
    close: async () => {
      pool.isClosed = true
      for (const job of pool.waiting.remove(() => true)) job.settle(STOPPING)
      clearInterval(pool.checkTimer)
      clearTimeout(pool.idleTimer)
      await stopAll(pool)
    },
  }
}
