import type { Address } from '../../../core/bytes/bytes.ts'
import type { Effect } from '../../../core/qbft/effect.ts'
import type { HeadContext, Input } from '../../../core/qbft/input.ts'
import type { QbftState } from '../../../core/qbft/state.ts'

/** One input that the state machine has processed. */
export type ConsensusStep = {
  readonly input: Input
  readonly effects: readonly Effect[]
  /** The state after it. */
  readonly state: QbftState
  /** Milliseconds since 1970. */
  readonly nowMs: number
}

/** Watches consensus for operators. Called synchronously: it returns at once and throws nothing. */
export type ConsensusObserver = {
  stepped(step: ConsensusStep): void
  /** The chain has a new head. */
  newHead(head: HeadContext, nowMs: number): void
  /** A received message was dropped before the state machine saw it. */
  refused(peer: Address, code: number, reason: string): void
  /** A message was queued for this number of peers. */
  sent(code: number, receivers: number): void
}

/** Calls several observers in order. */
export const combineObservers = (observers: readonly ConsensusObserver[]): ConsensusObserver => ({
  stepped: step => {
    for (const observer of observers) observer.stepped(step)
  },
  newHead: (head, nowMs) => {
    for (const observer of observers) observer.newHead(head, nowMs)
  },
  refused: (peer, code, reason) => {
    for (const observer of observers) observer.refused(peer, code, reason)
  },
  sent: (code, receivers) => {
    for (const observer of observers) observer.sent(code, receivers)
  },
})
