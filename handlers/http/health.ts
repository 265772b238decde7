import type { ConfigurationDifference, NodeTroubles, SyncingStatus } from '../rpc/context.ts'

type Report = {
  readonly status: 'UP' | 'DOWN'
  /** Why it is down. */
  readonly reasons: readonly string[]
  readonly differences: readonly ConfigurationDifference[]
}

/** A key is there when it says something, so that a plain answer is Besu's to the byte. */
const answer = ({ status, reasons, differences }: Report): Response => {
  const lines = [`"status" : "${status}"`]
  if (reasons.length > 0) lines.push(`"reasons" : ${JSON.stringify(reasons)}`)
  if (differences.length > 0) lines.push(`"differences" : ${JSON.stringify(differences)}`)
  return new Response(`{\n  ${lines.join(',\n  ')}\n}`, {
    status: status === 'UP' ? 200 : 503,
    headers: { 'content-type': 'application/json' },
  })
}

export const NO_TROUBLES: NodeTroubles = { failures: [], stalls: [] }

/** The process answers, so it lives; it is DOWN while it cannot write what it must. */
export const liveness = ({ failures }: NodeTroubles): Response =>
  answer({ status: failures.length === 0 ? 'UP' : 'DOWN', reasons: failures, differences: [] })

/** Besu's defaults. */
const PEERS_MIN = 1
const BLOCKS_BEHIND_MAX = 2

export type ReadinessQuery = {
  readonly minPeers: string | undefined
  readonly maxBlocksBehind: string | undefined
}

/** What readiness is judged by. */
export type NodeState = {
  /** Undefined where the node connects to no others. */
  readonly peerCount: number | undefined
  /** Undefined where nothing is to be caught up with. */
  readonly syncing: SyncingStatus | undefined
  /** Told, but nothing that makes a node unready: the other one may be wrong. */
  readonly differences: readonly ConfigurationDifference[]
  readonly troubles: NodeTroubles
}

/** The parameter's number, and undefined for what is none. */
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
 * Besu's `/readiness?minPeers=N&maxBlocksBehind=M`, with the reasons where it is DOWN, and with the peers that run with
 * another genesis file by the names of the entries. A parameter that is no number makes it DOWN.
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
  })
}
