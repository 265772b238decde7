import { type Address, equalBytes } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import type { Effect } from '../../../core/qbft/effect.ts'
import type { Log } from '../../logging/log.ts'

type RoundStarted = Extract<Effect, { readonly kind: 'round-started' }>

/** Besu logs rounds from this one on; a first round change is common. */
const LOGGED_ROUND_MIN = 2

export type RoundLog = {
  started(effect: RoundStarted): void
  newHead(validators: readonly Address[]): void
}

type RoundLogState = {
  readonly log: Log
  /** Address of this node. */
  readonly address: Address
  /** The latest round of the height in which each validator was heard. */
  readonly lastRounds: Map<string, number>
  validators: readonly Address[]
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
}

/** Logs rounds in Besu's format. */
export const createRoundLog = (log: Log, address: Address): RoundLog => {
  const state: RoundLogState = { log, address, lastRounds: new Map(), validators: [] }
  return {
    started: effect => {
      for (const validator of effect.heard) state.lastRounds.set(toHex(validator), effect.round)
      logStarted(state, effect)
    },
    newHead: validators => {
      state.validators = validators
      state.lastRounds.clear()
    },
  }
}
