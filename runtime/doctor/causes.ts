import type { Cause, CauseKind, NodeReport, ValidatorReport } from './nodeReport.ts'
import { nextBlockCauses } from './nextBlock.ts'
import { roundsCause } from './roundsCause.ts'
import { listed, ofProposer, seconds, shortAddress } from './texts.ts'

/** A write that takes longer holds up blocks. */
const SLOW_WRITE_MS = 2_000
/** Time for which the last slow write is reported. */
const SLOW_REPORTED_MS = 30_000

/** Clocks further apart keep validators from accepting each other's blocks in time. */
export const CLOCK_APART_MS = 1_500

const others = ({ validators }: NodeReport): readonly ValidatorReport[] =>
  validators.filter(({ isSelf }) => !isSelf)

/** Reachable: this node itself, or connected. */
const connectedCount = ({ validators }: NodeReport): number =>
  validators.filter(({ isSelf, isConnected }) => isSelf || isConnected).length

/** Validators send consensus messages to each other alone; a connection over which nothing arrives is closed. */
export const isHeard = (
  { nowMs, silentMs, isValidator }: NodeReport,
  { isSelf, isConnected, lastSeenMs }: ValidatorReport,
): boolean =>
  isSelf || (!isValidator && isConnected) || (lastSeenMs !== undefined && nowMs - lastSeenMs <= silentMs)

const silence = ({ nowMs }: NodeReport, validator: ValidatorReport): string => {
  const { address, lastSeenMs, remoteAddress } = validator
  const at = remoteAddress === undefined ? '' : ` (last at ${remoteAddress})`
  return lastSeenMs === undefined
    ? `${shortAddress(address)} was never heard${at}`
    : `${shortAddress(address)} silent for ${seconds(nowMs - lastSeenMs)}${at}`
}

const absence = (validator: ValidatorReport): string => {
  const { address, dialError } = validator
  return `${shortAddress(address)} is not connected (${dialError ?? 'no address of it is known'})`
}

type Finder = (report: NodeReport) => Cause | undefined

const invariant: Finder = ({ brokenInvariant }) =>
  brokenInvariant === undefined ? undefined : { kind: 'invariant', text: brokenInvariant }

const disk: Finder = ({ failures }) =>
  failures[0] === undefined ? undefined : { kind: 'disk', text: failures[0].replace(/\.$/, '') }

const slowDisk: Finder = ({ nowMs, writingSinceMs, lastWrite }) => {
  const advice = 'the disk is slow, or another process holds it'
  if (writingSinceMs !== undefined && nowMs - writingSinceMs >= SLOW_WRITE_MS)
    return {
      kind: 'disk-slow',
      text: `a write to the disk has taken ${seconds(nowMs - writingSinceMs)} and is not done: ${advice}`,
    }
  if (
    lastWrite === undefined ||
    lastWrite.tookMs < SLOW_WRITE_MS ||
    nowMs - lastWrite.atMs > SLOW_REPORTED_MS
  )
    return undefined
  return {
    kind: 'disk-slow',
    text: `the last write to the disk took ${seconds(lastWrite.tookMs)}: ${advice}`,
  }
}

const keyInUse: Finder = ({ keyInUse: sentence }) =>
  sentence === undefined
    ? undefined
    : { kind: 'key-in-use', text: `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}` }

const noValidators: Finder = ({ validatorsFailure }) =>
  validatorsFailure === undefined
    ? undefined
    : {
        kind: 'no-validators',
        stops: true,
        text: `${validatorsFailure.replace(/\.$/, '')}; all nodes need a genesis file with a transition at that block to a contract whose getValidators() works, or to a list`,
      }

const behind: Finder = ({ syncing }) =>
  syncing === undefined || syncing.highestBlock <= syncing.currentBlock
    ? undefined
    : {
        kind: 'behind',
        text: `this node is behind, at block ${syncing.currentBlock} of ${syncing.highestBlock}, and fetches what it lacks`,
      }

const clocks: Finder = report => {
  const apart = others(report).filter(
    ({ clockOffsetMs }) => clockOffsetMs !== undefined && Math.abs(clockOffsetMs) > CLOCK_APART_MS,
  )
  const known = others(report).filter(({ clockOffsetMs }) => clockOffsetMs !== undefined)
  if (apart.length === 0) return undefined
  const offset = ({ clockOffsetMs = 0 }: ValidatorReport): string =>
    `${seconds(Math.abs(clockOffsetMs))} ${clockOffsetMs > 0 ? 'ahead of' : 'behind'}`
  const [first] = apart
  const text =
    apart.length * 2 > known.length && known.length > 1 && first !== undefined
      ? `the clock of this machine is wrong: ${apart.length} of ${known.length} connected validators differ from it, ${shortAddress(first.address)} is ${offset(first)} it`
      : listed(
          apart.map(
            validator =>
              `the clock of ${shortAddress(validator.address)} is ${offset(validator)} this node's`,
          ),
        )
  return { kind: 'clocks', text: `${text}; synchronize the clocks (NTP)` }
}

