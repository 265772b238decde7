import type { Attack } from '../attack.ts'
import { CONSENSUS_FLOODS } from './consensusFlood.ts'
import { diskFull } from './diskFull.ts'
import { kills } from './kills.ts'
import { POOL_FLOODS } from './poolFloods.ts'
import { REQUEST_ATTACKS } from './requests.ts'
import { restoredCopy } from './restoredCopy.ts'
import { rollingRestarts } from './rollingRestarts.ts'
import { SLOW_TRANSACTIONS } from './slowTransactions.ts'

/** In the order in which `bun run attack` replays them. */
export const ATTACKS: readonly Attack[] = [
  ...CONSENSUS_FLOODS,
  kills,
  rollingRestarts,
  diskFull,
  restoredCopy,
  ...SLOW_TRANSACTIONS,
  ...POOL_FLOODS,
  ...REQUEST_ATTACKS,
]
