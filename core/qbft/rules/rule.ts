import type { Address } from '../../bytes/bytes.ts'
import type { DropReason } from '../effect.ts'

/** The height being decided and its validators, which messages are checked against. */
export type RuleContext = {
  /** Ascending. */
  readonly validators: readonly Address[]
  readonly sequence: bigint
}

/** The violation of a rule by a message. A rule returns undefined when it is fulfilled. */
export type RuleViolation = { readonly reason: DropReason; readonly detail: string }

export const violation = (reason: DropReason, detail: string): RuleViolation => ({ reason, detail })
