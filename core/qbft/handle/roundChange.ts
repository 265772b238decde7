import type { Block } from '../../block/block.ts'
import type { Steps } from '../../steps.ts'
import type { OpenedMessage } from '../codec/message.ts'
import { openRoundChange, readRoundChange } from '../codec/roundChange.ts'
import { QBFT_CODES, type RoundChangeMessage } from '../message.ts'
import { actOnRoundChanges } from '../actions/roundChanges.ts'
import { currentRound } from '../actions/rounds.ts'
import { bodyRule } from '../rules/body.ts'
import { certifiedRule, roundChangeRule } from '../rules/roundChange.ts'
import { rememberAuthor } from '../signatures.ts'
import type { HeightState } from '../state.ts'
import { drop, dropInvalid, keyOf, type TransitionContext } from '../transitionContext.ts'
import { decoded, decodedSteps } from './decoded.ts'
import type { From } from './from.ts'

/** Blocks of certificates whose bodies were checked; most round changes carry the same one. */
const knownBlocks = ({ certificate, roundChanges }: HeightState): readonly Block[] =>
  [certificate?.block, ...[...roundChanges.values()].map(({ block }) => block)].filter(
    block => block !== undefined,
  )

/** Decodes the round change with its block and checks it. */
export function* readValidRoundChange(
  context: TransitionContext,
  height: HeightState,
  from: From,
): Steps<RoundChangeMessage | undefined> {
  const opened = decoded(context, from, () => openRoundChange(from.wire.data))
  if (opened === undefined) return undefined
  rememberAuthor(QBFT_CODES['round-change'], opened.signed, from.author)
  const ruleContext = { validators: height.head.validators, sequence: height.sequence }
  if (dropInvalid(context, certifiedRule(ruleContext, opened), from)) return undefined
  const message = yield* decodedSteps(context, from, readRoundChange(opened))
  if (message === undefined) return undefined
  const violation =
    roundChangeRule(ruleContext, message) ??
    (message.block === undefined ? undefined : yield* bodyRule(message.block, knownBlocks(height)))
  return dropInvalid(context, violation, from) ? undefined : message
}

/**
 * Handles a round change of another validator. Keeps the round change for the highest round of each author, and the first
 * one for that round.
 */
export function* handleRoundChange(
  context: TransitionContext,
  height: HeightState,
  { signed }: OpenedMessage,
  from: From,
): Steps<HeightState> {
  const { round } = signed.payload
  const key = keyOf(from.author)
  if (height.importing !== undefined || round < currentRound(height)) {
    // It is passed on if it is valid: its author signed neither the block nor the prepares.
    const late = yield* readValidRoundChange(context, height, from)
    if (late !== undefined) drop(context, 'past-round', from, `round change to ${round}`)
    return height
  }
  const kept = height.roundChanges.get(key)
  if (kept !== undefined && kept.signed.payload.round >= round) {
    drop(context, 'superseded', from, `round change to ${round}`)
    return height
  }
  const message = yield* readValidRoundChange(context, height, from)
  if (message === undefined) return height
  const roundChanges = new Map(height.roundChanges)
  roundChanges.delete(key)
  roundChanges.set(key, message)
  return yield* actOnRoundChanges(context, { ...height, roundChanges })
}
