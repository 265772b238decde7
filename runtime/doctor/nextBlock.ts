import { GAS_LIMIT_MIN } from '../../core/chain/rules/header.ts'
import type { Cause } from './nodeReport.ts'
import { seconds } from './texts.ts'

/** What the rules demand of the block after a head. Depends on the head and the genesis file alone. */
export type NextBlock = {
  readonly number: bigint
  readonly headTimestamp: bigint
  /** A head that is further ahead stops blocks: the seconds that a clock may be ahead, as long as rounds wait anyway. */
  readonly aheadMsMax: number
  /** The largest gas limit that the rules allow after the head. */
  readonly gasLimitMax: bigint
}

type Finder = (next: NextBlock, nowMs: number) => Cause | undefined

/** Later timestamps in seconds are in the year 5138; milliseconds are later since 1973. */
export const SECONDS_MAX = 100_000_000_000n

const gasLimit: Finder = ({ number, gasLimitMax }) =>
  gasLimitMax >= GAS_LIMIT_MIN
    ? undefined
    : {
        kind: 'gas-limit',
        stops: true,
        text: `the gasLimit of block ${number - 1n} allows the next one at most ${gasLimitMax}, and at least ${GAS_LIMIT_MIN} are needed; begin with a genesis file with a higher gasLimit`,
      }

const span = (ms: number): string => {
  const day = 86_400_000
  return ms < 2 * day ? seconds(ms) : `${Math.round(ms / day)} days`
}

const future: Finder = ({ number, headTimestamp, aheadMsMax }, nowMs) => {
  const aheadMs = Number(headTimestamp) * 1000 - nowMs
  if (aheadMs <= aheadMsMax) return undefined
  const head = number === 1n ? 'the genesis block' : `block ${number - 1n}`
  const advice =
    headTimestamp > SECONDS_MAX
      ? 'it is in milliseconds; begin with a genesis file whose timestamp is in seconds'
      : `if the clock of this machine is behind, synchronize it (NTP); if it is right, ${number === 1n ? 'wait, or begin with a genesis file whose timestamp has passed' : 'the clocks of validators were ahead: wait'}`
  return {
    kind: 'head-in-future',
    stops: true,
    text: `the timestamp of ${head} (${headTimestamp}) is ${span(aheadMs)} later than the clock of this machine, and no block can follow before; ${advice}`,
  }
}

const FINDERS: readonly Finder[] = [gasLimit, future]

/** Why the rules allow no next block now, the reason that lasts longest first. */
export const nextBlockCauses = (next: NextBlock, nowMs: number): readonly Cause[] =>
  FINDERS.map(find => find(next, nowMs)).filter(cause => cause !== undefined)
