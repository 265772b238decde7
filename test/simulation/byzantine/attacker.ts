import { type Address, equalBytes } from '../../../core/bytes/bytes.ts'
import type { Block } from '../../../core/block/block.ts'
import { sealOfSignature, type Seal } from '../../../core/block/codec/seal.ts'
import { sign } from '../../../core/crypto/crypto.ts'
import { encodeCommitPayload } from '../../../core/qbft/codec/commit.ts'
import { encodeMessage } from '../../../core/qbft/codec/message.ts'
import { encodePreparePayload } from '../../../core/qbft/codec/prepare.ts'
import { encodeProposalPayloadSteps } from '../../../core/qbft/codec/proposal.ts'
import { runSteps } from '../../../core/steps.ts'
import { proposalDigest, withRound } from '../../../core/qbft/codec/roundOfBlock.ts'
import { encodeRoundChangePayload } from '../../../core/qbft/codec/roundChange.ts'
import {
  type CommitMessage,
  type PreparedCertificate,
  type PreparedMetadata,
  type PrepareMessage,
  type ProposalMessage,
  QBFT_CODES,
  type QbftMessage,
  type RoundChangeMessage,
  type RoundIdentifier,
  type WireMessage,
} from '../../../core/qbft/message.ts'
import { signPayload } from '../../support/signPayload.ts'
import { makeBlock } from '../chain/making.ts'
import type { Node } from '../node/node.ts'
import type { Outlet } from '../node/outlet.ts'
import type { Random } from '../random.ts'
import type { World } from '../world.ts'

/**
 * A Byzantine validator. Below it the honest machine runs and wants to send what an honest one would; what the attacker
 * makes of that, and of what comes in, is its own affair. It forges no signature but gives any with its own key.
 */
export type Attacker = {
  readonly world: World
  readonly node: Node
  readonly random: Random
  /** What an honest node would do. */
  readonly plain: Outlet
  readonly sign: (digest: Uint8Array) => Seal
}

export type Attack = (attacker: Attacker) => Outlet

export const attackerOf = (world: World, node: Node, plain: Outlet): Attacker => ({
  world,
  node,
  random: node.random.fork('attack'),
  plain,
  sign: digest => sealOfSignature(sign(digest, node.identity.privateKey)),
})

const DIALECT = 'legacy'

export const wireOf = (message: QbftMessage): WireMessage => encodeMessage(message, DIALECT)

/** To those who govern the height that the attacker is at, without itself. */
export const othersOf = ({ node }: Attacker): readonly Address[] => {
  const { chain } = node.disk
  return chain
    .validators(chain.head().header.number + 1n)
    .filter(address => !equalBytes(address, node.address))
}

export const sendTo = ({ world, node }: Attacker, to: readonly Address[], message: QbftMessage): void => {
  const wire = wireOf(message)
  for (const address of to) world.network.send(node, address, wire)
}

export const prepareOf = (
  { sign: signer }: Attacker,
  payload: RoundIdentifier & { readonly digest: Uint8Array },
): PrepareMessage => ({
  kind: 'prepare',
  signed: signPayload(QBFT_CODES.prepare, payload, encodePreparePayload(payload), signer),
})

/** `sealed` is what the seal is made over: an honest validator's is over the block with the round. */
export const commitOf = (
  { sign: signer }: Attacker,
  { sequence, round }: RoundIdentifier,
  block: Block,
  sealed: Uint8Array = proposalDigest(withRound(block, round)),
): CommitMessage => {
  const payload = { sequence, round, digest: proposalDigest(block), commitSeal: signer(sealed) }
  return {
    kind: 'commit',
    signed: signPayload(QBFT_CODES.commit, payload, encodeCommitPayload(payload), signer),
  }
}

export const proposalOf = (
  { sign: signer }: Attacker,
  { sequence, round }: RoundIdentifier,
  block: Block,
  justification: Pick<ProposalMessage, 'roundChanges' | 'prepares'>,
): ProposalMessage => {
  const payload = { sequence, round, block: withRound(block, round) }
  const bytes = runSteps(encodeProposalPayloadSteps(payload, DIALECT))
  return {
    kind: 'proposal',
    signed: signPayload(QBFT_CODES.proposal, payload, bytes, signer),
    roundChanges: justification.roundChanges,
    prepares: justification.prepares,
  }
}

/** `prepared` is claimed, `proof` sent along. */
export const roundChangeOf = (
  { sign: signer }: Attacker,
  { sequence, round }: RoundIdentifier,
  prepared: PreparedMetadata | undefined,
  proof: Pick<PreparedCertificate, 'block' | 'prepares'> | undefined,
): RoundChangeMessage => {
  const payload = { sequence, round, prepared }
  return {
    kind: 'round-change',
    signed: signPayload(QBFT_CODES['round-change'], payload, encodeRoundChangePayload(payload), signer),
    block: proof?.block,
    prepares: proof?.prepares ?? [],
  }
}

/** Another block than all before on the attacker's head, now and then one that does not stand. */
export const freshBlock = ({ world, node, random }: Attacker, round: number): Block => {
  const { chain } = node.disk
  const now = BigInt(Math.floor(node.clock.nowMs() / 1000))
  const earliest = chain.head().header.timestamp + BigInt(world.settings.blockPeriodSeconds)
  const block = makeBlock(world.genesis, chain, {
    coinbase: node.address,
    round,
    timestamp: (now > earliest ? now : earliest) + BigInt(random.below(2)),
    vote: random.chance(0.1)
      ? { recipient: random.pick(othersOf({ world, node, random } as Attacker)), type: 'drop' }
      : undefined,
    transactions: node.pool.take(),
    vanity: random.bytes(8),
  })
  return random.chance(0.1) ? { ...block, header: { ...block.header, stateRoot: random.bytes(32) } } : block
}

/** Acts by itself every so often while the node is up. */
export const everySoOften = ({ world, node }: Attacker, everyMs: number, act: () => void): void => {
  const again = (): void => {
    if (node.isUp()) act()
    world.scheduler.after(everyMs, again)
  }
  world.scheduler.after(everyMs, again)
}
