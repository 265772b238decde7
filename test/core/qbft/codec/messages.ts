import type { Hash } from '../../../../core/bytes/bytes.ts'
import { fromHex } from '../../../../core/bytes/hex.ts'
import type { Block } from '../../../../core/block/block.ts'
import { decodeHeader } from '../../../../core/block/codec/header.ts'
import { type Seal, sealOfSignature } from '../../../../core/block/codec/seal.ts'
import { sign } from '../../../../core/crypto/crypto.ts'
import { encodeCommitPayload } from '../../../../core/qbft/codec/commit.ts'
import { encodePreparePayload } from '../../../../core/qbft/codec/prepare.ts'
import { encodeProposalPayloadSteps } from '../../../../core/qbft/codec/proposal.ts'
import { runSteps } from '../../../../core/steps.ts'
import { encodeRoundChangePayload } from '../../../../core/qbft/codec/roundChange.ts'
import { proposalDigest, withRound } from '../../../../core/qbft/codec/roundOfBlock.ts'
import {
  type CommitMessage,
  type Dialect,
  type PreparedMetadata,
  type ProposalMessage,
  QBFT_CODES,
  type RoundChangeMessage,
  type SignedPrepare,
  type SignedRoundChange,
} from '../../../../core/qbft/message.ts'
import { signPayload } from '../../../support/signPayload.ts'
import { BLOCK_ONE } from '../../block/codec/qbftVectors.ts'
import { type Key, VALIDATORS } from '../../chain/support/keys.ts'

/** Block 1 by validator 0 in round 0, and by validator 1 in round 1; without seals. */
export const BLOCK: Block = {
  header: decodeHeader(fromHex(BLOCK_ONE.header)),
  transactions: [],
  ommers: [],
  withdrawals: undefined,
}
export const BLOCK_OF_ROUND_ONE: Block = withRound(
  {
    ...BLOCK,
    header: {
      ...BLOCK.header,
      coinbase: VALIDATORS[1].address,
      timestamp: BLOCK_ONE.roundOne.timestamp,
    },
  },
  1,
)
export const DIGEST = proposalDigest(BLOCK)

export const signer =
  (key: Key) =>
  (digest: Hash): Seal =>
    sealOfSignature(sign(digest, key.privateKey))

export const prepareBy = (
  key: Key,
  { sequence = 1n, round = 0, digest = DIGEST }: { sequence?: bigint; round?: number; digest?: Hash } = {},
): SignedPrepare => {
  const payload = { sequence, round, digest }
  return signPayload(QBFT_CODES.prepare, payload, encodePreparePayload(payload), signer(key))
}

/** With the seal of the block in this round. */
export const commitBy = (
  key: Key,
  { block = BLOCK, round = 0, sealer = key }: { block?: Block; round?: number; sealer?: Key } = {},
): CommitMessage => {
  const payload = {
    sequence: 1n,
    round,
    digest: proposalDigest(block),
    commitSeal: signer(sealer)(proposalDigest(withRound(block, round))),
  }
  return {
    kind: 'commit',
    signed: signPayload(QBFT_CODES.commit, payload, encodeCommitPayload(payload), signer(key)),
  }
}

export const signedRoundChangeBy = (
  key: Key,
  round: number,
  prepared?: PreparedMetadata,
  sequence = 1n,
): SignedRoundChange => {
  const payload = { sequence, round, prepared }
  return signPayload(QBFT_CODES['round-change'], payload, encodeRoundChangePayload(payload), signer(key))
}

export const roundChangeBy = (
  key: Key,
  round: number,
  certificate?: PreparedMetadata & { readonly block: Block; readonly prepares: readonly SignedPrepare[] },
): RoundChangeMessage => ({
  kind: 'round-change',
  signed: signedRoundChangeBy(
    key,
    round,
    certificate && { round: certificate.round, digest: certificate.digest },
  ),
  block: certificate?.block,
  prepares: certificate?.prepares ?? [],
})

export const proposalBy = (
  key: Key,
  round: number,
  block: Block,
  {
    sequence = 1n,
    dialect = 'legacy',
    roundChanges = [],
    prepares = [],
  }: {
    sequence?: bigint
    dialect?: Dialect
    roundChanges?: readonly SignedRoundChange[]
    prepares?: readonly SignedPrepare[]
  } = {},
): ProposalMessage => {
  const payload = { sequence, round, block }
  const bytes = runSteps(encodeProposalPayloadSteps(payload, dialect))
  return {
    kind: 'proposal',
    signed: signPayload(QBFT_CODES.proposal, payload, bytes, signer(key)),
    roundChanges,
    prepares,
  }
}
