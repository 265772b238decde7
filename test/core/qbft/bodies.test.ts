import { describe, expect, test } from 'bun:test'
import type { Block } from '../../../core/block/block.ts'
import { qbftBlockHash } from '../../../core/block/codec/blockHash.ts'
import { withRound } from '../../../core/qbft/codec/roundOfBlock.ts'
import type { Key } from '../chain/support/keys.ts'
import { makeTransfer } from './support/blocks.ts'
import { givenNode, type GivenOptions, receiveCommits, receivePrepares } from './support/given.ts'
import { certificate, preparesOf, proposal, roundChange, roundChangesOf } from './support/messages.ts'
import { WAIT } from './support/node.ts'
import { dropsIn, effectsOf, importsIn, kindsIn, messageIn } from './support/step.ts'

// Signatures and hashes cover headers. A body of another header must neither make a node consider the header invalid nor be
// forwarded under its hash: otherwise one validator could keep the others from proposing the block they are locked on.

const TRANSACTIONS = [makeTransfer(0), makeTransfer(1)]
const OTHER_TRANSACTIONS = [makeTransfer(0), makeTransfer(2)]

/** As in execution: the body must be the header's. */
const verify = ({ transactions }: Block): string | undefined =>
  transactions.length === 2 && transactions[1]?.nonce === 1n ? undefined : 'transactions-root'

const given = (own: number, options: GivenOptions = {}) => {
  const network = givenNode(4, own, { verify, ...options })
  network.node.blockTimer()
  const proposer = network.keys[0] as Key
  const made = network.block(proposer, { transactions: TRANSACTIONS })
  return { ...network, proposer, made, swapped: { ...made, transactions: OTHER_TRANSACTIONS } }
}

test('given a round change whose block has another body, when it comes, then it is dropped, and the others’ block is proposed again', () => {
  const { node, peers, made, swapped } = given(1, { environment: { earlyRoundChange: false } })
  const [liar, second, third] = peers as [Key, Key, Key]
  const lie = node.receive(liar, roundChange(liar, 1, certificate(peers, swapped)))
  expect(dropsIn(lie)).toEqual(['invalid-block'])
  const honest = [second, third, liar].flatMap(key =>
    node.receive(key, roundChange(key, 1, certificate(peers, made))),
  )
  expect(messageIn(honest, 'proposal').signed.payload.block).toEqual(withRound(made, 1))
})

/** The second validator proposes the block prepared in round 0 again in round 1. */
const proposedAgain = ({ keys }: ReturnType<typeof given>, block: Block) => {
  const second = keys[1] as Key
  return [
    second,
    proposal(second, withRound(block, 1), {
      roundChanges: roundChangesOf(keys, 1, certificate(keys, block)),
      prepares: preparesOf(keys, block),
    }),
  ] as const
}

describe('given a proposal with another body', () => {
  test('when it was found invalid, then a block with this header and another body is still verified', () => {
    const network = given(3)
    const { node, proposer, made, swapped } = network
    expect(dropsIn(node.receive(proposer, proposal(proposer, swapped)))).toEqual(['invalid-block'])
    expect(kindsIn(node.receive(...proposedAgain(network, made)))).toEqual(['prepare'])
  })

  test('when its verdict comes while the right one is proposed, then that does not count for the right one', () => {
    const network = given(3, { verify: () => WAIT })
    const { node, proposer, made, swapped } = network
    node.receive(proposer, proposal(proposer, swapped))
    expect(kindsIn(node.receive(...proposedAgain(network, made)))).toEqual([])
    const step = node.verified(swapped, 'transactions-root')
    expect([kindsIn(step), effectsOf(step, 'verify-block').map(({ block }) => block)]).toEqual([
      [],
      [withRound(made, 1)],
    ])
    expect(kindsIn(node.verified(made))).toEqual(['prepare'])
  })

  test('when the right one is valid, then this one is not accepted', () => {
    const network = given(3)
    const { node, proposer, made, swapped } = network
    node.receive(proposer, proposal(proposer, made))
    const step = node.receive(...proposedAgain(network, swapped))
    expect([kindsIn(step), dropsIn(step)]).toEqual([[], ['invalid-block']])
  })
})

test('given a block with an invalid header, when it is proposed often, then it is verified once', () => {
  const network = given(3, { verify: () => 'gas-limit' })
  const { node, proposer, made } = network
  const steps = [
    node.receive(proposer, proposal(proposer, made)),
    node.receive(...proposedAgain(network, made)),
  ]
  expect(steps.map(dropsIn)).toEqual([['invalid-block'], ['invalid-block']])
  expect(steps.flatMap(step => effectsOf(step, 'verify-block')).length).toBe(1)
})

test('given a block, when it comes in several rounds, then it is verified once for its hash; Besu executes it twice', () => {
  const network = given(3)
  const { node, proposer, peers, made } = network
  const step = [
    ...node.receive(proposer, proposal(proposer, made)),
    ...node.receive(...proposedAgain(network, made)),
    ...receivePrepares(node, peers, withRound(made, 1)),
    ...receiveCommits(node, peers, withRound(made, 1)),
  ]
  expect(effectsOf(step, 'verify-block').length).toBe(1)
  expect(importsIn(step).length).toBe(1)
})

describe('given a proposal that is not verified within its round', () => {
  const givenPending = () => {
    const network = given(3, { verify: () => WAIT })
    network.node.receive(network.proposer, proposal(network.proposer, network.made))
    return {
      ...network,
      unverified: () =>
        network.node.step({ kind: 'block-unverified', hash: qbftBlockHash(network.made.header) }),
    }
  }
  const verifications = (step: Parameters<typeof effectsOf>[0]): number =>
    effectsOf(step, 'verify-block').length

  test('when that round runs, then it is neither refused nor accepted, nor verified again', () => {
    const { unverified } = givenPending()
    const step = unverified()
    expect([kindsIn(step), dropsIn(step), verifications(step)]).toEqual([[], [], 0])
  })

  test('when it is proposed in the next round, then it is verified again', () => {
    const network = givenPending()
    network.unverified()
    expect(verifications(network.node.receive(...proposedAgain(network, network.made)))).toBe(1)
    expect(kindsIn(network.node.verified(network.made))).toEqual(['prepare'])
  })

  test('when it was already proposed in the next round, then it is verified again', () => {
    const network = givenPending()
    expect(verifications(network.node.receive(...proposedAgain(network, network.made)))).toBe(0)
    expect(verifications(network.unverified())).toBe(1)
    expect(kindsIn(network.node.verified(network.made))).toEqual(['prepare'])
  })
})
