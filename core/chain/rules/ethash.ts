import { EMPTY_LIST_HASH } from '../../crypto/constants.ts'
import { forkIsAtLeast } from '../../genesis/fork.ts'
import { rulesAt } from '../../genesis/forkSchedule.ts'
import { ethashDifficulty } from './difficulty.ts'
import type { HeaderContext, HeaderRule } from './context.ts'
import * as forkFields from './forkFields.ts'
import { GAS_AND_FORK_RULES } from './gasAndForks.ts'
import * as common from './header.ts'
import { InvalidBlock, requireSameBytes, requireSameNumber } from './invalidBlock.ts'

/** Yellow Paper 4.3.4. */
const ETHASH_EXTRA_DATA_BYTES_MAX = 32
/** Tolerated difference of a miner's clock, as in the clients of the proof-of-work network. */
const FUTURE_SECONDS_MAX = 15n

const extraDataSize: HeaderRule = ({ header }) => {
  if (header.extraData.length > ETHASH_EXTRA_DATA_BYTES_MAX)
    throw new InvalidBlock(
      header,
      'extra-data-size',
      `at most ${ETHASH_EXTRA_DATA_BYTES_MAX} bytes`,
      String(header.extraData.length),
    )
}

/** Checks the difficulty formula, not the proof of work itself. */
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

/** True if proof of work ended before this block, by total difficulty or else by the schedule. */
const workHasEnded = ({ header, parent, configuration }: HeaderContext): boolean => {
  if (parent.header.difficulty === 0n) return true
  const { consensus } = configuration
  const terminal = consensus.kind === 'ethash' ? consensus.terminalTotalDifficulty : undefined
  if (terminal !== undefined) return parent.totalDifficulty >= terminal
  return forkIsAtLeast(rulesAt(configuration, header.number, header.timestamp).fork, 'paris')
}

/** EIP-3675: after the last block of proof of work, the difficulty is 0. */
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

const stakeNonce: HeaderRule = ({ header }) =>
  requireSameBytes(header, 'nonce', common.ZERO_NONCE, header.nonce)

const stakeOmmersHash: HeaderRule = ({ header }) =>
  requireSameBytes(header, 'ommers-hash', EMPTY_LIST_HASH, header.ommersHash)

const SHARED_RULES: readonly HeaderRule[] = [
  mergeOrder,
  ...GAS_AND_FORK_RULES,
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

/** The rules for a block of the same height, except the one against blocks from the future. */
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