/** Whether an entry that differs can act in the next block: not a later transition or fork, nor the blobs of one. */
const canAct = (entry: string, { headNumber }: NodeReport, { laterForks = [] }: ValidatorReport): boolean => {
  if (laterForks.includes(entry)) return false
  const fork = /^blobSchedule\.(\w+)\./.exec(entry)?.[1]
  if (fork !== undefined && laterForks.some(later => later.replace(/Time$/, '') === fork)) return false
  const block = /^transitions\.qbft\[block (\d+)\]/.exec(entry)?.[1]
  return block === undefined || BigInt(block) <= headNumber + 1n
}

const differsNow = (report: NodeReport, validator: ValidatorReport): boolean =>
  validator.differing.some(entry => canAct(entry, report, validator))

const SAME_FILE = 'all nodes need the same one'

const runsWithAnother = ({ address, differing }: ValidatorReport): string =>
  `${shortAddress(address)} runs with another genesis file (${listed(differing)})`

const genesis: Finder = report => {
  const differing = others(report).filter(validator => differsNow(report, validator))
  return differing.length === 0
    ? undefined
    : { kind: 'genesis', text: `${listed(differing.map(runsWithAnother))}; ${SAME_FILE}` }
}

/** Differences that do not stop the chain now: of nodes that are not validators, and of later transitions. */
const laterGenesis: Finder = report => {
  const { validators, differences, overdueSeconds, quorum } = report
  const later = others(report).filter(
    validator => validator.differing.length > 0 && !differsNow(report, validator),
  )
  const isValidator = (address: string): boolean => validators.some(each => each.address === address)
  // A refused node may be a validator that connects with another key than that of its address.
  const refused =
    overdueSeconds === undefined || connectedCount(report) >= quorum
      ? []
      : differences.flatMap(({ address, peer, entries }) =>
          address === undefined || isValidator(address)
            ? []
            : [
                `${shortAddress(address)}, no validator (${peer.replace(/^.* \((.*)\)$/, '$1')}), has another genesis file${entries.length === 0 ? '' : ` (${listed(entries)})`}`,
              ],
        )
  const texts = [...later.map(each => `${runsWithAnother(each)}, which does not act yet`), ...refused]
  if (texts.length === 0) return undefined
  const isLater = refused.length === 0 ? ({ isLater: true } as const) : {}
  return { kind: 'genesis', ...isLater, text: `${listed(texts)}; ${SAME_FILE}` }
}

const notConnected: Finder = report => {
  const { validators, quorum, connects, isValidator, peerCount } = report
  const count = connectedCount(report)
  // A node that follows needs no more than one peer that has the blocks.
  if (isValidator ? count >= quorum : peerCount > 0) return undefined
  if (!connects)
    return { kind: 'not-connected', text: 'this node connects to no others: --p2p-enabled is false' }
  const missing = others(report).filter(({ isConnected }) => !isConnected)
  if (!isValidator) {
    const absences = missing.length === 0 ? '' : `; ${listed(missing.map(absence))}`
    return { kind: 'not-connected', text: `this node is connected to no other${absences}` }
  }
  return {
    kind: 'not-connected',
    text: `${count} of ${validators.length} validators are connected, ${quorum} are needed; ${listed(missing.map(absence))}`,
  }
}

const tooFewHeard: Finder = report => {
  const { validators, quorum } = report
  // Validators send their messages to each other alone.
  if (!report.isValidator) return undefined
  const silent = validators.filter(validator => !isHeard(report, validator))
  const count = validators.length - silent.length
  return count >= quorum
    ? undefined
    : {
        kind: 'too-few-heard',
        text: `${count} of ${validators.length} validators are heard, ${quorum} are needed; ${listed(silent.map(validator => silence(report, validator)))}`,
      }
}

const rejected: Finder = ({ rejectedProposal }) => {
  if (rejectedProposal === undefined) return undefined
  const { round, proposer, rule } = rejectedProposal
  return {
    kind: 'proposal-rejected',
    text: `the proposal${ofProposer(proposer)} in round ${round} was rejected (${rule})`,
  }
}

