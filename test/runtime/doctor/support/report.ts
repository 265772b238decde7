import type { NodeReport, ValidatorReport } from '../../../../runtime/doctor/nodeReport.ts'

/** Milliseconds since 1970. */
export const NOW = 1_000_000

/** The first one is this node. */
export const validator = (index: number, more: Partial<ValidatorReport> = {}): ValidatorReport => ({
  address: `0x${String(index).repeat(40)}`,
  isSelf: index === 1,
  lastSeenMs: NOW - 500,
  isConnected: index !== 1,
  remoteAddress: `10.0.0.${index}:30303`,
  client: 'quorate',
  clockOffsetMs: 10,
  dialError: undefined,
  differing: [],
  ...more,
})

/** Of a validator whose network decides blocks. */
export const WELL: NodeReport = {
  nowMs: NOW,
  headNumber: 12n,
  overdueSeconds: undefined,
  isValidator: true,
  refusal: undefined,
  connects: true,
  peerCount: 3,
  validators: [1, 2, 3, 4].map(index => validator(index)),
  quorum: 3,
  silentMs: 8_000,
  round: 3,
  nextAttemptMs: NOW + 1_700,
  failures: [],
  validatorsFailure: undefined,
  nextBlock: undefined,
  proposalGasMax: undefined,
  writingSinceMs: undefined,
  lastWrite: undefined,
  syncing: undefined,
  differences: [],
  rejectedProposal: undefined,
  unverifiedRound: undefined,
  unbuiltRound: undefined,
  lastRound: undefined,
  recall: undefined,
  load: { average: 14.25, processors: 2 },
  pool: { size: 0, ready: 0, queued: 0, hasRunnable: false, reasons: new Map(), refused: new Map() },
}
