import type { Address } from '../../bytes/bytes.ts'
import { toHex } from '../../bytes/hex.ts'
import { includesAddress } from '../../validators/votes.ts'
import { assertInvariant } from '../invariant.ts'
import type { QbftCode, Signed } from '../message.ts'
import { authorOf } from '../signatures.ts'
import { type RuleViolation, violation, type RuleContext } from './rule.ts'

/** The payload is signed by a validator. */
export const signerRule = (
  { validators }: RuleContext,
  code: QbftCode,
  signed: Signed<unknown>,
): RuleViolation | undefined => {
  const author = authorOf(code, signed)
  if (author === undefined)
    return violation('bad-signature', 'no address can be recovered from the signature')
  return includesAddress(validators, author)
    ? undefined
    : violation('not-a-validator', `signed by ${toHex(author)}`)
}

/** All items are signed by different validators. `list` has at most as many items as there are validators. */
export const distinctSignersRule = (
  context: RuleContext,
  code: QbftCode,
  list: readonly Signed<unknown>[],
): RuleViolation | undefined => {
  assertInvariant(
    list.length <= context.validators.length,
    'signers-at-most-all',
    () => `${list.length} signatures, ${context.validators.length} validators`,
  )
  const authors: Address[] = []
  for (const signed of list) {
    const author = authorOf(code, signed)
    if (author === undefined || !includesAddress(context.validators, author))
      return violation('unjustified', 'signed by an address that is not a validator')
    if (includesAddress(authors, author)) return violation('unjustified', `two signed by ${toHex(author)}`)
    authors.push(author)
  }
  return undefined
}
