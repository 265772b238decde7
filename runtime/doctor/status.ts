import { toHex, toQuantity } from '../../core/bytes/hex.ts'
import type { Participation } from '../../core/validators/participation.ts'
import type { VoteTally } from '../../core/validators/votes.ts'
import { isHeard } from './causes.ts'
import type { Diagnosis } from './explain.ts'
import type { NodeReport, ValidatorReport } from './nodeReport.ts'
import type { PlannedChange } from './plans.ts'

/** Blocks that missed proposals and seals are counted in. */
export const WINDOW_BLOCKS = 100n

/**
 * Validators that are listed, this node first: a contract may name a hundred thousand, and an entry has some 300 bytes.
 * Networks have far fewer, because each block has a seal of most of them.
 */
export const STATUS_VALIDATORS_MAX = 256

export type StatusParts = {
  readonly report: NodeReport
  readonly diagnosis: Diagnosis
  readonly address: string
  readonly client: string
  /** Of the last WINDOW_BLOCKS blocks. */
  readonly participation: readonly Participation[]
  readonly plans: readonly PlannedChange[]
  /** About the plans. */
  readonly warnings: readonly string[]
  /** The votes that count; undefined in contract mode. */
  readonly tally: VoteTally | undefined
}

const countOf = (addresses: readonly Uint8Array[], address: string): number =>
  addresses.filter(other => toHex(other) === address).length

const validatorStatus = (
  { report, client, participation }: StatusParts,
  validator: ValidatorReport,
): object => {
  const { address, isSelf, isConnected, lastSeenMs, clockOffsetMs } = validator
  const sum = (count: (block: Participation) => number): number =>
    participation.reduce((total, block) => total + count(block), 0)
  return {
    address,
    self: isSelf,
    connected: isSelf || isConnected,
    heard: isHeard(report, validator),
    lastSeen: lastSeenMs === undefined ? null : toQuantity(BigInt(Math.floor(lastSeenMs / 1000))),
    remoteAddress: validator.remoteAddress ?? null,
    client: isSelf ? client : (validator.client ?? null),
    clockOffsetMs: isSelf ? 0 : (clockOffsetMs ?? null),
    trouble: validator.dialError ?? null,
    differences: validator.differing,
    proposedBlocks: sum(block => countOf([block.proposer], address)),
    missedProposals: sum(block => countOf(block.missedProposals, address)),
    missedSeals: sum(block => countOf(block.missedSeals, address)),
  }
}

/** The validators that are listed, in their order but for this node, which comes first where not all are. */
const listedOf = ({ validators }: NodeReport): readonly ValidatorReport[] =>
  validators.length <= STATUS_VALIDATORS_MAX
    ? validators
    : validators
        .toSorted((one, other) => Number(other.isSelf) - Number(one.isSelf))
        .slice(0, STATUS_VALIDATORS_MAX)

/** The result of qbft_getStatus: block numbers and seconds since 1970 as quantities, counts and milliseconds as numbers. */
export const statusJson = (parts: StatusParts): object => {
  const { report, diagnosis, plans, participation } = parts
  const { validators, nextAttemptMs, nowMs } = report
  return {
    status: diagnosis.isStalled
      ? 'stalled'
      : diagnosis.causes.every(({ kind, isLater }) => kind === 'pool' || isLater === true)
        ? 'well'
        : 'troubled',
    kind: diagnosis.kind ?? null,
    explanation: diagnosis.sentence ?? null,
    causes: diagnosis.causes.map(({ kind, text }) => ({ kind, explanation: text })),
    address: parts.address,
    client: parts.client,
    isValidator: report.isValidator,
    blockNumber: toQuantity(report.headNumber),
    round: report.round ?? null,
    proposalGasMax: report.proposalGasMax === undefined ? null : toQuantity(report.proposalGasMax),
    nextAttemptMs: nextAttemptMs === undefined ? null : Math.max(0, nextAttemptMs - nowMs),
    quorum: report.quorum,
    heard: validators.filter(validator => isHeard(report, validator)).length,
    blocksCounted: participation.length,
    validatorCount: validators.length,
    validators: listedOf(report).map(validator => validatorStatus(parts, validator)),
    votes: (parts.tally?.votes ?? []).map(({ voter, recipient, type }) => ({
      voter: toHex(voter),
      recipient: toHex(recipient),
      add: type === 'add',
    })),
    transitions: plans,
    warnings: parts.warnings,
  }
}
