import type { Attack } from '../attack.ts'
import { CLOCK_ATTACKS } from './clockJumps.ts'
import { CONNECTION_ATTACKS } from './connections.ts'
import { CONSENSUS_FLOODS } from './consensusFlood.ts'
import { damagedFiles } from './damagedFiles.ts'
import { defaultFees } from './defaultFees.ts'
import { DEVP2P_STRANGERS } from './devp2pStrangers.ts'
import { diskFull } from './diskFull.ts'
import { foreignOrigins } from './foreignOrigins.ts'
import { forgedTokens } from './forgedTokens.ts'
import { hugeContracts } from './hugeContracts.ts'
import { kills } from './kills.ts'
import { logSubscriptions } from './logSubscriptions.ts'
import { lyingHeads } from './lyingHeads.ts'
import { malformedIdentities } from './malformedIdentities.ts'
import { POOL_CHURN } from './poolChurn.ts'
import { POOL_FLOODS } from './poolFloods.ts'
import { REQUEST_ATTACKS } from './requests.ts'
import { requestSmuggling } from './requestSmuggling.ts'
import { restoredCopy } from './restoredCopy.ts'
import { control, rollingRestarts } from './rollingRestarts.ts'
import { SHORT_UNITS } from './shortUnits.ts'
import { slowProposer } from './slowProposer.ts'
import { SLOW_TRANSACTIONS } from './slowTransactions.ts'
import { swappedRecords } from './swappedRecords.ts'
import { unauthorizedBodies } from './unauthorizedBodies.ts'
import { webSocketReaders } from './webSocketReaders.ts'
import { wrongPasswords } from './wrongPasswords.ts'

/** In the order in which `bun run attack` replays them. */
export const ATTACKS: readonly Attack[] = [
  control,
  ...CONSENSUS_FLOODS,
  lyingHeads,
  malformedIdentities,
  forgedTokens,
  wrongPasswords,
  requestSmuggling,
  foreignOrigins,
  kills,
  damagedFiles,
  rollingRestarts,
  diskFull,
  restoredCopy,
  slowProposer,
  swappedRecords,
  ...CLOCK_ATTACKS,
  ...SLOW_TRANSACTIONS,
  hugeContracts,
  ...POOL_FLOODS,
  ...POOL_CHURN,
  defaultFees,
  ...REQUEST_ATTACKS,
  unauthorizedBodies,
  ...SHORT_UNITS,
  ...CONNECTION_ATTACKS,
  ...DEVP2P_STRANGERS,
  webSocketReaders,
  logSubscriptions,
]
