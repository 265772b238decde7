import { toHex } from '../../core/bytes/hex.ts'
import type { HealthProblems } from '../../handlers/rpc/context.ts'
import { createBlockParticipation } from '../consensus/reports/blockParticipation.ts'
import { fullDisks } from '../doctor/disk.ts'
import { type Diagnosis, explain } from '../doctor/explain.ts'
import { plannedChanges, planWarnings } from '../doctor/plans.ts'
import { startStallWatch } from '../doctor/stallWatch.ts'
import { statusJson, WINDOW_BLOCKS } from '../doctor/status.ts'
import { logOf } from '../logging/log.ts'
import { type DiagnosedParts, failuresOf, nodeReport } from './nodeReport.ts'

/** Reports the health of a node to its log, the health endpoints, JSON-RPC and metrics. */
export type Doctor = {
  readonly diagnose: () => Diagnosis
  readonly healthProblems: () => HealthProblems
  /** The result of qbft_getStatus; undefined on a chain that is not QBFT. */
  readonly status: (() => Promise<object>) | undefined
  readonly stop: () => void
}

/** Starts to watch the node; warns once a minute while no block is decided. */
export const startDoctor = (
  parts: DiagnosedParts & { readonly client: string; readonly dataPath: string },
): Doctor => {
  const { node, client } = parts
  const { chain } = node
  const isQbft = chain.configuration.consensus.kind === 'qbft'
  const diagnose = (): Diagnosis => explain(nodeReport(parts))
  const participation = createBlockParticipation(chain, node.recoverSeals)
  const stopWatch = isQbft ? startStallWatch(diagnose, logOf('validator'), Date.now) : () => undefined

  const status = async (): Promise<object> => {
    const { header } = chain.head()
    const { number } = header
    const blocks = await participation.range(number - WINDOW_BLOCKS + 1n, number)
    const report = nodeReport(parts)
    return statusJson({
      report,
      diagnosis: explain(report),
      address: toHex(node.key.address),
      client,
      participation: blocks,
      plans: plannedChanges(chain.configuration, header),
      warnings: planWarnings(chain.configuration, header),
      tally: await chain.voteTally(),
    })
  }

  return {
    diagnose,
    healthProblems: () => {
      const report = nodeReport(parts)
      const { isStalled, kind: first, sentence, causes } = explain(report)
      const isStopped = isStalled || first === 'key-in-use' || first === 'invariant'
      return {
        failures: failuresOf(parts),
        stalls: isStopped && sentence !== undefined ? [sentence] : [],
        disks: fullDisks(parts.dataPath),
        clocks: causes.flatMap(({ kind, text }) => (kind === 'clocks' ? [text] : [])),
        needsNoPeers: report.isValidator && report.validators.length === 1,
      }
    },
    status: isQbft ? status : undefined,
    stop: stopWatch,
  }
}
