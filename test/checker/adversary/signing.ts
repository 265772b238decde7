import { encodeCommitPayload } from '../../../core/qbft/codec/commit.ts'
import { encodeMessage } from '../../../core/qbft/codec/message.ts'
import { encodePreparePayload } from '../../../core/qbft/codec/prepare.ts'
import { encodeProposalPayloadSteps } from '../../../core/qbft/codec/proposal.ts'
import { proposalDigest, withRound } from '../../../core/qbft/codec/roundOfBlock.ts'
import { encodeRoundChangePayload } from '../../../core/qbft/codec/roundChange.ts'
import type { Block } from '../../../core/block/block.ts'
import {
  type PreparedMetadata,
  QBFT_CODES,
  type QbftMessage,
  type SignedPrepare,
  type SignedProposal,
  type SignedRoundChange,
} from '../../../core/qbft/message.ts'
import { runSteps } from '../../../core/steps.ts'
import { signPayload } from '../../support/signPayload.ts'
import type { Message } from '../world/actions.ts'
import type { Chain } from '../world/chain.ts'
import type { World } from '../world/world.ts'
import type { Knowledge } from './knowledge.ts'

export const blockAt = ({ blocks }: World, chain: Chain, carried: number): Block =>
  withRound(blocks.named(chain) as Block, carried)

export const signPrepare = (
  { world, sequence }: Knowledge,
  author: number,
  round: number,
  block: Block,
): SignedPrepare => {
  const payload = { sequence, round, digest: proposalDigest(block) }
  return signPayload(
    QBFT_CODES.prepare,
    payload,
    encodePreparePayload(payload),
    world.members.signerOf(author),
  )
}

export const signRoundChange = (
  { world, sequence }: Knowledge,
  author: number,
  round: number,
  prepared: PreparedMetadata | undefined,
): SignedRoundChange => {
  const payload = { sequence, round, prepared }
  const bytes = encodeRoundChangePayload(payload)
  return signPayload(QBFT_CODES['round-change'], payload, bytes, world.members.signerOf(author))
}

export const signProposal = (
  { world, sequence }: Knowledge,
  author: number,
  round: number,
  block: Block,
): SignedProposal => {
  const payload = { sequence, round, block }
  const bytes = runSteps(encodeProposalPayloadSteps(payload, 'legacy'))
  return signPayload(QBFT_CODES.proposal, payload, bytes, world.members.signerOf(author))
}

/** A commit whose seal is over the block as the round needs it, or over something else. */
export const signCommit = (
  { world, sequence }: Knowledge,
  author: number,
  round: number,
  block: Block,
  isSealed: boolean,
): QbftMessage => {
  const sign = world.members.signerOf(author)
  const sealed = isSealed ? proposalDigest(withRound(block, round)) : new Uint8Array(32).fill(1)
  const payload = { sequence, round, digest: proposalDigest(block), commitSeal: sign(sealed) }
  return {
    kind: 'commit',
    signed: signPayload(QBFT_CODES.commit, payload, encodeCommitPayload(payload), sign),
  }
}

/** Gives the message its name and number. */
export const named = ({ world, chain }: Knowledge, author: number, message: QbftMessage): Message =>
  world.actions.message(encodeMessage(message, 'legacy'), author, chain)
