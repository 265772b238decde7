import { type Address, equalBytes } from '../../core/bytes/bytes.ts'
import { toHex } from '../../core/bytes/hex.ts'
import type { Effect } from '../../core/qbft/effect.ts'
import type { Timer } from '../../core/qbft/input.ts'
import { includesAddress } from '../../core/validators/votes.ts'
import type { Log } from '../logging/log.ts'

type RoundStarted = Extract<Effect, { readonly kind: 'round-started' }>

/** Besu tells of rounds from this one on; the first change is everyday life. */
const TOLD_ROUND_MIN = 2

/** Between two lines of a height that waits for validators: an outage may last for days. */
const WAITING_TOLD_MS = 30_000

export type RoundLog = {
  started(effect: RoundStarted): void
  /** The timer of a round was started; again for the same round while no quorum is heard. */
  timerStarted(timer: Timer): void
  newHead(validators: readonly Address[]): void
  /** The sentence for operators while no block is decided; undefined while blocks are. */
  readonly stall: () => string | undefined
}

const STALLED = 'Block {sequence} is in round {round}: no block was decided in the rounds before'
const WAITING =
  'Block {sequence} waits in round {round}: {present} of {all} validators are here, {quorum} are needed{missing}'

/** The text with its values, as the log shows it. */
const filledIn = (text: string, values: Readonly<Record<string, unknown>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name]))

/** What operators read of rounds: Besu's lines, and a plain one when too few validators are there. */
export const createRoundLog = (log: Log, address: Address, connected: () => readonly Address[]): RoundLog => {
  let validators: readonly Address[] = []
  let current: RoundStarted | undefined
  let startedMs = 0
  let toldMs = -Infinity
  /** The timer of the current round has fired, and no quorum was heard. */
  let isWaiting = false
  /** The latest round of the height that each validator was heard in. */
  const lastRounds = new Map<string, number>()

  const tellSummary = ({ quorum }: RoundStarted): void => {
    log.info('BFT round summary (quorum = {quorum})', { quorum })
    for (const validator of validators) {
      const isSelf = equalBytes(validator, address)
      const key = toHex(validator)
      const last = lastRounds.get(key)
      const state = last === undefined ? 'not heard of at this height' : `Round: ${last}`
      log.info('Address: {validator}  {state}{local}', {
        validator: key,
        state,
        local: isSelf ? ' (Local node)' : '',
      })
    }
  }

  const waitingValues = ({ sequence, round, quorum }: RoundStarted): Readonly<Record<string, unknown>> => {
    const here = connected()
    const missing = validators.filter(
      validator => !equalBytes(validator, address) && !includesAddress(here, validator),
    )
    return {
      sequence,
      round,
      present: validators.length - missing.length,
      all: validators.length,
      quorum,
      missing: missing.length === 0 ? '' : `; not connected: ${missing.map(toHex).join(', ')}`,
    }
  }

  const tellWaiting = (started: RoundStarted): void => {
    isWaiting = true
    const nowMs = Date.now()
    if (nowMs - toldMs < WAITING_TOLD_MS) return
    toldMs = nowMs
    log.warn(WAITING, waitingValues(started))
  }

  return {
    started: effect => {
      current = effect
      isWaiting = false
      startedMs = Date.now()
      const { round, sequence, timeoutMs, reason } = effect
      const seconds = timeoutMs / 1000
      for (const validator of effect.heard) lastRounds.set(toHex(validator), round)
      if (round < TOLD_ROUND_MIN) {
        log.debug('Round {round} of block {sequence} begins ({reason}), it expires in {seconds} seconds', {
          round,
          sequence,
          reason,
          seconds,
        })
        return
      }
      log.info('Moved to round {round} which will expire in {seconds} seconds', {
        round,
        seconds,
        sequence,
        reason,
      })
      tellSummary(effect)
      if (round === TOLD_ROUND_MIN) log.warn(STALLED, { sequence, round })
    },
    timerStarted: timer => {
      if (timer.kind !== 'round' || current === undefined) return
      // The timer of a new round is started before the round is told of.
      const isSame = timer.sequence === current.sequence && timer.round === current.round
      if (isSame && Date.now() - startedMs >= current.timeoutMs) tellWaiting(current)
    },
    newHead: next => {
      validators = next
      current = undefined
      isWaiting = false
      toldMs = -Infinity
      lastRounds.clear()
    },
    stall: () => {
      if (current === undefined) return undefined
      if (isWaiting) return filledIn(WAITING, waitingValues(current))
      const { sequence, round } = current
      return round < TOLD_ROUND_MIN ? undefined : filledIn(STALLED, { sequence, round })
    },
  }
}
