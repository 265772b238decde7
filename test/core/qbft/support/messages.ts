import type { Hash } from '../../../../core/bytes/bytes.ts'
import type { Block } from '../../../../core/block/block.ts'
import { encodeCommitPayload } from '../../../../core/qbft/codec/commit.ts'
import { encodeMessage } from '../../../../core/qbft/codec/message.ts'
import { proposalDigest, withRound } from '../../../../core/qbft/codec/roundOfBlock.ts'
import {
  type CommitMessage,
  type PreparedCertificate,
  type PrepareMessage,
  type ProposalMessage,
  QBFT_CODES,
  type QbftMessage,
  type RoundChangeMessage,
  type SignedPrepare,
  type SignedRoundChange,
  type WireMessage,
} from '../../../../core/qbft/message.ts'
import { signPayload } from '../../../support/signPayload.ts'
import type { Key } from '../../chain/support/keys.ts'
import { prepareBy, proposalBy, signedRoundChangeBy } from '../codec/messages.ts'
import { roundOf } from './blocks.ts'
import { signWith } from './keys.ts'

export const wireOf = (message: QbftMessage): WireMessage => encodeMessage(message, 'legacy')

/** The justification of a proposal above round 0. */
export type Justification = {
  readonly roundChanges?: readonly SignedRoundChange[]
  readonly prepares?: readonly SignedPrepare[]
}

/** The block with its round. */
export const proposal = (
  key: Key,
  block: Block,
  { roundChanges = [], prepares = [] }: Justification = {},
): ProposalMessage =>
  proposalBy(key, roundOf(block), block, { sequence: block.header.number, roundChanges, prepares })

export const prepare = (
  key: Key,
  block: Block,
  { round = roundOf(block), digest = proposalDigest(block) }: { round?: number; digest?: Hash } = {},
): PrepareMessage => ({
  kind: 'prepare',
  signed: prepareBy(key, { sequence: block.header.number, round, digest }),
})

export type CommitOptions = {
  readonly round?: number
  readonly digest?: Hash
  /** The header that the seal covers. */
  readonly sealed?: Hash
}

export const commit = (
  key: Key,
  block: Block,
  {
    round = roundOf(block),
    digest = proposalDigest(block),
    sealed = proposalDigest(withRound(block, round)),
  }: CommitOptions = {},
): CommitMessage => {
  const payload = { sequence: block.header.number, round, digest, commitSeal: signWith(key)(sealed) }
  return {
    kind: 'commit',
    signed: signPayload(QBFT_CODES.commit, payload, encodeCommitPayload(payload), signWith(key)),
  }
}

export const preparesOf = (keys: readonly Key[], block: Block): readonly SignedPrepare[] =>
  keys.map(key => prepare(key, block).signed)

/** Proves that the keys prepared the block in its round. */
export const certificate = (keys: readonly Key[], block: Block): PreparedCertificate => ({
  block,
  round: roundOf(block),
  digest: proposalDigest(block),
  prepares: preparesOf(keys, block),
})

export const roundChange = (
  key: Key,
  round: number,
  prepared?: PreparedCertificate,
  sequence = 1n,
): RoundChangeMessage => ({
  kind: 'round-change',
  signed: signedRoundChangeBy(
    key,
    round,
    prepared && { round: prepared.round, digest: prepared.digest },
    sequence,
  ),
  block: prepared?.block,
  prepares: prepared?.prepares ?? [],
})

export const roundChangesOf = (
  keys: readonly Key[],
  round: number,
  prepared?: PreparedCertificate,
): readonly SignedRoundChange[] => keys.map(key => roundChange(key, round, prepared).signed)
