import type { Chain } from '../../core/chain/chain.ts'
import type { Log } from '../log.ts'
import type { CreateYield } from '../../core/scheduler.ts'

/** Dependencies of every part of the sync. */
export type SyncContext = {
  readonly chain: Chain
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly nowMs: () => number
  readonly createYield: CreateYield
}
