import { equalBytes } from '../../bytes/bytes.ts'
import type { Block } from '../../block/block.ts'
import { proposalDigest } from '../codec/roundOfBlock.ts'
import type { PreparedMetadata, RoundChangeMessage } from '../message.ts'
import { certificateRule, signedRoundChangeRule } from './justification.ts'
import { type RuleViolation, violation, type RuleContext } from './rule.ts'

/** A round change of whose block only the presence is checked. */
type Certified = Pick<RoundChangeMessage, 'signed' | 'prepares'> & { readonly block: unknown }

/** Without a block there must be no prepared round and no prepares. */
const unpreparedRule = ({ signed, prepares }: Certified): RuleViolation | undefined => {
  if (signed.payload.prepared !== undefined)
    return violation('unjustified', 'a prepared round change without its block')
  return prepares.length > 0 ? violation('unjustified', 'prepares without a block') : undefined
}

/**
 * A received round change, without its block, which costs more to decode than all other checks: it is valid, and has either
 * both a block and the prepares of its certificate, or neither.
 */
export const certifiedRule = (context: RuleContext, message: Certified): RuleViolation | undefined => {
  const { signed, block, prepares } = message
  const { prepared } = signed.payload
  if (block === undefined) return unpreparedRule(message) ?? signedRoundChangeRule(context, signed)
  if (prepared === undefined) return violation('unjustified', 'a block without a prepared round')
  return signedRoundChangeRule(context, signed) ?? certificateRule(context, prepares, prepared)
}

const blockRule = (
  { sequence }: RuleContext,
  block: Block,
  prepared: PreparedMetadata | undefined,
): RuleViolation | undefined => {
  if (block.header.number !== sequence)
    return violation('invalid-block', `block ${block.header.number} in height ${sequence}`)
  return prepared !== undefined && equalBytes(proposalDigest(block), prepared.digest)
    ? undefined
    : violation('wrong-digest', 'the block is not the prepared one')
}

/**
 * A received round change: certified, and its block has the prepared digest in the received form. The block is not
 * executed, because the quorum of prepares proves that honest validators verified it.
 */
export const roundChangeRule = (
  context: RuleContext,
  message: RoundChangeMessage,
): RuleViolation | undefined =>
  certifiedRule(context, message) ??
  (message.block === undefined
    ? undefined
    : blockRule(context, message.block, message.signed.payload.prepared))
