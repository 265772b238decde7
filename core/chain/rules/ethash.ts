import { EMPTY_LIST_HASH } from '../../crypto/constants.ts'
import { forkIsAtLeast } from '../../genesis/fork.ts'
import { rulesAt } from '../../genesis/schedule.ts'
import { ethashDifficulty } from './difficulty.ts'
import type { HeaderContext, HeaderRule } from './context.ts'
import * as forkFields from './forkFields.ts'
import * as common from './header.ts'
import { InvalidBlock, requireSameBytes, requireSameNumber } from './invalidBlock.ts'

/** Yellow Paper 4.3.4. */
const EXTRA_DATA_BYTES_MAX = 32
/** How far a miner's clock may run ahead; what the clients of the proof of work network agreed on. */
const FUTURE_SECONDS_MAX = 15n
const ZERO_NONCE = new Uint8Array(8)

const extraDataSize: HeaderRule = ({ header }) => {
  if (header.extraData.length > EXTRA_DATA_BYTES_MAX)
    throw new InvalidBlock(
      header,
      'extra-data-size',
      `at most ${EXTRA_DATA_BYTES_MAX} bytes`,
      String(header.extraData.length),
    )
}

/** The difficulty formula; whether the work was done is not checked. */
const workDifficulty: HeaderRule = ({ header, rules, parent, parentHasOmmers }) => {
  const expected = ethashDifficulty({
    fork: rules.fork,
    number: header.number,
    timestamp: header.timestamp,
    parentTimestamp: parent.header.timestamp,
    parentDifficulty: parent.header.difficulty,
    parentHasOmmers,
  })
  requireSameNumber(header, 'difficulty', expected, header.difficulty)
}

/** True once the chain's proof of work must have ended before this block: told by total difficulty, else by the schedule. */
const workHasEnded = ({ header, parent, configuration }: HeaderContext): boolean => {
  if (parent.header.difficulty === 0n) return true
  const { consensus } = configuration
  const terminal = consensus.kind === 'ethash' ? consensus.terminalTotalDifficulty : undefined
  if (terminal !== undefined) return parent.totalDifficulty >= terminal
  return forkIsAtLeast(rulesAt(configuration, header.number, header.timestamp).fork, 'paris')
}

/** EIP-3675: proof of work ends at one block and for good; from there on difficulty is 0. */
const mergeOrder: HeaderRule = context => {
  const { header, parent } = context
  const ended = workHasEnded(context)
  if (ended !== header.difficulty > 0n) return
  throw new InvalidBlock(
    header,
    'merge',
    ended ? 'difficulty 0, since proof of work has ended' : 'proof of work',
    `difficulty ${header.difficulty} after a total of ${parent.totalDifficulty}`,
  )
}

const stakeDifficulty: HeaderRule = ({ header }) =>
  requireSameNumber(header, 'difficulty', 0n, header.difficulty)

const stakeNonce: HeaderRule = ({ header }) => requireSameBytes(header, 'nonce', ZERO_NONCE, header.nonce)

const stakeOmmersHash: HeaderRule = ({ header }) =>
  requireSameBytes(header, 'ommers-hash', EMPTY_LIST_HASH, header.ommersHash)

const SHARED_RULES: readonly HeaderRule[] = [
  mergeOrder,
  common.gasUsedLimit,
  common.gasLimitRange,
  common.gasLimitStep,
  common.baseFeePresence,
  common.baseFeeValue,
  forkFields.withdrawalsRootPresence,
  forkFields.blobFieldsPresence,
  forkFields.blobGasLimit,
  forkFields.excessBlobGas,
  forkFields.beaconRootPresence,
  forkFields.requestsHashPresence,
  extraDataSize,
  common.timestampAfterParent,
]

/** Proof of work up to the merge. */
const WORK_HEADER_RULES: readonly HeaderRule[] = [
  ...SHARED_RULES,
  workDifficulty,
  common.notFromTheFuture(FUTURE_SECONDS_MAX),
]

/** An ommer is judged like a block of its height; its time has long passed. */
export const OMMER_HEADER_RULES: readonly HeaderRule[] = [common.ancestry, ...SHARED_RULES, workDifficulty]

/** Proof of stake from Paris on (EIP-3675). */
const STAKE_HEADER_RULES: readonly HeaderRule[] = [
  stakeDifficulty,
  ...SHARED_RULES,
  stakeNonce,
  stakeOmmersHash,
]

/** The header rules of a chain that is not QBFT, by the rules in force at the block. */
export const ethashHeaderRules = ({ rules }: Pick<HeaderContext, 'rules'>): readonly HeaderRule[] =>
  forkIsAtLeast(rules.fork, 'paris') ? STAKE_HEADER_RULES : WORK_HEADER_RULES
