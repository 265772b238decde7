import { hasAuthSettings } from '../auth/settings.ts'
import { collectErrors, type UsageError } from '../cli/errors.ts'
import type { NodeOptions } from '../cli/nodeOptions.ts'
import { requireIpv4Beside } from '../cli/values/p2p.ts'
import { replicaTargetsOf } from '../replicate/targets.ts'
import { requireHistory } from './history/nodeHistory.ts'
import { requireDevelopment } from './development/options.ts'
import { requireServedOrPushed } from './metrics.ts'
import { requireSecurityModule } from '../signing/checkSecurityModule.ts'
import { requirePoolPrice } from './pool/poolOptions.ts'
import { requiresTokens } from './servers/graphqlServer.ts'
import { requireDistinctFiles } from './process/writtenFiles.ts'
import { requireDistinctPorts } from './servers/servicePorts.ts'
import { readListenerTls, requireTlsFiles } from './servers/tls.ts'

type Check = (options: NodeOptions) => unknown

/** Checks of options alone. */
const COMBINATIONS: readonly Check[] = [
  requireDevelopment,
  requireHistory,
  requireDistinctPorts,
  requireDistinctFiles,
  requireIpv4Beside,
  requireServedOrPushed,
  requiresTokens,
  requirePoolPrice,
  requireTlsFiles,
  requireSecurityModule,
  ({ replicateTo }) => replicaTargetsOf(replicateTo),
]

/** Only nodes with authentication load its libraries. */
const accessChecks = async (options: NodeOptions): Promise<readonly Check[]> =>
  hasAuthSettings(options) ? [(await import('../auth/modes.ts')).checkAccess] : []

const run = (checks: readonly Check[], options: NodeOptions): readonly UsageError[] => {
  const errors: UsageError[] = []
  for (const check of checks) collectErrors(errors, () => check(options))
  return errors
}

/** The contradictions between options. */
export const checkCombinations = (options: NodeOptions): readonly UsageError[] => run(COMBINATIONS, options)

/** The contradictions between options, and the mistakes in the files that they name. */
export const checkOptions = async (options: NodeOptions): Promise<readonly UsageError[]> =>
  run([...COMBINATIONS, ...(await accessChecks(options)), readListenerTls], options)
