import { equalBytes } from '../../bytes/bytes.ts'
import type { Block } from '../../chain/block.ts'
import { proposalDigest } from '../codec/roundOfBlock.ts'
import type { PreparedMetadata, RoundChangeMessage } from '../message.ts'
import { certificateRule, signedRoundChangeRule } from './justification.ts'
import { type Broken, broken, type RuleContext } from './rule.ts'

const blockRule = (
  { sequence }: RuleContext,
  block: Block,
  prepared: PreparedMetadata,
): Broken | undefined => {
  if (block.header.number !== sequence)
    return broken('invalid-block', `block ${block.header.number} in height ${sequence}`)
  return equalBytes(proposalDigest(block), prepared.digest)
    ? undefined
    : broken('wrong-digest', 'the block is not the prepared one')
}

const unpreparedRule = ({ signed, prepares }: RoundChangeMessage): Broken | undefined => {
  if (signed.payload.prepared !== undefined) return broken('unjustified', 'prepared, but without the block')
  return prepares.length > 0 ? broken('unjustified', 'prepares, but no block') : undefined
}

/**
 * A round change as it is sent: valid in itself, and either with the block, named by the digest it has as carried, and the
 * prepares that prove what was prepared, or with none of the three. The block is not executed: a quorum of prepares
 * stands for that its honest validators did.
 */
export const roundChangeRule = (context: RuleContext, message: RoundChangeMessage): Broken | undefined => {
  const { signed, block, prepares } = message
  const { prepared } = signed.payload
  if (block === undefined) return unpreparedRule(message) ?? signedRoundChangeRule(context, signed)
  if (prepared === undefined) return broken('unjustified', 'a block, but not prepared')
  return (
    blockRule(context, block, prepared) ??
    signedRoundChangeRule(context, signed) ??
    certificateRule(context, prepares, prepared)
  )
}
