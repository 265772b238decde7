import type { Address } from '../../core/bytes/bytes.ts'
import { toHex } from '../../core/bytes/hex.ts'
import type { Effect, RoundReason } from '../../core/qbft/effect.ts'
import { POSITION_CODES } from '../../core/qbft/codec/position.ts'
import { QBFT_CODES } from '../../core/qbft/message.ts'
import type { ConsensusReport } from '../consensus/reports/consensusReport.ts'
import type { ConsensusObserver, ConsensusStep } from '../consensus/reports/observer.ts'
import type { Diagnosis } from '../doctor/explain.ts'
import { CAUSES } from '../doctor/nodeReport.ts'
import type { Meters } from './registry.ts'
import { createRoundSteps, type RoundSteps } from './roundSteps.ts'

export type QbftSources = {
  readonly address: Address
  /** Undefined while consensus does not run. */
  readonly report: () => ConsensusReport | undefined
  readonly diagnose: () => Pick<Diagnosis, 'isStalled' | 'kind'>
  /** The gas to which this validator limits its blocks; undefined without a limit of its own. */
  readonly proposalGasMax: () => bigint | undefined
  /** Cast votes on validators that are not decided. */
  readonly pendingVotes: () => Promise<number>
  /** Clock of each validator minus this node's, in milliseconds; those that are known. */
  readonly clockOffsetsMs: () => ReadonlyMap<string, number>
}

const TYPES: ReadonlyMap<number, string> = new Map<number, string>([
  ...Object.entries(QBFT_CODES).map(([name, code]) => [code, name] as const),
  [POSITION_CODES.request, 'position-request'],
  [POSITION_CODES.position, 'position'],
])

const typeOf = (code: number): string => TYPES.get(code) ?? 'unknown'

/** Reasons of rounds above 0; a proposal for a later round carries a quorum of round changes. */
const ROUND_REASONS: Readonly<Record<RoundReason, string | undefined>> = {
  'block-timer': undefined,
  restart: undefined,
  timeout: 'timeout',
  proposal: 'quorum_of_round_changes',
  'round-changes': 'quorum_of_round_changes',
  'early-round-change': 'early',
}

/** The time of a step in seconds; a clock that was set back gives 0. */
const secondsOf = (sinceMs: number, nowMs: number): number => Math.max(0, nowMs - sinceMs) / 1000

const timeSteps = (meters: Meters): RoundSteps =>
  createRoundSteps({
    step: (step, sinceMs, nowMs) =>
      meters.observe('qbft_step_duration_seconds', secondsOf(sinceMs, nowMs), { step }),
    quorum: (phase, sinceMs, nowMs) =>
      meters.observe('qbft_quorum_delay_seconds', secondsOf(sinceMs, nowMs), { phase }),
  })

const countEffect = (meters: Meters, effect: Effect): void => {
  if (effect.kind === 'evidence')
    meters.inc('qbft_evidence_total', { kind: typeOf(effect.evidence.first.code) })
  if (effect.kind !== 'round-started' || effect.round === 0) return
  const reason = ROUND_REASONS[effect.reason]
  if (reason !== undefined) meters.inc('qbft_rounds_total', { reason })
}

const countMessage = (meters: Meters, { input, effects }: ConsensusStep): void => {
  if (input.kind !== 'message') return
  const dropped = effects.find(effect => effect.kind === 'dropped')
  meters.inc('qbft_messages_total', {
    type: typeOf(input.message.code),
    direction: 'in',
    result: dropped?.kind === 'dropped' ? dropped.reason : 'accepted',
  })
}

const BY_VALIDATOR = ['qbft_validator_last_seen_timestamp_seconds', 'qbft_clock_offset_seconds'] as const

const collectStall = (meters: Meters, diagnose: QbftSources['diagnose']): void => {
  const { isStalled, kind } = diagnose()
  for (const each of CAUSES) meters.set('qbft_stalled', isStalled && each === kind ? 1 : 0, { kind: each })
}

const collectReport = async (meters: Meters, sources: QbftSources): Promise<void> => {
  const report = sources.report()
  if (report?.height === undefined) return
  collectStall(meters, sources.diagnose)
  meters.set('qbft_height', Number(report.height))
  meters.set('qbft_round', report.round ?? 0)
  meters.set('qbft_proposal_gas_limit', Number(sources.proposalGasMax() ?? 0n))
  meters.set('qbft_validators', report.validators.length)
  meters.set('qbft_is_validator', report.validators.includes(toHex(sources.address)) ? 1 : 0)
  meters.set('qbft_pending_votes', await sources.pendingVotes())
  const members = new Set(report.validators)
  for (const name of BY_VALIDATOR)
    await meters.prune(name, ({ validator }) => validator !== undefined && members.has(validator))
  for (const [validator, ms] of report.lastSeenMs)
    meters.set('qbft_validator_last_seen_timestamp_seconds', ms / 1000, { validator })
  for (const [validator, ms] of sources.clockOffsetsMs())
    if (members.has(validator)) meters.set('qbft_clock_offset_seconds', ms / 1000, { validator })
}

/** Metrics of consensus; the observer is to be called by it. */
export const createQbftMetrics = (meters: Meters, sources: QbftSources): ConsensusObserver => {
  const times = timeSteps(meters)
  let headAtMs: number | undefined
  // A dashboard shows 0 where nothing has happened yet, instead of no data.
  for (const reason of ['timeout', 'quorum_of_round_changes', 'early'])
    meters.inc('qbft_rounds_total', { reason }, 0)
  for (const kind of ['proposal', 'prepare', 'commit']) meters.inc('qbft_evidence_total', { kind }, 0)
  meters.onCollect(() => collectReport(meters, sources))
  return {
    stepped: step => {
      countMessage(meters, step)
      for (const effect of step.effects) countEffect(meters, effect)
      const { height } = step.state
      if (height !== undefined) times.stepped(height, step.nowMs)
    },
    newHead: (_, nowMs) => {
      times.newHead(nowMs)
      if (headAtMs !== undefined) meters.observe('qbft_block_interval_seconds', (nowMs - headAtMs) / 1000)
      headAtMs = nowMs
    },
    refused: (_, code, reason) =>
      meters.inc('qbft_messages_total', { type: typeOf(code), direction: 'in', result: reason }),
    sent: (code, receivers) => {
      if (receivers > 0)
        meters.inc('qbft_messages_total', { type: typeOf(code), direction: 'out', result: 'sent' }, receivers)
    },
  }
}
