import { errorText } from '../../core/text/errorText.ts'
import { setBounded } from '../../core/collections/boundedMap.ts'
import { createQueue } from '../../core/chain/importing/queue.ts'
import { genesisHeadOf } from '../../core/chain/opening/openGenesis.ts'
import type { Genesis } from '../../core/genesis/genesis.ts'
import type { KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'
import { withImmutableCache } from '../../core/store/replica/immutableCache.ts'
import { NO_TROUBLES } from '../../handlers/http/health.ts'
import type { HealthProblems, RpcContext, RpcOptions } from '../../handlers/rpc/context.ts'
import type { Log } from '../logging/log.ts'
import { onNextTurn } from '../scheduler.ts'
import { keepCompressed } from '../threads/calls/compressedJson.ts'
import { boundedWait } from '../../p2p/boundedWait.ts'
import { createFaultReport, type FaultReport, withNamedFailures } from './faults.ts'
import { withHeadGuard } from './guardedStore.ts'
import { createHeadFollower, type HeadFollower } from './headFollower.ts'
import {
  HEAD_POLL_MS,
  HEAD_SILENCE_MS,
  HEAD_TTL_MS,
  HEAD_WAIT_MS,
  ERROR_LOG_MS,
  IMMUTABLE_CACHE_BYTES,
} from './limits.ts'
import type { TrustedBlockOption } from './options.ts'
import { createReadContext, type Verification } from './readHost.ts'
import { createUpstream, refuseCalls } from './upstream.ts'
import { createVerification } from './verification.ts'

export type ReaderOptions = {
  readonly genesis: Genesis
  readonly kv: KeyValueStore
  readonly verification: Verification
  readonly trustedBlock: TrustedBlockOption | undefined
  /** Seconds; 0 for no limit. */
  readonly maxHeadAge: number
  readonly upstream: string | undefined
  readonly rpc: RpcOptions
  readonly log: Log
}

/** A reader that has a head. */
export type RunningReader = {
  readonly context: RpcContext
  /** Resolves when a request may be answered; undefined where it may at once. */
  readonly fresh: () => Promise<void> | undefined
  readonly stop: () => void
}

const NO_POOL = 'a reader has no pool: give --upstream=<URL of a node>'

/** Different errors whose last time is kept. */
const LOGGED_ERRORS_MAX = 100

/** Logs an error of the reader itself; the same one once in ERROR_LOG_MS. */
const createReportError = (log: Log): RpcContext['reportError'] => {
  const lastMs = new Map<string, number>()
  return (method, error) => {
    const text = errorText(error)
    const nowMs = performance.now()
    const before = lastMs.get(text)
    if (before !== undefined && nowMs - before < ERROR_LOG_MS) return
    setBounded(lastMs, text, nowMs, LOGGED_ERRORS_MAX)
    log.error('{method} failed: {error}', { method, error })
  }
}

/** Reasons why this reader is not ready. */
const healthProblemsOf = (
  follower: HeadFollower,
  faults: FaultReport,
  maxHeadAge: number,
): HealthProblems => {
  const stalls = [follower.reason() ?? faults.reason() ?? []].flat()
  const head = follower.current()?.head
  if (head !== undefined && maxHeadAge > 0) {
    const age = Math.floor(Date.now() / 1000) - Number(head.header.timestamp)
    if (age > maxHeadAge)
      stalls.push(`the head, block ${head.header.number}, is ${age} s old, max-head-age is ${maxHeadAge}`)
  }
  return { ...NO_TROUBLES, stalls }
}

/** Logs when the head can no longer be followed, and when it can again. */
const watchReason = (follower: HeadFollower, log: Log) => {
  let last: string | undefined
  return (): void => {
    const reason = follower.reason()
    if (reason === last) return
    const number = follower.current()?.head.header.number
    if (reason !== undefined)
      log.warn('The head is not followed: {reason}. {answers}', {
        reason,
        answers:
          number === undefined ? 'There is no head to answer from yet' : `Answers are of block ${number}`,
      })
    else log.info('The head is followed again', {})
    last = reason
  }
}

/**
 * Opens a reader over a replica, and waits until it has a head that may be used.
 * @param isStopped ends the waiting
 */
export const openReader = async (
  { genesis, kv: given, verification, trustedBlock, maxHeadAge, upstream, rpc, log }: ReaderOptions,
  isStopped: () => boolean,
): Promise<RunningReader | undefined> => {
  const { configuration } = genesis
  const shared = withNamedFailures(given)
  const faults = createFaultReport(() => performance.now())
  const kv = withImmutableCache(
    withHeadGuard(shared, () => follower.current()),
    { bytesMax: IMMUTABLE_CACHE_BYTES },
  )
  const genesisHead = genesisHeadOf(genesis)
  const logError = createReportError(log)
  const reportError: RpcContext['reportError'] = (method, error) => {
    faults.note(error)
    logError(method, error)
  }
  const { verify, checked } = createVerification({
    kind: verification,
    genesis,
    genesisHead,
    kv,
    headsKv: shared,
    trustedBlock,
    inTurn: createQueue(),
  })
  const follower = createHeadFollower({
    kv: shared,
    genesis: genesisHead,
    verify,
    ttlMs: HEAD_TTL_MS,
    waitMsMax: HEAD_SILENCE_MS,
    nowMs: () => performance.now(),
  })
  const reportReason = watchReason(follower, log)
  while (follower.current() === undefined) {
    if (isStopped()) return undefined
    await follower.refresh()
    reportReason()
    if (follower.current() === undefined) await new Promise(resolve => setTimeout(resolve, HEAD_POLL_MS))
  }
  const timer = setInterval(() => {
    void follower.refresh()
    reportReason()
  }, HEAD_POLL_MS)
  const context = createReadContext({
    configuration,
    genesis: genesisHead,
    kv,
    follower,
    verification,
    checked,
    options: rpc,
    parts: { keep: keepCompressed, onNextTurn },
    forwardCall: upstream === undefined ? refuseCalls(NO_POOL) : createUpstream(upstream, reportError),
    healthProblems: () => healthProblemsOf(follower, faults, maxHeadAge),
    reportError,
    warn: text => log.warn('{text}', { text }),
  })
  return {
    context,
    fresh: () => {
      const refresh = follower.refresh()
      return refresh === undefined ? undefined : boundedWait(refresh, HEAD_WAIT_MS)
    },
    stop: () => clearInterval(timer),
  }
}
