import { type Address, equalBytes } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import type { Effect } from '../../../core/qbft/effect.ts'
import type { Timer } from '../../../core/qbft/input.ts'
import { includesAddress } from '../../../core/validators/votes.ts'
import type { Log } from '../../logging/log.ts'

type RoundStarted = Extract<Effect, { readonly kind: 'round-started' }>

/** Besu logs rounds from this one on; a first round change is common. */
const LOGGED_ROUND_MIN = 2

/** Interval between warnings while validators are missing: an outage may last for days. */
const WAITING_INTERVAL_MS = 30_000

export type RoundLog = {
  started(effect: RoundStarted): void
  /** Called when a round timer starts; it restarts for the same round while no quorum is heard. */
  timerStarted(timer: Timer): void
  newHead(validators: readonly Address[]): void
  /** Why no blocks are being decided, for operators; undefined while they are. */
  readonly stall: () => string | undefined
}

const STALLED = 'Block {sequence} is in round {round}: no block was decided in the rounds before'
const WAITING =
  'Block {sequence} waits in round {round}: {present} of {all} validators are connected, {quorum} are needed{missing}'

/** Replaces the placeholders of a log text by their values. */
const filledIn = (text: string, values: Readonly<Record<string, unknown>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name]))

/** Logs rounds in Besu's format, and a warning while too few validators are connected. */
export const createRoundLog = (log: Log, address: Address, connected: () => readonly Address[]): RoundLog => {
  let validators: readonly Address[] = []
  let current: RoundStarted | undefined
  let startedMs = 0
  let loggedMs = -Infinity
  /** The timer of the current round fired without a quorum being heard. */
  let isWaiting = false
  /** The latest round of the height in which each validator was heard. */
  const lastRounds = new Map<string, number>()

  const logSummary = ({ quorum }: RoundStarted): void => {
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

  const logWaiting = (started: RoundStarted): void => {
    isWaiting = true
    const nowMs = Date.now()
    if (nowMs - loggedMs < WAITING_INTERVAL_MS) return
    loggedMs = nowMs
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
      if (round < LOGGED_ROUND_MIN) {
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
      logSummary(effect)
      if (round === LOGGED_ROUND_MIN) log.warn(STALLED, { sequence, round })
    },
    timerStarted: timer => {
      if (timer.kind !== 'round' || current === undefined) return
      // The timer of a new round starts before `started` is called.
      const isSame = timer.sequence === current.sequence && timer.round === current.round
      if (isSame && Date.now() - startedMs >= current.timeoutMs) logWaiting(current)
    },
    newHead: next => {
      validators = next
      current = undefined
      isWaiting = false
      loggedMs = -Infinity
      lastRounds.clear()
    },
    stall: () => {
      if (current === undefined) return undefined
      if (isWaiting) return filledIn(WAITING, waitingValues(current))
      const { sequence, round } = current
      return round < LOGGED_ROUND_MIN ? undefined : filledIn(STALLED, { sequence, round })
    },
  }
}
