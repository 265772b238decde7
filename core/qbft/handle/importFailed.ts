import { equalBytes, type Hash } from '../../bytes/bytes.ts'
import { startResendTimer, startRoundTimer } from '../actions/rounds.ts'
import type { HeightState } from '../state.ts'
import type { TransitionContext } from '../transitionContext.ts'

/** Handles a failed import: the round stays open, and the block may be decided in a later round. */
export const handleImportFailed = (
  context: TransitionContext,
  height: HeightState,
  hash: Hash,
): HeightState => {
  if (height.importing === undefined || !equalBytes(height.importing, hash)) return height
  startRoundTimer(context, height)
  if ((height.round?.round ?? 0) > 0) startResendTimer(context, height)
  return { ...height, importing: undefined }
}
