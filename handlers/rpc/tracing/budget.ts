import type { RpcContext } from '../context.ts'
import { RpcError } from '../errors.ts'
import { type KeepBytes, keepPlain } from '../json/jsonPieces.ts'
import type { Call } from '../method.ts'

/**
 * Approximate maximum size of the answer to one request: struct logs of 1,000 token transfers stay below it (measured:
 * 42 MB).
 */
const TRACE_BYTES_MAX = 64 * 1024 * 1024

/**
 * The same for one transaction whose trace is built as objects: in addition to the text, they take some three times its
 * memory.
 */
const OBJECTS_BYTES_MAX = 16 * 1024 * 1024

/** Calls of `add` between two reads of the clock, which is slower than a step. */
const ADDITIONS_PER_CLOCK_READ = 4096

/** Memory and time limits of one traced request. */
export type Budget = {
  /** Counts a part of the answer before it is stored, in bytes of JSON. @throws RpcError at the memory or time limit */
  add(bytes: number): void
  readonly used: () => number
  /** Resets to an earlier value of `used`, when the parts since then are discarded. */
  rewind(used: number): void
  /** @throws RpcError when the request has timed out or the client has disconnected */
  checkTime(): void
  /** Stores the written pieces of the answer until they are sent. */
  readonly keep: KeepBytes
}

/** `expired` is that of the request. A run that never pauses is limited by the clock. */
export const createBudget = (
  nowMs: () => number,
  timeoutMs: number,
  expired: () => boolean,
  bytesMax = TRACE_BYTES_MAX,
  keep: KeepBytes = keepPlain,
): Budget => {
  const untilMs = nowMs() + timeoutMs
  let used = 0
  let additions = 0
  const checkTime = (): void => {
    if (expired() || nowMs() > untilMs) throw new RpcError('TIMEOUT')
  }
  return {
    add: bytes => {
      used += bytes
      if (used > bytesMax) throw tooLarge(bytesMax, 'more', 'disableStack, limit or callTracer')
      if (++additions % ADDITIONS_PER_CLOCK_READ === 0) checkTime()
    },
    used: () => used,
    rewind: earlier => {
      used = earlier
    },
    checkTime,
    keep,
  }
}

const tooLarge = (bytesMax: number, more: string, than: string): RpcError =>
  new RpcError('TRACE_TOO_LARGE', {
    detail: `${more} than ${bytesMax / 1024 / 1024} MB: reduce the trace, for example with ${than}`,
  })

/** The part of a budget for the trace of one transaction that is built as objects. */
export const objectsBudget = (whole: Budget, bytesMax = OBJECTS_BYTES_MAX): Budget => {
  const start = whole.used()
  return {
    ...whole,
    add: bytes => {
      whole.add(bytes)
      if (whole.used() - start > bytesMax)
        throw tooLarge(bytesMax, 'one transaction more', 'the opcode tracer, onlyTopCall or fewer types')
    },
  }
}

/** The budget of one request. */
export const budgetOf = ({ expired }: Call, { nowMs, options, keep }: RpcContext): Budget =>
  createBudget(nowMs, options.timeoutMs, expired, TRACE_BYTES_MAX, keep)
