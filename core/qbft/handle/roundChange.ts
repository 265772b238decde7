import type { Block } from '../../chain/block.ts'
import type { Steps } from '../../steps.ts'
import type { OpenedMessage } from '../codec/message.ts'
import { openRoundChange, readRoundChange } from '../codec/roundChange.ts'
import { QBFT_CODES, type RoundChangeMessage } from '../message.ts'
import { actOnRoundChanges } from '../roundChanges.ts'
import { currentRound } from '../rounds.ts'
import { bodyRule } from '../rules/body.ts'
import { certifiedRule, roundChangeRule } from '../rules/roundChange.ts'
import { rememberAuthor } from '../signing.ts'
import type { HeightState } from '../state.ts'
import { drop, keyOf, type Turn } from '../turn.ts'
import { decoded, decodedSteps } from './decoded.ts'
import type { From } from './from.ts'

/** Blocks of certificates, of which the bodies were looked at; most round changes carry one and the same. */
const knownBlocks = ({ certificate, roundChanges }: HeightState): readonly Block[] =>
  [certificate?.block, ...[...roundChanges.values()].map(({ block }) => block)].filter(
    block => block !== undefined,
  )

/** The round change with its block, if it is valid. */
export function* readValidRoundChange(
  turn: Turn,
  height: HeightState,
  from: From,
): Steps<RoundChangeMessage | undefined> {
  const opened = decoded(turn, from, () => openRoundChange(from.wire.data))
  if (opened === undefined) return undefined
  rememberAuthor(QBFT_CODES['round-change'], opened.signed, from.author)
  const context = { validators: height.head.validators, sequence: height.sequence }
  const uncertified = certifiedRule(context, opened)
  if (uncertified !== undefined) {
    drop(turn, uncertified.reason, from, uncertified.detail)
    return undefined
  }
  const message = yield* decodedSteps(turn, from, readRoundChange(opened))
  if (message === undefined) return undefined
  const invalid =
    roundChangeRule(context, message) ??
    (message.block === undefined ? undefined : yield* bodyRule(message.block, knownBlocks(height)))
  if (invalid === undefined) return message
  drop(turn, invalid.reason, from, invalid.detail)
  return undefined
}

/** A round change by another validator; of each the one for the highest round is kept, the first of that round. */
export function* handleRoundChange(
  turn: Turn,
  height: HeightState,
  { signed }: OpenedMessage,
  from: From,
): Steps<HeightState> {
  const { round } = signed.payload
  const key = keyOf(from.author)
  if (height.importing !== undefined || round < currentRound(height)) {
    drop(turn, 'past-round', from, `round change to ${round}`)
    return height
  }
  const kept = height.roundChanges.get(key)
  if (kept !== undefined && kept.signed.payload.round >= round) {
    drop(turn, 'superseded', from, `round change to ${round}`)
    return height
  }
  const message = yield* readValidRoundChange(turn, height, from)
  if (message === undefined) return height
  const roundChanges = new Map(height.roundChanges)
  roundChanges.delete(key)
  roundChanges.set(key, message)
  return yield* actOnRoundChanges(turn, { ...height, roundChanges })
}
