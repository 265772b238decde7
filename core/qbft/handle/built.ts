import type { Input } from '../input.ts'
import type { Steps } from '../../steps.ts'
import { proposeBuilt } from '../actions/propose.ts'
import type { HeightState } from '../state.ts'
import { emit, type TransitionContext } from '../transitionContext.ts'
import { waitForTransactions } from './timer.ts'

type BlockBuilt = Extract<Input, { readonly kind: 'block-built' }>

/**
 * Proposes the built block if its round is still current. Discards an empty block, and round 0, before the time from which
 * a block may be empty.
 */
export function* handleBuilt(
  context: TransitionContext,
  height: HeightState,
  built: BlockBuilt,
): Steps<HeightState> {
  const { round } = height
  const { block } = built
  if (block === undefined || built.sequence !== height.sequence || built.round !== round?.round) return height
  const isEarly = block.transactions.length === 0 && context.nowMs <= height.head.emptyAtMs
  if (!isEarly || round.round > 0) return yield* proposeBuilt(context, height, block)
  emit(context, { kind: 'cancel-timer', timer: 'round' })
  waitForTransactions(context, height)
  return { ...height, round: undefined }
}
