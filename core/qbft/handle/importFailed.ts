import { equalBytes, type Hash } from '../../bytes/bytes.ts'
import { startResendTimer, startRoundTimer } from '../rounds.ts'
import type { HeightState } from '../state.ts'
import type { Turn } from '../turn.ts'

/** A committed block that this node could not import leaves the round open; the next one is another chance. */
export const handleImportFailed = (turn: Turn, height: HeightState, hash: Hash): HeightState => {
  if (height.importing === undefined || !equalBytes(height.importing, hash)) return height
  startRoundTimer(turn, height)
  if ((height.round?.round ?? 0) > 0) startResendTimer(turn, height)
  return { ...height, importing: undefined }
}
