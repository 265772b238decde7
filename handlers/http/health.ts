import type { ConfigurationDifference, NodeTroubles, ReplicaStatus } from '../rpc/context.ts'
import type { SyncingStatus } from '../../core/chain/syncingStatus.ts'

type Report = {
  readonly status: 'UP' | 'DOWN'
  /** Reasons for DOWN. */
  readonly reasons: readonly string[]
  readonly differences: readonly ConfigurationDifference[]
  readonly replicas: readonly ReplicaStatus[]
}

/** Empty members are left out, so that an answer without them equals Besu's to the byte. */
const answer = ({ status, reasons, differences, replicas }: Report): Response => {
  const lines = [`"status" : "${status}"`]
  if (reasons.length > 0) lines.push(`"reasons" : ${JSON.stringify(reasons)}`)
  if (differences.length > 0) lines.push(`"differences" : ${JSON.stringify(differences)}`)
  if (replicas.length > 0) lines.push(`"replicas" : ${JSON.stringify(replicas)}`)
  return new Response(`{\n  ${lines.join(',\n  ')}\n}`, {
    status: status === 'UP' ? 200 : 503,
    headers: { 'content-type': 'application/json' },
  })
}

export const NO_TROUBLES: NodeTroubles = { failures: [], stalls: [] }

/** UP while the process answers; DOWN while it cannot write its store. */
export const liveness = ({ failures }: NodeTroubles): Response =>
  answer({ status: failures.length === 0 ? 'UP' : 'DOWN', reasons: failures, differences: [], replicas: [] })

/** Besu's defaults. */
const PEERS_MIN = 1
const BLOCKS_BEHIND_MAX = 2

export type ReadinessQuery = {
  readonly minPeers: string | undefined
  readonly maxBlocksBehind: string | undefined
}

/** Input of the readiness check. */
export type NodeState = {
  /** Undefined without a network. */
  readonly peerCount: number | undefined
  /** Undefined when the node is not syncing. */
  readonly syncing: SyncingStatus | undefined
  /** Reported without an effect on readiness: the other node may be wrong. */
  readonly differences: readonly ConfigurationDifference[]
  readonly troubles: NodeTroubles
  /** Reported only: a copy that is behind does not make the node unready. */
  readonly replicas: readonly ReplicaStatus[]
}

/** The parameter's number, undefined for an invalid one. */
const numberOf = (value: string | undefined, fallback: number): number | undefined => {
  if (value === undefined) return fallback
  return /^\d{1,9}$/.test(value) ? Number(value) : undefined
}

const peerReason = (value: string | undefined, peerCount: number | undefined): string | undefined => {
  const peersMin = numberOf(value, PEERS_MIN)
  if (peersMin === undefined) return 'minPeers is no number'
  if (peerCount === undefined || peerCount >= peersMin) return undefined
  return `${peerCount} peers are connected, minPeers is ${peersMin}`
}

const blocksReason = (value: string | undefined, syncing: SyncingStatus | undefined): string | undefined => {
  const behindMax = numberOf(value, BLOCKS_BEHIND_MAX)
  if (behindMax === undefined) return 'maxBlocksBehind is no number'
  if (syncing === undefined) return undefined
  const behind = syncing.highestBlock - syncing.currentBlock
  return behind <= BigInt(behindMax)
    ? undefined
    : `${behind} blocks behind block ${syncing.highestBlock}, maxBlocksBehind is ${behindMax}`
}

/**
 * Besu's `/readiness?minPeers=N&maxBlocksBehind=M`, with the reasons for DOWN, and the peers whose genesis file
 * differs, with the names of the differing entries. An invalid parameter makes it DOWN.
 */
export const readiness = (query: ReadinessQuery, state: NodeState): Response => {
  const reasons = [
    ...state.troubles.failures,
    ...state.troubles.stalls,
    peerReason(query.minPeers, state.peerCount),
    blocksReason(query.maxBlocksBehind, state.syncing),
  ].filter(reason => reason !== undefined)
  return answer({
    status: reasons.length === 0 ? 'UP' : 'DOWN',
    reasons,
    differences: state.differences,
    replicas: state.replicas,
  })
}
