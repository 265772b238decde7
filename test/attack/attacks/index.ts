import type { Attack } from '../attack.ts'
import { CONSENSUS_FLOODS } from './consensusFlood.ts'
import { damagedFiles } from './damagedFiles.ts'
import { diskFull } from './diskFull.ts'
import { forgedTokens } from './forgedTokens.ts'
import { kills } from './kills.ts'
import { lyingHeads } from './lyingHeads.ts'
import { POOL_FLOODS } from './poolFloods.ts'
import { REQUEST_ATTACKS } from './requests.ts'
import { requestSmuggling } from './requestSmuggling.ts'
import { restoredCopy } from './restoredCopy.ts'
import { rollingRestarts } from './rollingRestarts.ts'
import { SLOW_TRANSACTIONS } from './slowTransactions.ts'

/** In the order in which `bun run attack` replays them. */
export const ATTACKS: readonly Attack[] = [
  ...CONSENSUS_FLOODS,
  lyingHeads,
  forgedTokens,
  requestSmuggling,
  kills,
  damagedFiles,
  rollingRestarts,
  diskFull,
  restoredCopy,
  ...SLOW_TRANSACTIONS,
  ...POOL_FLOODS,
  ...REQUEST_ATTACKS,
]
