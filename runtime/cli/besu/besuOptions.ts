import { ACCEPTED_OPTIONS } from './accepted.ts'
import { type BesuOption, optionsOf } from './besuOption.ts'
import { REFUSED_OPTIONS } from './refused.ts'

/** The options of Besu that this node does not have, by name without dashes. */
export const BESU_OPTIONS: ReadonlyMap<string, BesuOption> = new Map(
  [...ACCEPTED_OPTIONS, ...REFUSED_OPTIONS].flatMap(optionsOf).map(option => [option.name, option]),
)

/** An option of Besu that was given and accepted, and what it means here. */
export type AcceptedOption = {
  /** As the user wrote it. */
  readonly shown: string
  readonly value: string
  readonly meaning: string
}

/** The handling of a Besu option that this node does not have. */
export type BesuDecision =
  | { readonly kind: 'accepted'; readonly meaning: string }
  | { readonly kind: 'refused'; readonly reason: string }

const PLUGIN_REFUSAL = 'it belongs to a plugin of Besu, and this node loads no plugins'

/** @returns undefined for a name that Besu does not have */
export const decideBesuOption = (name: string, value: string): BesuDecision | undefined => {
  const option = BESU_OPTIONS.get(name)
  if (option === undefined)
    return name.startsWith('plugin-') ? { kind: 'refused', reason: PLUGIN_REFUSAL } : undefined
  const { accepted, meaning, refusal } = option
  const plain = value.toLowerCase().replaceAll(' ', '')
  if (accepted === undefined || accepted.includes(plain)) return { kind: 'accepted', meaning }
  return { kind: 'refused', reason: refusal }
}

/** The text of a refusal. @param shown the option as the user wrote it */
export const refusalText = (name: string, shown: string, reason: string): string => {
  const accepted = BESU_OPTIONS.get(name)?.accepted ?? []
  // A single one is Besu's default, which changes nothing: no choice to offer.
  const only = accepted.length < 2 ? '' : accepted.map(value => `${shown}=${value}`).join(' or ')
  return `Option '${shown}' is refused: ${reason}. Remove it${only === '' ? '' : `, or give ${only}`}.`
}
