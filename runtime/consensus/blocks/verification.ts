import { toHex } from '../../../core/bytes/hex.ts'
import type { Block } from '../../../core/block/block.ts'
import type { BuiltBlock, Chain } from '../../../core/chain/chain.ts'
import { ExecutionStopped } from '../../../core/chain/execution/bounds.ts'
import { InvalidBlock } from '../../../core/chain/rules/invalidBlock.ts'
import { MemoryUnavailable } from '../../../core/evm/interpreter/memory.ts'
import type { Usage } from '../../../core/evm/interpreter/runLimit.ts'
import type { ClockWarning } from '../../../p2p/sync/clockWarning.ts'
import type { Log } from '../../logging/log.ts'

/**
 * A proposal whose timestamp is up to this far in the future is verified once its time has come, instead of rejected for the
 * whole height: other validators may be locked on it. A larger difference means a wrong clock.
 */
const EARLY_MS_MAX = 10_000

/** Validators accept a block up to this long before its timestamp. */
const EARLY_MS_ALLOWED = 1_000

/**
 * Minimum time to verify a proposal, which otherwise ends with its round: other validators may be locked on it, and the
 * timer of the next round may be about to start.
 */
const VERIFY_MS_MIN = 500

/**
 * Maximum memory of the verification of a proposal, as estimated by `Usage`. A proposer takes no more transactions at 512 MB, and the
 * last one may take 256 MB (selectionBounds.ts): only a proposer that ignores its bounds makes a larger block.
 */
const VERIFY_BYTES_MAX = 1024 * 1024 * 1024

/** Delay before retrying after an internal error, which says nothing about the block. */
const VERIFICATION_RETRY_MS = 1_000

export type ProposalVerificationOptions = {
  readonly chain: Pick<Chain, 'verifyBlock'>
  /** When the current round ends, milliseconds since 1970; undefined when no round runs. */
  readonly roundEndMs: () => number | undefined
  /** How long the first round of a height lasts. */
  readonly firstRoundMs: () => number
  /** False once the chain has passed the block's height: its result no longer matters. */
  readonly isDue: (block: Block) => boolean
  readonly clockWarning: ClockWarning
  readonly log: Log
}

/** The outcome of one attempt. `abandoned`: the execution exceeded its bounds, which says nothing about the block. */
export type VerificationOutcome =
  | { readonly kind: 'valid'; readonly built: BuiltBlock }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'retry'; readonly afterMs: number }
  | { readonly kind: 'abandoned' }

/** Returns why the execution of a proposal is abandoned. Not a validity rule: sealed blocks are always executed fully. */
const createAbandonCheck = (
  { isDue, roundEndMs, firstRoundMs }: ProposalVerificationOptions,
  block: Block,
): ((usage: Usage) => string | undefined) => {
  const startedMs = Date.now()
  // A proposal may come before this node's own round begins: without a bound it could hold the chain for good.
  const endMs = roundEndMs() ?? startedMs + firstRoundMs()
  const untilMs = Math.max(endMs, startedMs + VERIFY_MS_MIN)
  return ({ blockMemoryBytes }) => {
    if (!isDue(block)) return 'the chain has passed its height'
    if (blockMemoryBytes > VERIFY_BYTES_MAX)
      return `it needs more than ${VERIFY_BYTES_MAX / 2 ** 20} MB of memory`
    return Date.now() < untilMs
      ? undefined
      : `it did not finish within ${untilMs - startedMs} ms, before its round ended`
  }
}

const verificationOf = (
  { isDue, clockWarning, log }: ProposalVerificationOptions,
  block: Block,
  nowMs: number,
  error: unknown,
): VerificationOutcome => {
  const { header } = block
  const { number } = header
  const isCurrent = isDue(block)
  if (error instanceof ExecutionStopped || error instanceof MemoryUnavailable) {
    log[isCurrent ? 'warn' : 'info'](
      'Block {number} of {proposer} is not verified: {reason}. {consequence}',
      {
        number,
        proposer: toHex(header.coinbase),
        reason: error.message,
        consequence: isCurrent ? 'A round change follows' : 'Another block of its height is sealed',
      },
    )
    return { kind: 'abandoned' }
  }
  if (!(error instanceof InvalidBlock)) {
    if (isCurrent) log.error('Block {number} could not be verified: {error}', { number, error })
    return { kind: 'retry', afterMs: VERIFICATION_RETRY_MS }
  }
  if (error.rule !== 'future-timestamp') return { kind: 'invalid', reason: error.message }
  clockWarning(header)
  const earlyMs = Number(header.timestamp) * 1000 - nowMs
  return earlyMs < EARLY_MS_MAX
    ? { kind: 'retry', afterMs: Math.max(earlyMs - EARLY_MS_ALLOWED, 0) + 1 }
    : { kind: 'invalid', reason: error.message }
}

/** Verifies a proposed block once. */
export const verifyOnce = async (
  options: ProposalVerificationOptions,
  block: Block,
): Promise<VerificationOutcome> => {
  const nowMs = Date.now()
  try {
    const giveUp = createAbandonCheck(options, block)
    return { kind: 'valid', built: await options.chain.verifyBlock(block, { nowMs, giveUp }) }
  } catch (error) {
    return verificationOf(options, block, nowMs, error)
  }
}
