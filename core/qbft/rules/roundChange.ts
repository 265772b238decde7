import { equalBytes } from '../../bytes/bytes.ts'
import type { Block } from '../../chain/block.ts'
import { proposalDigest } from '../codec/roundOfBlock.ts'
import type { PreparedMetadata, RoundChangeMessage } from '../message.ts'
import { certificateRule, signedRoundChangeRule } from './justification.ts'
import { type Broken, broken, type RuleContext } from './rule.ts'

/** Whether there is a block is all that counts of it. */
type Certified = Pick<RoundChangeMessage, 'signed' | 'prepares'> & { readonly block: unknown }

/** Without a block there is nothing that was prepared. */
const unpreparedRule = ({ signed, prepares }: Certified): Broken | undefined => {
  if (signed.payload.prepared !== undefined) return broken('unjustified', 'prepared, but without the block')
  return prepares.length > 0 ? broken('unjustified', 'prepares, but no block') : undefined
}

/**
 * A round change as it is sent, all but its block, which costs more to read than all else: valid in itself, and either with
 * a block and the prepares that prove that it was prepared, or with neither.
 */
export const certifiedRule = (context: RuleContext, message: Certified): Broken | undefined => {
  const { signed, block, prepares } = message
  const { prepared } = signed.payload
  if (block === undefined) return unpreparedRule(message) ?? signedRoundChangeRule(context, signed)
  if (prepared === undefined) return broken('unjustified', 'a block, but not prepared')
  return signedRoundChangeRule(context, signed) ?? certificateRule(context, prepares, prepared)
}

const blockRule = (
  { sequence }: RuleContext,
  block: Block,
  prepared: PreparedMetadata | undefined,
): Broken | undefined => {
  if (block.header.number !== sequence)
    return broken('invalid-block', `block ${block.header.number} in height ${sequence}`)
  return prepared !== undefined && equalBytes(proposalDigest(block), prepared.digest)
    ? undefined
    : broken('wrong-digest', 'the block is not the prepared one')
}

/**
 * A round change as it is sent: certified, and the block the prepared one, by the digest it has as carried. The block is not
 * executed: a quorum of prepares stands for that its honest validators did.
 */
export const roundChangeRule = (context: RuleContext, message: RoundChangeMessage): Broken | undefined =>
  certifiedRule(context, message) ??
  (message.block === undefined
    ? undefined
    : blockRule(context, message.block, message.signed.payload.prepared))
