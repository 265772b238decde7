import type { Command } from '../cli/command.ts'
import { BLOCKS_COMMANDS } from './blocks/blocksCommands.ts'
import { DOCTOR_COMMAND } from './monitoring/doctorCommand.ts'
import { KEYS_COMMANDS } from './keys/keysCommands.ts'
import { METRICS_COMMANDS } from './monitoring/metricsCommands.ts'
import { MIGRATE_COMMAND } from './migrateCommand.ts'
import { NETWORK_COMMAND } from './services/networkCommand.ts'
import { PASSWORD_COMMAND } from './credentials/passwordCommand.ts'
import { PROBE_COMMAND } from './monitoring/probeCommand.ts'
import { PUBLIC_KEY_COMMANDS } from './credentials/publicKeyCommands.ts'
import { READ_COMMAND } from './services/readCommand.ts'
import { RLP_COMMANDS } from './rlpCommands.ts'
import { SETUP_COMMANDS } from './setup/setupCommands.ts'
import { SNAPSHOT_COMMANDS } from './snapshot/snapshotCommands.ts'
import { STATETEST_COMMAND } from './statetest/statetestCommand.ts'
import { STORAGE_COMMANDS } from './storage/storageCommands.ts'
import { TOKEN_COMMAND } from './credentials/tokenCommand.ts'
import { VALIDATE_CONFIG_COMMAND } from './validateConfigCommand.ts'

export { NODE_COMMAND } from './services/nodeCommand.ts'

/** All commands but the node itself, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  NETWORK_COMMAND,
  ...SETUP_COMMANDS,
  MIGRATE_COMMAND,
  READ_COMMAND,
  ...BLOCKS_COMMANDS,
  ...SNAPSHOT_COMMANDS,
  ...STORAGE_COMMANDS,
  ...PUBLIC_KEY_COMMANDS,
  ...KEYS_COMMANDS,
  ...RLP_COMMANDS,
  PASSWORD_COMMAND,
  TOKEN_COMMAND,
  DOCTOR_COMMAND,
  PROBE_COMMAND,
  ...METRICS_COMMANDS,
  STATETEST_COMMAND,
  VALIDATE_CONFIG_COMMAND,
]
