import { faultsOf } from '../validators/quorum.ts'
import type { QbftEnvironment } from './environment.ts'
import type { HeightState } from './state.ts'

/** Once all that was wrong is well again a block comes within so many base timeouts and milliseconds. */
const RECOVERY_TIMEOUTS = 4
const RECOVERY_MS = 10_000
/** What of it goes by beside waiting for proposers: round changes are sent again, blocks fetched, clocks run ahead by seconds. */
const BESIDE_MS = 5_000

/** Turns of F + 1 rounds at the limit, one of which an honest validator proposed in, before timeouts grow beyond it: most storms are over by then. */
const PATIENT_TURNS = 12

/** 2^16 times any limit is beyond every cap. */
const DOUBLINGS_MAX = 16

/** A round takes four messages one after the other; where each takes more of the longest round than that, waiting is no help. */
const MESSAGES_IN_TURN = 4

type Timeouts = Pick<QbftEnvironment, 'requestTimeoutMs' | 'requestTimeoutMaxMs'>

/**
 * How far round timeouts grow readily, among so many validators: the round under way when everything works again and one
 * for each validator that may be faulty, proposing one after the other, then end in time for the recovery's bound.
 */
const readyTimeoutMs = ({ requestTimeoutMs, requestTimeoutMaxMs }: Timeouts, validators: number): number => {
  const rounds = faultsOf(validators) + 1
  const shareMs = Math.floor((RECOVERY_TIMEOUTS * requestTimeoutMs + RECOVERY_MS - BESIDE_MS) / rounds)
  return Math.max(requestTimeoutMs, Math.min(shareMs, requestTimeoutMaxMs))
}

/** What the timeout of a height's rounds goes by. */
type Growth = Pick<HeightState, 'failedRounds' | 'readyMs'> & {
  readonly head: Pick<HeightState['head'], 'validators'>
}

/**
 * How long a round may take. It is doubled for each round in which a quorum was heard in vain, at once as far as the
 * height's limit and then slowly up to the cap.
 *
 * Nobody can tell a proposer that is down from one that needs longer. A timeout that has grown to a minute while the
 * network was bad keeps everybody waiting a minute for each proposer that is down when it is good again; one that never
 * grows lets no block come where a round really takes so long: messages on slow lines, large blocks, slow machines. So
 * timeouts grow as far as the bound of the recovery leaves room for, and beyond it only where that long did not help
 * again and again. Of F + 1 rounds in a row, which have as many proposers, one is an honest validator's: faulty ones by
 * themselves make no timeout grow beyond the limit, and none can keep it from growing, because a round counts that ends
 * without a block, whatever was said in it. Whatever a round takes up to the cap it is given in the end. From then on the
 * limit of the next height is what this one's block took: such a network waits for the growth once, not for each block.
 *
 * The price: where a quorum was heard in vain for longer than the turns at the limit take, a minute and three quarters with
 * a base of one second, rounds may be so long that the first block after that comes later than the bound. Safety is nowhere
 * a matter of time.
 */
export const roundTimeoutMs = (
  { requestTimeoutMs, requestTimeoutMaxMs }: Timeouts,
  { head, failedRounds, readyMs }: Growth,
): number => {
  const ready = Math.ceil(Math.log2(readyMs / requestTimeoutMs))
  if (failedRounds < ready) return requestTimeoutMs * 2 ** failedRounds
  const turns = Math.floor((failedRounds - ready) / (faultsOf(head.validators.length) + 1))
  const doublings = Math.min(Math.max(0, turns - PATIENT_TURNS + 1), DOUBLINGS_MAX)
  return Math.max(readyMs, Math.min(readyMs * 2 ** doublings, requestTimeoutMaxMs))
}

/**
 * After so long without a quorum in one round timeouts start over small: the others are down, and an outage of any length
 * is to end soon after a quorum is back. Until then they may be on their way: messages that take longer than a timeout are
 * not heard in the first one, and would never be if it started over at once.
 */
export const unheardMaxMs = ({ requestTimeoutMaxMs }: Timeouts): number =>
  requestTimeoutMaxMs / MESSAGES_IN_TURN

/** The limit at a height: what the block before took where that is more than the usual one, which shows that longer helped. */
export const readyTimeoutAt = (
  environment: Timeouts,
  before: HeightState | undefined,
  sequence: bigint,
  validators: number,
): number => {
  const usualMs = readyTimeoutMs(environment, validators)
  if (before?.sequence === sequence) return Math.max(usualMs, before.readyMs)
  const isNext = before !== undefined && before.round !== undefined && before.sequence + 1n === sequence
  return isNext ? Math.max(usualMs, roundTimeoutMs(environment, before)) : usualMs
}
