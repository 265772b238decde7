import type { Input } from '../input.ts'
import type { Steps } from '../../steps.ts'
import { proposeBuilt } from '../propose.ts'
import type { HeightState } from '../state.ts'
import { ask, type Turn } from '../turn.ts'
import { waitForTransactions } from './timer.ts'

type BlockBuilt = Extract<Input, { readonly kind: 'block-built' }>

/**
 * Proposes what was built, if its round is still the current one. A block that came out empty before it may be is given up,
 * and round 0 with it.
 */
export function* handleBuilt(turn: Turn, height: HeightState, built: BlockBuilt): Steps<HeightState> {
  const { round } = height
  const { block } = built
  if (block === undefined || built.sequence !== height.sequence || built.round !== round?.round) return height
  const isEarly = block.transactions.length === 0 && turn.nowMs <= height.head.emptyAtMs
  if (!isEarly || round.round > 0) return yield* proposeBuilt(turn, height, block)
  ask(turn, { kind: 'cancel-timer', timer: 'round' })
  waitForTransactions(turn, height)
  return { ...height, round: undefined }
}
