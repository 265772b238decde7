import type { Address } from '../../bytes/bytes.ts'
import type { DropReason } from '../effect.ts'

/** The height being decided and its validators, which messages are checked against. */
export type RuleContext = {
  /** Ascending. */
  readonly validators: readonly Address[]
  readonly sequence: bigint
}

/** Why a message violates a rule. Rules return undefined when they hold. */
export type RuleViolation = { readonly reason: DropReason; readonly detail: string }

export const violation = (reason: DropReason, detail: string): RuleViolation => ({ reason, detail })
