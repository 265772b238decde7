import { type Address, equalBytes } from '../bytes/bytes.ts'
import { toBareHex } from '../bytes/hex.ts'
import type { DropReason, Effect } from './effect.ts'
import type { QbftEnvironment } from './environment.ts'
import type { AddressKey } from './state.ts'

/** One transition while it is worked out: what it goes by, and the effects it has asked for so far. */
export type Turn = {
  readonly environment: QbftEnvironment
  readonly nowMs: number
  readonly effects: Effect[]
}

export const keyOf = (address: Address): AddressKey => toBareHex(address)

/** Asks for an effect. */
export const ask = (turn: Turn, effect: Effect): void => {
  turn.effects.push(effect)
}

/** Where a message came from; the author is known once its signature was recovered. */
export type Origin = { readonly peer: Address; readonly author: Address | undefined }

export const drop = (turn: Turn, reason: DropReason, origin: Origin, detail: string): void => {
  ask(turn, { kind: 'dropped', reason, peer: origin.peer, author: origin.author, detail })
}

export const isSelf = (turn: Turn, address: Address): boolean => equalBytes(address, turn.environment.address)

/** The validators but this one. */
export const others = (turn: Turn, validators: readonly Address[]): readonly Address[] =>
  validators.filter(validator => !isSelf(turn, validator))
