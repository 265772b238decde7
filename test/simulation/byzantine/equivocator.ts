import type { Address } from '../../../core/bytes/bytes.ts'
import type { Block } from '../../../core/block/block.ts'
import { decodeMessage } from '../../../core/qbft/codec/message.ts'
import { proposalDigest } from '../../../core/qbft/codec/roundOfBlock.ts'
import { type ProposalMessage, QBFT_CODES, type WireMessage } from '../../../core/qbft/message.ts'
import {
  type Attack,
  type Attacker,
  commitOf,
  freshBlock,
  othersOf,
  prepareOf,
  proposalOf,
  sendTo,
} from './attacker.ts'

/** Proposals of one round it votes for; two by another equivocator among them. */
const VOTED_MAX = 400

const isProposal = ({ code }: WireMessage): boolean => code === QBFT_CODES.proposal

/** Prepares and commits the block, for these alone. */
const voteFor = (attacker: Attacker, { signed }: ProposalMessage, to: readonly Address[]): void => {
  const { sequence, round, block } = signed.payload
  const digest = proposalDigest(block)
  sendTo(attacker, to, prepareOf(attacker, { sequence, round, digest }))
  sendTo(attacker, to, commitOf(attacker, { sequence, round }, block))
}

/**
 * Proposes one block to some and another one to the others, and votes at once for every proposal it sees, whoever made it:
 * two equivocators further one another's.
 */
export const equivocator: Attack = attacker => {
  const { plain, random } = attacker
  const voted = new Set<string>()
  /** Its latest two. */
  let proposals: readonly ProposalMessage[] = []

  const proposeTwo = (message: ProposalMessage, to: readonly Address[]): void => {
    const { sequence, round } = message.signed.payload
    const other: Block = freshBlock(attacker, round)
    const second = proposalOf(attacker, { sequence, round }, other, message)
    proposals = [message, second]
    const mixed = random.shuffled(to)
    const half = random.between(1, mixed.length)
    const [these, those] = [mixed.slice(0, half), mixed.slice(half)]
    sendTo(attacker, these, message)
    sendTo(attacker, those, second)
    const both = random.chance(0.3) ? to : undefined
    voteFor(attacker, message, both ?? these)
    voteFor(attacker, second, both ?? those)
  }

  const hear = (message: WireMessage): void => {
    const key = message.data.subarray(-40).toString()
    if (voted.has(key) || voted.size > VOTED_MAX) return
    voted.add(key)
    try {
      const decoded = decodeMessage(message.code, message.data)
      if (decoded.kind !== 'proposal') return
      const to = random.shuffled(othersOf(attacker))
      voteFor(attacker, decoded, to.slice(0, random.between(1, to.length)))
    } catch {
      // Another attacker's rubbish.
    }
  }

  return {
    ...plain,
    send: effect => {
      const { message } = effect
      if (effect.kind === 'relay') return plain.send(effect)
      // Who comes back may have forgotten what it was told before.
      if (effect.kind === 'send')
        return random.shuffled(proposals).forEach(proposal => sendTo(attacker, [effect.to], proposal))
      if (!isProposal(message)) {
        // The vote for its own block was given already, one for others' is given again.
        if (random.chance(0.5)) plain.send(effect)
        return
      }
      const decoded = decodeMessage(message.code, message.data)
      if (decoded.kind === 'proposal') proposeTwo(decoded, effect.to)
    },
    receive: (message, from) => {
      if (isProposal(message)) hear(message)
      plain.receive(message, from)
    },
  }
}
