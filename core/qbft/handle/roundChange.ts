import type { Block } from '../../chain/block.ts'
import type { RoundChangeMessage } from '../message.ts'
import { actOnRoundChanges } from '../roundChanges.ts'
import { currentRound } from '../rounds.ts'
import { bodyRule } from '../rules/body.ts'
import { roundChangeRule } from '../rules/roundChange.ts'
import type { HeightState } from '../state.ts'
import { drop, keyOf, type Turn } from '../turn.ts'
import type { From } from './from.ts'

/** Blocks of certificates, of which the bodies were looked at; most round changes carry one and the same. */
const knownBlocks = ({ certificate, roundChanges }: HeightState): readonly Block[] =>
  [certificate?.block, ...[...roundChanges.values()].map(({ block }) => block)].filter(
    block => block !== undefined,
  )

/** A round change by another validator; of each the one for the highest round is kept, the first of that round. */
export const handleRoundChange = (
  turn: Turn,
  height: HeightState,
  message: RoundChangeMessage,
  from: From,
): HeightState => {
  const { round } = message.signed.payload
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
  const invalid =
    roundChangeRule({ validators: height.head.validators, sequence: height.sequence }, message) ??
    (message.block === undefined ? undefined : bodyRule(message.block, knownBlocks(height)))
  if (invalid !== undefined) {
    drop(turn, invalid.reason, from, invalid.detail)
    return height
  }
  const roundChanges = new Map(height.roundChanges)
  roundChanges.delete(key)
  roundChanges.set(key, message)
  return actOnRoundChanges(turn, { ...height, roundChanges })
}
