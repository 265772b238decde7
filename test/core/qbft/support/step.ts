import { toHex } from '../../../../core/bytes/hex.ts'
import type { Block } from '../../../../core/block/block.ts'
import { decodeMessage } from '../../../../core/qbft/codec/message.ts'
import type { Effect } from '../../../../core/qbft/effect.ts'
import type { QbftMessage } from '../../../../core/qbft/message.ts'

export type EffectOf<Kind extends Effect['kind']> = Extract<Effect, { readonly kind: Kind }>

/** What a node did about an input, and about the answers to what it asked for. */
export type Step = readonly Effect[]

export const effectsOf = <Kind extends Effect['kind']>(step: Step, kind: Kind): readonly EffectOf<Kind>[] =>
  step.filter((effect): effect is EffectOf<Kind> => effect.kind === kind)

/** What it told all other validators, in order. */
export const sentIn = (step: Step): readonly QbftMessage[] =>
  effectsOf(step, 'broadcast').map(({ message }) => decodeMessage(message.code, message.data))

/** Their kinds alone. */
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

/** Whom messages of others were passed on to. */
export const relaysIn = (step: Step): readonly string[] =>
  effectsOf(step, 'relay').flatMap(({ to }) => to.map(toHex))
