import type { Hash } from '../../bytes/bytes.ts'
import { toBareHex } from '../../bytes/hex.ts'
import { setBounded } from '../../collections/boundedMap.ts'
import type { Block } from '../../block/block.ts'
import type { HeightState, Verdict } from '../state.ts'
import { emit, type TransitionContext } from '../transitionContext.ts'

/** Most verdicts of one height, newest last: one for each proposer of the last rounds. */
export const VERDICTS_MAX = 32

export const verdictOn = ({ verdicts }: HeightState, hash: Hash): Verdict | undefined =>
  verdicts.get(toBareHex(hash))

export const withVerdict = (height: HeightState, hash: Hash, verdict: Verdict): HeightState => {
  const verdicts = new Map(height.verdicts)
  setBounded(verdicts, toBareHex(hash), verdict, VERDICTS_MAX)
  return { ...height, verdicts }
}

export const withoutVerdict = (height: HeightState, hash: Hash): HeightState => {
  const verdicts = new Map(height.verdicts)
  verdicts.delete(toBareHex(hash))
  return { ...height, verdicts }
}

/** Requests verification of the block unless it is pending or done, so that no block is executed twice. */
export const requestVerdict = (
  context: TransitionContext,
  height: HeightState,
  block: Block,
  hash: Hash,
): HeightState => {
  if (verdictOn(height, hash) !== undefined) return height
  emit(context, { kind: 'verify-block', block, hash })
  return withVerdict(height, hash, { state: 'pending', block, round: height.round?.round ?? 0 })
}
