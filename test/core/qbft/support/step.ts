import { toHex } from '../../../../core/bytes/hex.ts'
import type { Block } from '../../../../core/block/block.ts'
import { decodeMessage } from '../../../../core/qbft/codec/message.ts'
import type { Effect } from '../../../../core/qbft/effect.ts'
import type { QbftMessage } from '../../../../core/qbft/message.ts'

export type EffectOf<Kind extends Effect['kind']> = Extract<Effect, { readonly kind: Kind }>

/** The effects of a node for an input, and for the answers to its requests. */
export type Step = readonly Effect[]

export const effectsOf = <Kind extends Effect['kind']>(step: Step, kind: Kind): readonly EffectOf<Kind>[] =>
  step.filter((effect): effect is EffectOf<Kind> => effect.kind === kind)

/** The messages that it broadcast, in order. */
export const sentIn = (step: Step): readonly QbftMessage[] =>
  effectsOf(step, 'broadcast').map(({ message }) => decodeMessage(message.code, message.data))

/** The kinds of these messages. */
export const kindsIn = (step: Step): readonly QbftMessage['kind'][] => sentIn(step).map(({ kind }) => kind)

export const messageIn = <Kind extends QbftMessage['kind']>(
  step: Step,
  kind: Kind,
): Extract<QbftMessage, { readonly kind: Kind }> => {
  const found = sentIn(step).find(
    (message): message is Extract<QbftMessage, { readonly kind: Kind }> => message.kind === kind,
  )
  if (found === undefined) throw new Error(`no ${kind} was sent, but [${kindsIn(step).join(', ')}]`)
  return found
}

export const importsIn = (step: Step): readonly Block[] =>
  effectsOf(step, 'import-block').map(({ block }) => block)

export const dropsIn = (step: Step): readonly string[] =>
  effectsOf(step, 'dropped').map(({ reason }) => reason)

export const roundsIn = (step: Step): readonly number[] =>
  effectsOf(step, 'round-started').map(({ round }) => round)

export const timersIn = (step: Step): readonly string[] =>
  effectsOf(step, 'start-timer').map(({ timer }) => timer.kind)

/** The receivers of forwarded messages. */
export const relaysIn = (step: Step): readonly string[] =>
  effectsOf(step, 'relay').flatMap(({ to }) => to.map(toHex))
