import { type Address, equalBytes } from '../bytes/bytes.ts'
import { toBareHex } from '../bytes/hex.ts'
import type { DropReason, Effect } from './effect.ts'
import type { QbftEnvironment } from './environment.ts'
import type { RuleViolation } from './rules/rule.ts'
import type { AddressKey } from './state.ts'

/** The context of one transition: environment, time, and the effects requested so far. */
export type TransitionContext = {
  readonly environment: QbftEnvironment
  readonly nowMs: number
  readonly effects: Effect[]
}

export const keyOf = (address: Address): AddressKey => toBareHex(address)

/** Requests an effect. */
export const emit = (context: TransitionContext, effect: Effect): void => {
  context.effects.push(effect)
}

/** The peer that delivered a message, and its author once recovered. */
export type Origin = { readonly peer: Address; readonly author: Address | undefined }

export const drop = (
  context: TransitionContext,
  reason: DropReason,
  origin: Origin,
  detail: string,
): void => {
  emit(context, { kind: 'dropped', reason, peer: origin.peer, author: origin.author, detail })
}

/** Drops a message that violates a rule; returns false when there is no violation. */
export const dropInvalid = (
  context: TransitionContext,
  violation: RuleViolation | undefined,
  origin: Origin,
): boolean => {
  if (violation !== undefined) drop(context, violation.reason, origin, violation.detail)
  return violation !== undefined
}

export const isSelf = (context: TransitionContext, address: Address): boolean =>
  equalBytes(address, context.environment.address)

/** All validators except this one. */
export const others = (context: TransitionContext, validators: readonly Address[]): readonly Address[] =>
  validators.filter(validator => !isSelf(context, validator))
