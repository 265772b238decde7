import { compareBytes } from '../../bytes/bytes.ts'
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
  const authors = []
  for (const signed of list) {
    const invalid = signerRule(context, code, signed)
    if (invalid !== undefined) return invalid
    authors.push(authorOf(code, signed) as Uint8Array)
  }
  authors.sort(compareBytes)
  const twice = authors.find((author, i) => i > 0 && compareBytes(author, authors[i - 1] as Uint8Array) === 0)
  return twice === undefined ? undefined : broken('unjustified', `two by ${toHex(twice)}`)
}
