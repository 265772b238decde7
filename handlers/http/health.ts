import type { GenesisDifference } from '../../core/genesis/comparison/genesisDifference.ts'
import type { HealthProblems, ReplicaStatus } from '../rpc/context.ts'
import type { SyncingStatus } from '../../core/chain/syncingStatus.ts'

/** The result of one check of a probe; further members are Besu's. */
type Check = Readonly<Record<string, unknown>> & { readonly status: boolean }

type Named = { readonly check: Check; readonly reason: string | undefined }

const SPACES = 2

/** Besu's format: a space before and after the colon. */
const body = (value: object): string =>
  JSON.stringify(value, undefined, SPACES).replaceAll(/^(\s*"[^"\n]*"): /gm, '$1 : ')

type Answer = {
  readonly status: 'UP' | 'DOWN'
  readonly reasons?: readonly string[]
  readonly checks?: Readonly<Record<string, Check>>
  readonly differences?: readonly GenesisDifference[]
  readonly replicas?: readonly ReplicaStatus[]
}

const answer = (value: Answer): Response =>
  new Response(body(value), {
    status: value.status === 'UP' ? 200 : 503,
    headers: { 'content-type': 'application/json' },
  })

export const NO_TROUBLES: HealthProblems = { failures: [], stalls: [] }

/** UP while the process answers; DOWN while it cannot write its store. */
export const liveness = ({ failures }: HealthProblems): Response =>
  answer(failures.length === 0 ? { status: 'UP' } : { status: 'DOWN', reasons: failures })

/** Besu's defaults; the only validator of a network needs no peer. */
const PEERS_MIN = 1
const BLOCKS_BEHIND_MAX = 2

/** The parameters of a probe. */
export type ReadinessQuery = (name: string) => string | undefined

/** Input of the readiness check. */
export type ReadinessInput = {
  /** Undefined without a network. */
  readonly peerCount: number | undefined
  /** Undefined when the node is not syncing. */
  readonly syncing: SyncingStatus | undefined
  /** Reported without an effect on readiness: the other node may be wrong. */
  readonly differences: readonly GenesisDifference[]
  readonly healthProblems: HealthProblems
  /** Reported only: a copy that is behind does not make the node unready. */
  readonly replicas: readonly ReplicaStatus[]
}

/** The parameter's number, undefined for an invalid one. */
const numberOf = (value: string | undefined, fallback: number): number | undefined => {
  if (value === undefined) return fallback
  return /^\d{1,9}$/.test(value) ? Number(value) : undefined
}

const failed = (error: string, reason = error): Named => ({ check: { status: false, error }, reason })

const counted = (count: number, noun: string): string =>
  count === 1 ? `1 ${noun} is` : `${count} ${noun}s are`

const checkPeers = (
  query: ReadinessQuery,
  peerCount: number | undefined,
  { needsNoPeers }: HealthProblems,
): Named | undefined => {
  const peersMin = numberOf(query('minPeers'), needsNoPeers === true ? 0 : PEERS_MIN)
  if (peersMin === undefined) return failed('minPeers is not a number')
  if (peerCount === undefined) return undefined
  const status = peerCount >= peersMin
  return {
    check: { status, currentPeers: peerCount, requiredPeers: peersMin },
    reason: status ? undefined : `${counted(peerCount, 'peer')} connected, minPeers is ${peersMin}`,
  }
}

const checkSync = (query: ReadinessQuery, syncing: SyncingStatus | undefined): Named => {
  const behindMax = numberOf(query('maxBlocksBehind'), BLOCKS_BEHIND_MAX)
  if (behindMax === undefined) return failed('maxBlocksBehind is not a number')
  const behind = syncing === undefined ? 0 : Number(syncing.highestBlock - syncing.currentBlock)
  const status = behind <= behindMax
  return {
    check: { status, blocksBehind: behind, maxBlocksBehind: behindMax },
    reason: status
      ? undefined
      : `${behind} block${behind === 1 ? '' : 's'} behind block ${syncing?.highestBlock}, maxBlocksBehind is ${behindMax}`,
  }
}

/** A check that the query may leave out with `name=false`. */
const checkProblems = (
  query: ReadinessQuery,
  name: string,
  healthProblems: readonly string[] = [],
): Named | undefined => {
  const enabled = query(name)
  if (enabled === 'false') return undefined
  if (enabled !== undefined && enabled !== 'true') return failed(`${name} is neither true nor false`)
  const [first] = healthProblems
  return first === undefined ? { check: { status: true }, reason: undefined } : failed(first)
}

/**
 * Besu's `/readiness?minPeers=N&maxBlocksBehind=M` with its `checks`, and further checks of the store, the disk, the clock
 * and the blocks. `store=false`, `disk=false`, `clock=false` and `blocks=false` disable them. The reasons for DOWN are
 * sentences. The answer lists peers whose genesis file differs, with the entries. An invalid parameter gives DOWN.
 */
export const readiness = (query: ReadinessQuery, state: ReadinessInput): Response => {
  const { peerCount, syncing, differences, healthProblems, replicas } = state
  const named = Object.entries({
    store: checkProblems(query, 'store', healthProblems.failures),
    disk: checkProblems(query, 'disk', healthProblems.disks),
    blocks: checkProblems(query, 'blocks', healthProblems.stalls),
    clock: checkProblems(query, 'clock', healthProblems.clocks),
    peers: checkPeers(query, peerCount, healthProblems),
    sync: checkSync(query, syncing),
  }).flatMap(([name, found]) => (found === undefined ? [] : [[name, found] as const]))
  const reasons = named.flatMap(([, { reason }]) => reason ?? [])
  return answer({
    status: reasons.length === 0 ? 'UP' : 'DOWN',
    ...(reasons.length === 0 ? {} : { reasons }),
    checks: Object.fromEntries(named.map(([name, { check }]) => [name, check])),
    ...(differences.length === 0 ? {} : { differences }),
    ...(replicas.length === 0 ? {} : { replicas }),
  })
}
