import type { Block } from '../../../core/block/block.ts'
import type { Timer } from '../../../core/qbft/input.ts'
import type { RestartRecord } from '../../../core/qbft/restart/restartRecord.ts'
import type { QbftState } from '../../../core/qbft/state.ts'
import type { Chain } from '../world/chain.ts'

/** Work that a validator's machine asked for and that has not ended. */
export type Work =
  | { readonly kind: 'verify'; readonly name: string; readonly block: Block; readonly hash: Uint8Array }
  | { readonly kind: 'build'; readonly name: string; readonly sequence: bigint; readonly round: number }

/** Everything that one honest validator is, has on its disk, and ever sent. */
export type Local = {
  readonly node: number
  readonly state: QbftState
  /** Milliseconds since 1970; moves on only when the validator waits. */
  readonly nowMs: number
  readonly timers: ReadonlyMap<Timer['kind'], Timer>
  /** Restart records, newest last. */
  readonly records: readonly RestartRecord[]
  /** Number of restarts. */
  readonly life: number
  readonly chain: Chain
  /** It has decided every height of the scope. */
  readonly isDone: boolean
  /** Ids of the messages that it sent in all its lives. */
  readonly sent: ReadonlySet<number>
  /** Chains that end in a block which it built or found valid. */
  readonly verified: ReadonlySet<Chain>
  readonly works: readonly Work[]
  /** What must not be and is. */
  readonly fault: string | undefined
}
