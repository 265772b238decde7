import type { Address } from '../../bytes/bytes.ts'
import type { DropReason } from '../effect.ts'

/** What a message is judged by: the height being agreed on and who governs it. */
export type RuleContext = {
  /** Ascending. */
  readonly validators: readonly Address[]
  readonly sequence: bigint
}

/** Why a rule does not hold. Rules give undefined where they do. */
export type Broken = { readonly reason: DropReason; readonly detail: string }

export const broken = (reason: DropReason, detail: string): Broken => ({ reason, detail })
