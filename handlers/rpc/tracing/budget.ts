import type { RpcContext } from '../context.ts'
import { RpcError } from '../errors.ts'
import { type KeepBytes, keepPlain } from '../jsonPieces.ts'
import type { Call } from '../method.ts'

/**
 * Bytes of JSON that the answer to one request may take, about: each step of 1,000 token transfers stays below it (measured:
 * 42 MB).
 */
const TRACE_BYTES_MAX = 64 * 1024 * 1024

/** Between two looks at the clock, which is slower than a step. */
const SPENDS_PER_LOOK = 4096

/** What one request may take in memory and in time. */
export type Budget = {
  /** Told of each part of the answer before it is kept, in bytes of JSON. @throws RpcError when it is too much or too late */
  spend(bytes: number): void
  readonly spent: () => number
  /** Goes back to an earlier `spent`, when what was kept since is dropped. */
  rewind(spent: number): void
  /** @throws RpcError when nobody waits any more */
  checkTime(): void
  /** Where what is written of the answer waits to be sent. */
  readonly keep: KeepBytes
}

/** `expired` is the request's own; a run that never pauses sees only the clock. */
export const createBudget = (
  nowMs: () => number,
  timeoutMs: number,
  expired: () => boolean,
  bytesMax = TRACE_BYTES_MAX,
  keep: KeepBytes = keepPlain,
): Budget => {
  const untilMs = nowMs() + timeoutMs
  let used = 0
  let spends = 0
  const checkTime = (): void => {
    if (expired() || nowMs() > untilMs) throw new RpcError('TIMEOUT')
  }
  return {
    spend: bytes => {
      used += bytes
      if (used > bytesMax)
        throw new RpcError('TRACE_TOO_LARGE', {
          detail: `more than ${bytesMax / 1024 / 1024} MB: ask for less, as with disableStack, limit or callTracer`,
        })
      if (++spends % SPENDS_PER_LOOK === 0) checkTime()
    },
    spent: () => used,
    rewind: spent => {
      used = spent
    },
    checkTime,
    keep,
  }
}

/** The budget of one request. */
export const budgetOf = ({ expired }: Call, { nowMs, options, keep }: RpcContext): Budget =>
  createBudget(nowMs, options.timeoutMs, expired, TRACE_BYTES_MAX, keep)
