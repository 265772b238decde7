import { equalBytes } from '../../bytes/bytes.ts'
import { toHex } from '../../bytes/hex.ts'
import { forkIsAtLeast } from '../../genesis/fork.ts'
import { ELASTICITY_MULTIPLIER, nextBaseFee } from '../fees/baseFee.ts'
import type { HeaderContext, HeaderRule } from './context.ts'
import { InvalidBlock, requireSameNumber } from './invalidBlock.ts'

export const GAS_LIMIT_MIN = 5_000n
export const GAS_LIMIT_MAX = (1n << 63n) - 1n
const GAS_LIMIT_BOUND_DIVISOR = 1_024n
/** The nonce of a block that is not mined. */
export const ZERO_NONCE = new Uint8Array(8)

/** The block follows its parent. */
export const ancestry: HeaderRule = ({ header, parent }) => {
  if (header.number !== parent.header.number + 1n || !equalBytes(header.parentHash, parent.hash))
    throw new InvalidBlock(
      header,
      'ancestry',
      `block ${parent.header.number + 1n} on ${toHex(parent.hash)}`,
      `block ${header.number} on ${toHex(header.parentHash)}`,
    )
}

export const gasUsedLimit: HeaderRule = ({ header }) => {
  if (header.gasUsed > header.gasLimit)
    throw new InvalidBlock(header, 'gas-used-limit', `at most ${header.gasLimit}`, String(header.gasUsed))
}

export const gasLimitRange: HeaderRule = ({ header }) => {
  if (header.gasLimit < GAS_LIMIT_MIN || header.gasLimit > GAS_LIMIT_MAX)
    throw new InvalidBlock(
      header,
      'gas-limit-range',
      `${GAS_LIMIT_MIN} to ${GAS_LIMIT_MAX}`,
      String(header.gasLimit),
    )
}

/** The parent's gas limit that this block's is compared with: doubled at the London block (EIP-1559). */
export const parentGasLimit = ({
  rules,
  parent,
  parentRules,
}: Pick<HeaderContext, 'rules' | 'parentRules'> & {
  readonly parent: Pick<HeaderContext['parent'], 'header'>
}): bigint =>
  forkIsAtLeast(rules.fork, 'london') && !forkIsAtLeast(parentRules.fork, 'london')
    ? parent.header.gasLimit * ELASTICITY_MULTIPLIER
    : parent.header.gasLimit

/** Largest difference of the next gas limit from `reference`: below a 1024th of it. */
export const gasLimitStepMax = (reference: bigint): bigint => {
  const bound = reference / GAS_LIMIT_BOUND_DIVISOR
  return bound > 0n ? bound - 1n : 0n
}

export const gasLimitStep: HeaderRule = context => {
  const { header, configuration } = context
  if (configuration.anyHeaderValues === true) return
  const reference = parentGasLimit(context)
  const step = header.gasLimit > reference ? header.gasLimit - reference : reference - header.gasLimit
  if (step >= reference / GAS_LIMIT_BOUND_DIVISOR && step !== 0n)
    throw new InvalidBlock(
      header,
      'gas-limit-step',
      `within ${gasLimitStepMax(reference)} of ${reference}`,
      String(header.gasLimit),
    )
}

/**
 * The base fee is the one of EIP-1559. Besu's QBFT rules do not check it, so a proposer may choose any base fee; this node
 * checks it on every chain except with `fixedBaseFee`, where the fee is a setting of each node.
 */
export const baseFeeValue: HeaderRule = context => {
  const { header, configuration } = context
  if (header.baseFeePerGas === undefined || configuration.fixedBaseFee) return
  if (configuration.anyHeaderValues === true) return
  const expected = nextBaseFee({ ...context, parent: context.parent.header, minGasPrice: 0n })
  if (expected !== undefined) requireSameNumber(header, 'base-fee-value', expected, header.baseFeePerGas)
}

/** Block timestamps are whole seconds; `secondsAhead` is the tolerated difference of the clocks of two nodes. */
export const notFromTheFuture =
  (secondsAhead: bigint): HeaderRule =>
  ({ header, nowMs }) => {
    const latest = BigInt(Math.floor(nowMs / 1000)) + secondsAhead
    if (header.timestamp > latest)
      throw new InvalidBlock(header, 'future-timestamp', `at most ${latest}`, String(header.timestamp))
  }

export const timestampAfterParent: HeaderRule = ({ header, parent }) => {
  if (header.timestamp <= parent.header.timestamp)
    throw new InvalidBlock(
      header,
      'timestamp-after-parent',
      `more than ${parent.header.timestamp}`,
      String(header.timestamp),
    )
}
