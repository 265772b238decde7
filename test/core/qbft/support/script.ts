import type { Block } from '../../../../core/block/block.ts'
import { qbftBlockHash } from '../../../../core/block/codec/blockHash.ts'
import { withRound } from '../../../../core/qbft/codec/roundOfBlock.ts'
import type { Input } from '../../../../core/qbft/input.ts'
import type { QbftMessage } from '../../../../core/qbft/message.ts'
import type { Key } from '../../chain/support/keys.ts'
import { makeBlock } from './blocks.ts'
import { addressesOf, at } from './keys.ts'
import { certificate, commit, prepare, proposal, roundChange, roundChangesOf, wireOf } from './messages.ts'

export const message = (from: Key, content: QbftMessage): Input => ({
  kind: 'message',
  message: wireOf(content),
  peer: from.address,
})

export const fired = (kind: 'block' | 'resend' | number, sequence = 1n): Input => ({
  kind: 'timer',
  timer: typeof kind === 'number' ? { kind: 'round', sequence, round: kind } : { kind, sequence },
  transactionsWaiting: true,
})

export const verified = (block: Block): Input => ({
  kind: 'block-verified',
  hash: qbftBlockHash(block.header),
  invalid: undefined,
})

export const built = (block: Block, round: number): Input => ({
  kind: 'block-built',
  sequence: block.header.number,
  round,
  block,
})

/** The messages of all validators but one at height 1, honest or not, that could lead that one astray. */
export type Cast = {
  readonly keys: readonly Key[]
  readonly own: Key
  readonly others: readonly Key[]
  /** The `variant`th block of the round's proposer. */
  readonly block: (round: number, variant: number) => Block
  /** A new block in the round, or one prepared earlier proposed again. */
  readonly proposed: (round: number, variant: number, prepared?: Block) => readonly Input[]
  /** A quorum of prepares with this validator's, and one commit: too few to end the height. */
  readonly voted: (block: Block) => readonly Input[]
  /** A quorum of commits. */
  readonly decided: (block: Block) => readonly Input[]
  readonly changed: (round: number, prepared?: Block) => readonly Input[]
}

export const createCast = (keys: readonly Key[], own: Key): Cast => {
  const others = keys.filter(key => key !== own)
  const proposerOf = (round: number): Key => at(keys, round % keys.length)
  const block: Cast['block'] = (round, variant) =>
    makeBlock({
      creator: proposerOf(round).address,
      validators: addressesOf(keys),
      round,
      timestamp: BigInt(100 + 10 * round + variant),
    })
  return {
    keys,
    own,
    others,
    block,
    proposed: (round, variant, prepared) => {
      const content = prepared === undefined ? block(round, variant) : withRound(prepared, round)
      const proof = prepared && certificate(others, prepared)
      const justification =
        round === 0
          ? {}
          : { roundChanges: roundChangesOf(others, round, proof), prepares: proof?.prepares ?? [] }
      const proposer = proposerOf(round)
      return proposer === own
        ? []
        : [message(proposer, proposal(proposer, content, justification)), verified(content)]
    },
    voted: content => [
      ...others.map(key => message(key, prepare(key, content))),
      ...others.slice(0, 1).map(key => message(key, commit(key, content))),
    ],
    decided: content => others.map(key => message(key, commit(key, content))),
    changed: (round, prepared) =>
      others.map(key => message(key, roundChange(key, round, prepared && certificate(others, prepared)))),
  }
}
