import { availableParallelism, loadavg } from 'node:os'
import { overdueSeconds } from '../../core/chain/execution/overdueBlock.ts'
import type { GenesisDifference } from '../../core/genesis/comparison/genesisDifference.ts'
import { toHex } from '../../core/bytes/hex.ts'
import type { PoolHead, TransactionPool } from '../../core/txpool/pool.ts'
import { quorumOf } from '../../core/validators/quorum.ts'
import type { RunningConsensus } from '../consensus/consensus.ts'
import { ibft2History } from '../consensus/validatorRole.ts'
import type { ConsensusReport } from '../consensus/reports/consensusReport.ts'
import { nextBlockAfter } from '../doctor/nextBlockAfter.ts'
import type { NextBlock } from '../doctor/nextBlock.ts'
import type { NodeReport, ValidatorReport } from '../doctor/nodeReport.ts'
import { listenAddressOf, type PeerMemory } from '../doctor/peerMemory.ts'
import { poolReportOf } from '../doctor/poolReport.ts'
import type { Refusals } from '../doctor/refusals.ts'
import type { Network, Peer } from '../../p2p/network.ts'
import type { Sync } from '../../p2p/sync/sync.ts'
import type { RunningNode } from './runningNode.ts'

/** A validator sends at least once in a round; before that it is silent for two of them, but not sooner than this. */
const SILENT_MS_MIN = 5_000

const STOPPED = 'consensus was stopped with miner_stop, and miner_start starts it again'

/** The parts of a node that explain why blocks stop. */
export type DiagnosedParts = {
  readonly node: RunningNode
  readonly pool: TransactionPool
  readonly poolHead: () => PoolHead
  readonly refusals: Refusals
  readonly memory: PeerMemory
  readonly refusal: string | undefined
  readonly connects: boolean
  /** Says that another node runs with the key of this one. */
  readonly keyInUse: () => string | undefined
  /** When the node had started, milliseconds since 1970; undefined before, when no block can be late. */
  readonly startedAtMs: () => number | undefined
  readonly consensus: () => RunningConsensus | undefined
  readonly network: () => Network | undefined
  readonly sync: () => Sync | undefined
}

const overdue = (
  { node: { chain }, pool, startedAtMs }: DiagnosedParts,
  nowMs: number,
): number | undefined => {
  const { consensus } = chain.configuration
  const sinceMs = startedAtMs()
  if (consensus.kind !== 'qbft' || sinceMs === undefined) return undefined
  const { oldestMs: pendingSinceMs } = pool
  return overdueSeconds(consensus, chain.head().header, { sinceMs, nowMs, pendingSinceMs })
}

type HeadTime = { readonly number: bigint; readonly timestamp: bigint }

const laterForks = (
  difference: GenesisDifference | undefined,
  { number, timestamp }: HeadTime,
): readonly string[] =>
  Object.entries(difference?.forks ?? {})
    .filter(([name, at]) => BigInt(at) > (name.endsWith('Block') ? number : timestamp))
    .map(([name]) => name)

const validatorReport = (
  { node, memory }: DiagnosedParts,
  address: string,
  peer: Peer | undefined,
  lastSeenMs: number | undefined,
  difference: GenesisDifference | undefined,
  head: HeadTime,
): ValidatorReport => {
  const trace = memory.of(address)
  return {
    address,
    isSelf: address === toHex(node.key.address),
    lastSeenMs,
    isConnected: peer !== undefined,
    remoteAddress: peer === undefined ? trace?.remoteAddress : listenAddressOf(peer),
    client: peer?.status.client ?? trace?.client,
    clockOffsetMs: peer?.clockOffsetMs,
    dialError: peer === undefined ? trace?.trouble : undefined,
    differing: difference?.entries ?? [],
    laterForks: laterForks(difference, head),
  }
}

/** Why the node cannot write to the chain store or to its restart record. */
export const failuresOf = ({
  node,
  consensus,
}: Pick<DiagnosedParts, 'node' | 'consensus'>): readonly string[] =>
  [node.chain.store.failure()?.message, consensus()?.failure()].filter(failure => failure !== undefined)

/** Why this node takes no part in the next block although it runs consensus. */
const refusalOf = (
  { node: { chain }, refusal }: DiagnosedParts,
  isValidator: boolean,
): string | undefined => {
  const { consensus } = chain.configuration
  const history =
    consensus.kind === 'qbft' ? ibft2History(consensus, chain.head().header.number + 1n) : undefined
  return history ?? (isValidator ? refusal : undefined)
}

/** Undefined where this node makes blocks of its own time, and before consensus has read the head. */
const nextBlockOf = (
  { node: { chain } }: DiagnosedParts,
  report: ConsensusReport | undefined,
): NextBlock | undefined => {
  const { header } = chain.head()
  if (report?.readyAtMs === undefined || report.height !== header.number + 1n) return undefined
  return nextBlockAfter(chain.configuration, header)
}

/** The current state of the node. */
export const nodeReport = (parts: DiagnosedParts): NodeReport => {
  const { node, pool, consensus, sync } = parts
  const nowMs = Date.now()
  const peers = new Map((parts.network()?.peers() ?? []).map(peer => [toHex(peer.address), peer]))
  const differences = sync()?.differences() ?? []
  const report = consensus()?.report()
  const addresses = report?.validators ?? []
  const own = toHex(node.key.address)
  const { header } = node.chain.head()
  const differenceOf = (address: string, peer: Peer | undefined): GenesisDifference | undefined =>
    differences.find(each => each.address === address || each.peer === peer?.enode)
  return {
    nowMs,
    headNumber: header.number,
    overdueSeconds: overdue(parts, nowMs),
    isValidator: addresses.includes(own),
    refusal: report === undefined ? STOPPED : refusalOf(parts, addresses.includes(own)),
    keyInUse: parts.keyInUse(),
    connects: parts.connects,
    peerCount: peers.size,
    validators: addresses.map(address => {
      const peer = peers.get(address)
      const difference = differenceOf(address, peer)
      return validatorReport(parts, address, peer, report?.lastSeenMs.get(address), difference, header)
    }),
    quorum: quorumOf(addresses.length),
    silentMs: Math.max(SILENT_MS_MIN, 2 * (report?.roundTimeoutMs ?? 0)),
    round: report?.round,
    nextAttemptMs: consensus()?.roundEndsMs(),
    failures: failuresOf(parts),
    brokenInvariant: consensus()?.brokenInvariant(),
    validatorsFailure: consensus()?.validatorsFailure(),
    nextBlock: nextBlockOf(parts, report),
    proposalGasMax: consensus()?.proposalGasMax(),
    writingSinceMs: consensus()?.writes().runningSinceMs,
    lastWrite: consensus()?.writes().last,
    syncing: sync()?.lag(),
    differences,
    rejectedProposal: report?.rejectedProposal,
    unverifiedRound: report?.unverifiedRound,
    unbuiltRound: report?.unbuiltRound,
    lastRound: report?.lastRound,
    recall: report?.recall,
    load: { average: loadavg()[0] ?? 0, processors: availableParallelism() },
    pool: poolReportOf(pool, parts.poolHead, parts.refusals),
  }
}
