import { type Address, compareBytes, equalBytes, type Hash } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { proposalDigest, withRound } from '../../../core/qbft/codec/roundOfBlock.ts'
import {
  type PreparedCertificate,
  type ProposalMessage,
  QBFT_CODES,
  type QbftCode,
  type RoundChangeMessage,
  type Signed,
  type SignedPrepare,
} from '../../../core/qbft/message.ts'
import { authorOf } from '../../../core/qbft/signatures.ts'
import { quorumOf } from './arithmetic.ts'

/** A height as the agreed chain gives it. */
export type Height = {
  readonly sequence: bigint
  /** Ascending. */
  readonly validators: readonly Address[]
  /** Coinbase of the block before. */
  readonly previousProposer: Address
}

/** What the product's rules must come to, written again from the specification, shorter and slower. */
const isBy = (code: QbftCode, { validators }: Height, signed: Signed<unknown>): boolean => {
  const author = authorOf(code, signed)
  return author !== undefined && validators.some(validator => equalBytes(validator, author))
}

const differentAuthors = (code: QbftCode, list: readonly Signed<unknown>[]): number =>
  new Set(list.map(signed => toBareHex(authorOf(code, signed) ?? new Uint8Array(0)))).size

const proposerOf = ({ validators, previousProposer }: Height, round: number): Address | undefined => {
  const before = validators.findIndex(validator => equalBytes(validator, previousProposer))
  const after = validators.findIndex(validator => compareBytes(validator, previousProposer) > 0)
  const first = before >= 0 ? before + 1 : Math.max(after, 0)
  return validators[(first + round) % validators.length]
}

/** "validSignedPrepareForHeightRoundAndDigest", a quorum of them. */
const faultInPrepares = (
  height: Height,
  prepares: readonly SignedPrepare[],
  round: number,
  digest: Hash,
): string | undefined => {
  const quorum = quorumOf(height.validators.length)
  if (differentAuthors(QBFT_CODES.prepare, prepares) !== prepares.length) return 'an author has two prepares'
  if (prepares.length < quorum) return `${prepares.length} prepares, a quorum is ${quorum}`
  const isValid = (signed: SignedPrepare): boolean =>
    isBy(QBFT_CODES.prepare, height, signed) &&
    signed.payload.sequence === height.sequence &&
    signed.payload.round === round &&
    equalBytes(signed.payload.digest, digest)
  return prepares.every(isValid) ? undefined : 'a prepare by somebody else or of something else'
}

export const faultInCertificate = (
  height: Height,
  { block, round, digest, prepares }: PreparedCertificate,
): string | undefined =>
  equalBytes(proposalDigest(block), digest)
    ? faultInPrepares(height, prepares, round, digest)
    : 'the block is not the one that was prepared'

/** "validRoundChange" and what proves it. */
export const faultInRoundChange = (
  height: Height,
  { signed, block, prepares }: RoundChangeMessage,
): string | undefined => {
  const { round, prepared } = signed.payload
  if (!isBy(QBFT_CODES['round-change'], height, signed)) return 'by no validator'
  if (round === 0) return 'to round 0'
  if (prepared === undefined) return block === undefined ? undefined : 'a block, but not prepared'
  if (block === undefined) return 'prepared, but no block'
  if (prepared.round >= round) return `to round ${round}, prepared in ${prepared.round}`
  return faultInCertificate(height, { block, prepares, ...prepared })
}

/** "isProposalJustification". */
export const faultInProposal = (
  height: Height,
  { signed, roundChanges, prepares }: ProposalMessage,
): string | undefined => {
  const { round, block } = signed.payload
  const author = authorOf(QBFT_CODES.proposal, signed)
  const proposer = proposerOf(height, round)
  if (author === undefined || proposer === undefined || !equalBytes(author, proposer))
    return `not by the proposer of round ${round}`
  if (block.header.number !== height.sequence) return `block ${block.header.number}`
  const isOwn = equalBytes(block.header.coinbase, author)
  if (round === 0) return isOwn ? undefined : 'a block by somebody else in round 0'
  const code = QBFT_CODES['round-change']
  const quorum = quorumOf(height.validators.length)
  if (differentAuthors(code, roundChanges) < quorum)
    return `${roundChanges.length} round changes, a quorum is ${quorum}`
  for (const change of roundChanges) {
    const { payload } = change
    if (!isBy(code, height, change) || payload.sequence !== height.sequence || payload.round !== round)
      return 'a round change of something else'
    if (payload.prepared !== undefined && payload.prepared.round >= round)
      return 'a round change from a later round'
  }
  const rounds = roundChanges.flatMap(({ payload }) =>
    payload.prepared === undefined ? [] : [payload.prepared],
  )
  if (rounds.length === 0) return isOwn ? undefined : 'a new block by somebody else'
  const highest = rounds.reduce((best, prepared) => (prepared.round > best.round ? prepared : best))
  const isSame = [highest.round, 0].some(carried =>
    equalBytes(proposalDigest(withRound(block, carried)), highest.digest),
  )
  if (!isSame) return `not the block that was prepared in round ${highest.round}`
  return faultInPrepares(height, prepares, highest.round, highest.digest)
}