const overBound: Finder = ({ unverifiedRound }) =>
  unverifiedRound === undefined
    ? undefined
    : {
        kind: 'execution-over-bound',
        text: `the proposal of round ${unverifiedRound} takes longer to execute than its round lasts: this machine is too slow for the blocks of the chain, or too busy`,
      }

const notBuilt: Finder = ({ unbuiltRound }) =>
  unbuiltRound === undefined
    ? undefined
    : {
        kind: 'not-built',
        text: `this validator could not build its block in round ${unbuiltRound}: see the errors in its log`,
      }

/** Which validators a node that follows is connected to, and why not to the others. */
const validatorsSeen = (report: NodeReport): string => {
  const { validators, quorum } = report
  const missing = others(report).filter(({ isConnected }) => !isConnected)
  const count = `it is connected to ${validators.length - missing.length} of them, and a block needs ${quorum}`
  return missing.length === 0
    ? `${count}: ask a validator`
    : `${count}; ${listed(missing.map(absence))}; a validator knows more`
}

const notAValidator: Finder = report => {
  const { isValidator, refusal, validators, peerCount } = report
  if (refusal !== undefined)
    return { kind: 'not-a-validator', text: `this node takes no part: ${refusal.replace(/\.$/, '')}` }
  return isValidator
    ? undefined
    : {
        kind: 'not-a-validator',
        text: `this node is not one of the ${validators.length} validators and waits for their blocks, and none of its ${peerCount} peers has a later one; ${validatorsSeen(report)}`,
      }
}

const notSigning: Finder = ({ isValidator, recall, validators }) =>
  recall === undefined || !isValidator
    ? undefined
    : {
        kind: 'not-signing',
        text: `this validator has started and signs nothing yet: ${recall.reported} of ${validators.length - 1} other validators have reported their height and round, at least ${recall.needed} are needed, and it must catch up with them`,
      }

/** Rounds that end without a block although a quorum is heard. */
const roundsFail: Finder = report => {
  const { isValidator, validators, quorum } = report
  const heard = validators.filter(validator => isHeard(report, validator)).length
  return isValidator && heard >= quorum ? roundsCause(report, heard) : undefined
}

const poolReasons = ({ pool }: NodeReport): string => {
  const { reasons, refused, queued } = pool
  const counted = (counts: ReadonlyMap<string, number>): readonly string[] =>
    [...counts].sort(([, a], [, b]) => b - a).map(([reason, count]) => `${count}: ${reason}`)
  return listed([
    ...counted(reasons),
    ...(queued > 0 && reasons.size === 0 ? [`${queued} wait behind a nonce gap`] : []),
    ...counted(refused).map(text => `refused in the last minutes ${text}`),
  ])
}

/** Transactions that no block takes, or that were refused; it keeps no block from being made. */
const poolCause: Finder = report => {
  const { pool } = report
  if (pool.refused.size === 0 && (pool.size === 0 || pool.hasRunnable)) return undefined
  const waiting =
    pool.size > 0 && !pool.hasRunnable
      ? `none of the ${pool.size} transactions in the pool can be in a block (`
      : 'transactions are refused ('
  return { kind: 'pool', text: `${waiting}${poolReasons(report)})` }
}

/** In order of precedence: while the first one applies, the others matter less. */
const FIRST_FINDERS: readonly Finder[] = [invariant, disk, slowDisk, keyInUse, genesis, behind, noValidators]

const LATER_FINDERS: readonly Finder[] = [
  clocks,
  notConnected,
  tooFewHeard,
  rejected,
  overBound,
  notBuilt,
  notAValidator,
  notSigning,
  roundsFail,
  poolCause,
  laterGenesis,
]

/** Causes that count validators, which say nothing where those of the next block cannot decide it. */
const OF_VALIDATORS: ReadonlySet<CauseKind> = new Set([
  'not-connected',
  'too-few-heard',
  'not-a-validator',
  'not-signing',
])

const findAll = (finders: readonly Finder[], report: NodeReport): readonly Cause[] =>
  finders.map(find => find(report)).filter(cause => cause !== undefined)

/** Possible causes of a stall according to the report, the most important first. */
export const causesOf = (report: NodeReport): readonly Cause[] => {
  const { nextBlock, nowMs } = report
  // A node that is behind does not know the head that the next block follows.
  const ofRules =
    nextBlock === undefined || behind(report) !== undefined ? [] : nextBlockCauses(nextBlock, nowMs)
  const first = [...findAll(FIRST_FINDERS, report), ...ofRules]
  const later = findAll(LATER_FINDERS, report)
  return first.some(({ kind }) => kind === 'no-validators')
    ? [...first, ...later.filter(({ kind }) => !OF_VALIDATORS.has(kind))]
    : [...first, ...later]
}
