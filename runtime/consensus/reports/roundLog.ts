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

type RoundLogState = {
  readonly log: Log
  /** Address of this node. */
  readonly address: Address
  readonly connected: () => readonly Address[]
  /** The latest round of the height in which each validator was heard. */
  readonly lastRounds: Map<string, number>
  validators: readonly Address[]
  current: RoundStarted | undefined
  startedMs: number
  loggedMs: number
  /** The timer of the current round fired without a quorum being heard. */
  isWaiting: boolean
}

const logSummary = (
  { log, address, lastRounds, validators }: RoundLogState,
  { quorum }: RoundStarted,
): void => {
  log.info('BFT round summary (quorum = {quorum})', { quorum })
  for (const validator of validators) {
    const key = toHex(validator)
    const last = lastRounds.get(key)
    log.info('Address: {validator}  {state}{local}', {
      validator: key,
      state: last === undefined ? 'not heard of at this height' : `Round: ${last}`,
      local: equalBytes(validator, address) ? ' (Local node)' : '',
    })
  }
}

const waitingValues = (
  { address, connected, validators }: RoundLogState,
  { sequence, round, quorum }: RoundStarted,
): Readonly<Record<string, unknown>> => {
  const present = [address, ...connected()]
  const missing = validators.filter(validator => !includesAddress(present, validator))
  return {
    sequence,
    round,
    present: validators.length - missing.length,
    all: validators.length,
    quorum,
    missing: missing.length === 0 ? '' : `; not connected: ${missing.map(toHex).join(', ')}`,
  }
}

const logStarted = (state: RoundLogState, effect: RoundStarted): void => {
  const { log } = state
  const { round, sequence, timeoutMs, reason } = effect
  const seconds = timeoutMs / 1000
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
  logSummary(state, effect)
  if (round === LOGGED_ROUND_MIN) log.warn(STALLED, { sequence, round })
}

const logWaiting = (state: RoundLogState, started: RoundStarted): void => {
  state.isWaiting = true
  const nowMs = Date.now()
  if (nowMs - state.loggedMs < WAITING_INTERVAL_MS) return
  state.loggedMs = nowMs
  state.log.warn(WAITING, waitingValues(state, started))
}

const stallOf = (state: RoundLogState): string | undefined => {
  const { current, isWaiting } = state
  if (current === undefined) return undefined
  if (isWaiting) return filledIn(WAITING, waitingValues(state, current))
  const { sequence, round } = current
  return round < LOGGED_ROUND_MIN ? undefined : filledIn(STALLED, { sequence, round })
}

/** Logs rounds in Besu's format, and a warning while too few validators are connected. */
export const createRoundLog = (log: Log, address: Address, connected: () => readonly Address[]): RoundLog => {
  const state: RoundLogState = {
    log,
    address,
    connected,
    lastRounds: new Map(),
    validators: [],
    current: undefined,
    startedMs: 0,
    loggedMs: -Infinity,
    isWaiting: false,
  }
  return {
    started: effect => {
      state.current = effect
      state.isWaiting = false
      state.startedMs = Date.now()
      for (const validator of effect.heard) state.lastRounds.set(toHex(validator), effect.round)
      logStarted(state, effect)
    },
    timerStarted: timer => {
      const { current, startedMs } = state
      if (timer.kind !== 'round' || current === undefined) return
      // The timer of a new round starts before `started` is called.
      const isSame = timer.sequence === current.sequence && timer.round === current.round
      if (isSame && Date.now() - startedMs >= current.timeoutMs) logWaiting(state, current)
    },
    newHead: validators => {
      state.validators = validators
      state.current = undefined
      state.isWaiting = false
      state.loggedMs = -Infinity
      state.lastRounds.clear()
    },
    stall: () => stallOf(state),
  }
}
