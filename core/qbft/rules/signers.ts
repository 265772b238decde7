import type { Address } from '../../bytes/bytes.ts'
import { toHex } from '../../bytes/hex.ts'
import { includesAddress } from '../../validators/votes.ts'
import type { QbftCode, Signed } from '../message.ts'
import { authorOf } from '../signing.ts'
import { type Broken, broken, type RuleContext } from './rule.ts'

/** The payload is signed by a validator. */
export const signerRule = (
  { validators }: RuleContext,
  code: QbftCode,
  signed: Signed<unknown>,
): Broken | undefined => {
  const author = authorOf(code, signed)
  if (author === undefined) return broken('bad-signature', 'a signature that belongs to nobody')
  return includesAddress(validators, author)
    ? undefined
    : broken('not-a-validator', `signed by ${toHex(author)}`)
}

/** Each is signed by a validator, and no two by the same. `list` has at most as many as there are validators. */
export const distinctSignersRule = (
  context: RuleContext,
  code: QbftCode,
  list: readonly Signed<unknown>[],
): Broken | undefined => {
  const authors: Address[] = []
  for (const signed of list) {
    const author = authorOf(code, signed)
    if (author === undefined || !includesAddress(context.validators, author))
      return broken('unjustified', 'signed by somebody who is no validator')
    if (includesAddress(authors, author)) return broken('unjustified', `two by ${toHex(author)}`)
    authors.push(author)
  }
  return undefined
}
