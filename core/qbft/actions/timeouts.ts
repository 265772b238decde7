import { faultsOf } from '../../validators/quorum.ts'
import type { QbftEnvironment } from '../environment.ts'
import { assertInvariant } from '../invariant.ts'
import type { HeightState } from '../state.ts'

/**
 * Bound of the recovery: once the network works again, a block follows within this many base timeouts and milliseconds.
 */
const RECOVERY_TIMEOUTS = 4
const RECOVERY_MS = 10_000
/**
 * The part of the bound for other delays than waiting for proposers: resent round changes, block downloads, clocks that
 * differ by seconds.
 */
const RECOVERY_OVERHEAD_MS = 5_000

/**
 * Time at the soft limit before timeouts grow beyond it: most disturbances are over by then. It is spent in cycles of F + 1
 * rounds, each with one honest proposer.
 */
const PATIENT_MS = 108_000

/** 2^16 times any soft limit is above every cap. */
const DOUBLINGS_MAX = 16

/**
 * Messages that follow each other in a round. If each takes more than a fourth of the longest round, waiting does not help.
 */
const SEQUENTIAL_MESSAGES = 4

type Timeouts = Pick<QbftEnvironment, 'requestTimeoutMs' | 'requestTimeoutMaxMs'>

/**
 * The soft limit: how far round timeouts grow without delay. The current round and one round for each possibly faulty
 * validator as proposer then end within the bound of the recovery.
 */
const initialSoftTimeoutMs = (
  { requestTimeoutMs, requestTimeoutMaxMs }: Timeouts,
  validators: number,
): number => {
  const rounds = faultsOf(validators) + 1
  const shareMs = Math.floor(
    (RECOVERY_TIMEOUTS * requestTimeoutMs + RECOVERY_MS - RECOVERY_OVERHEAD_MS) / rounds,
  )
  return Math.max(requestTimeoutMs, Math.min(shareMs, requestTimeoutMaxMs))
}

/** The values that determine the round timeout of a height. */
type Growth = Pick<HeightState, 'failedRounds' | 'softTimeoutMs'> & {
  readonly head: Pick<HeightState['head'], 'validators'>
}

const timeoutMs = (
  { requestTimeoutMs, requestTimeoutMaxMs }: Timeouts,
  { head, failedRounds, softTimeoutMs }: Growth,
): number => {
  const ready = Math.ceil(Math.log2(softTimeoutMs / requestTimeoutMs))
  if (failedRounds < ready) return requestTimeoutMs * 2 ** failedRounds
  const rounds = faultsOf(head.validators.length) + 1
  const cycles = Math.floor((failedRounds - ready) / rounds)
  const patientCycles = Math.max(1, Math.floor(PATIENT_MS / (rounds * softTimeoutMs)))
  const doublings = Math.min(Math.max(0, cycles - patientCycles + 1), DOUBLINGS_MAX)
  return Math.max(softTimeoutMs, Math.min(softTimeoutMs * 2 ** doublings, requestTimeoutMaxMs))
}

/**
 * The duration of a round. It doubles for each failed round in which a quorum was heard: immediately up to the height's
 * soft limit, then slowly up to the cap.
 *
 * A node cannot distinguish a proposer that is down from a slow one. If the timeout grew to a minute during a disturbance,
 * all validators would later wait a minute for each proposer that is down. If it never grew, a network whose rounds need
 * longer (slow connections, large blocks, slow machines) would never produce a block. Timeouts therefore grow up to the
 * soft limit, which keeps the bound of the recovery, and beyond it only after that limit failed repeatedly. Of F + 1
 * consecutive rounds with different proposers, one has an honest proposer: faulty proposers alone cannot make the timeout
 * exceed the soft limit, and cannot prevent its growth, because every round without a block counts. In the end a round gets
 * the time that it needs, up to the cap. The soft limit of the next height is then the timeout of the decided round, so
 * that such a network waits for the growth once, not for every block.
 *
 * The disadvantage: when a quorum was heard without success for longer than the time at the soft limit, the first block
 * afterwards may come later than the bound. Safety never depends on time.
 */
export const roundTimeoutMs = (timeouts: Timeouts, growth: Growth): number => {
  const ms = timeoutMs(timeouts, growth)
  assertInvariant(
    Number.isFinite(ms) && ms >= timeouts.requestTimeoutMs,
    'timeout-in-bounds',
    () => `${ms} ms with a base of ${timeouts.requestTimeoutMs} ms`,
  )
  return ms
}

/**
 * After this time without a quorum in one round, timeouts start again from the base: the other validators are down, and the
 * network should recover soon after a quorum is back. They do not reset earlier, because messages slower than the base
 * timeout would then never be heard in time.
 */
export const unheardMaxMs = ({ requestTimeoutMaxMs }: Timeouts): number =>
  requestTimeoutMaxMs / SEQUENTIAL_MESSAGES

/** The soft limit of a height: the timeout that the previous block took, if that is larger than the usual limit. */
export const softTimeoutAt = (
  environment: Timeouts,
  before: HeightState | undefined,
  sequence: bigint,
  validators: number,
): number => {
  const usualMs = initialSoftTimeoutMs(environment, validators)
  if (before?.sequence === sequence) return Math.max(usualMs, before.softTimeoutMs)
  const isNext = before !== undefined && before.round !== undefined && before.sequence + 1n === sequence
  return isNext ? Math.max(usualMs, roundTimeoutMs(environment, before)) : usualMs
}
