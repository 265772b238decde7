import { describe, expect, test } from 'bun:test'
import { withRound } from '../../../../core/qbft/codec/roundOfBlock.ts'
import type { Key } from '../../chain/support/keys.ts'
import { givenNode, receiveCommits, receivePrepares, receiveProposal } from '../support/given.ts'
import { certificate, preparesOf, proposal, roundChange, roundChangesOf } from '../support/messages.ts'
import { dropsIn, importsIn, kindsIn, messageIn, roundsIn } from '../support/step.ts'

/** Five validators in round 0; P proposes in it, NP0 in round 1, NP1 in round 2, the node in round 4. */
const given = () => {
  const network = givenNode(5, 4)
  const [P, NP0, NP1, NP2] = network.peers as [Key, Key, Key, Key]
  network.node.blockTimer()
  return { ...network, P, NP0, NP1, NP2, made: network.block(P) }
}

describe('given a proposal of round 1', () => {
  test('when it has five unprepared round changes, then the round begins and it is prepared', () => {
    const { node, NP0, keys, block } = given()
    const step = node.receive(
      NP0,
      proposal(NP0, block(NP0, { round: 1 }), { roundChanges: roundChangesOf(keys, 1) }),
    )
    expect([roundsIn(step), kindsIn(step)]).toEqual([[1], ['prepare']])
    expect(messageIn(step, 'prepare').signed.payload.round).toBe(1)
  })

  test('when its author does not propose in that round, then it is ignored', () => {
    const { node, NP1, keys, block } = given()
    const step = node.receive(
      NP1,
      proposal(NP1, block(NP1, { round: 1 }), { roundChanges: roundChangesOf(keys, 1) }),
    )
    expect([roundsIn(step), kindsIn(step), dropsIn(step)]).toEqual([[], [], ['not-the-proposer']])
  })

  /** NP0 proposes the block of round 0 again. */
  const again = (prepareKeys: (keys: readonly Key[]) => ReturnType<typeof preparesOf>) => {
    const network = given()
    const { keys, made, NP0, node } = network
    const roundChanges = roundChangesOf(keys, 1, certificate(keys, made))
    return node.receive(NP0, proposal(NP0, withRound(made, 1), { roundChanges, prepares: prepareKeys(keys) }))
  }
  const { made } = given()

  test('when it has the block prepared in round 0 with its prepares, then it is prepared', () => {
    const step = again(keys => preparesOf(keys, made))
    expect([roundsIn(step), kindsIn(step)]).toEqual([[1], ['prepare']])
  })

  test('when it has too few prepares, then it is ignored', () => {
    const step = again(keys => preparesOf(keys.slice(0, 2), made))
    expect([roundsIn(step), kindsIn(step), dropsIn(step)]).toEqual([[], [], ['unjustified']])
  })

  test('when one prepare is of another round, then it is ignored', () => {
    const step = again(keys => [
      ...preparesOf(keys.slice(0, 3), made),
      ...preparesOf(keys.slice(3, 4), withRound(made, 1)),
    ])
    expect([roundsIn(step), kindsIn(step), dropsIn(step)]).toEqual([[], [], ['unjustified']])
  })

  test('when the round is 2, then it is ignored', () => {
    const { node, NP0, peers, keys, block } = given()
    for (const key of peers) node.receive(key, roundChange(key, 2))
    expect(node.state.height?.round?.round).toBe(2)
    const step = node.receive(
      NP0,
      proposal(NP0, block(NP0, { round: 1 }), { roundChanges: roundChangesOf(keys, 1) }),
    )
    expect([kindsIn(step), dropsIn(step)]).toEqual([[], ['past-round']])
  })

  test('when it comes again, then the round goes on', () => {
    const { node, P, NP0, NP1, keys, block } = given()
    const later = block(NP0, { round: 1 })
    // With other round changes it is another message, which the filter of duplicates accepts.
    const first = proposal(NP0, later, { roundChanges: roundChangesOf(keys, 1) })
    const second = proposal(NP0, later, { roundChanges: roundChangesOf(keys.slice(1), 1) })
    node.receive(NP0, first)
    receivePrepares(node, [NP0], later)
    expect(dropsIn(node.receive(NP0, first))).toEqual(['duplicate'])
    expect(dropsIn(node.receive(NP0, second))).toEqual(['superseded'])
    expect(kindsIn(receivePrepares(node, [P], later))).toEqual([])
    expect(kindsIn(receivePrepares(node, [NP1], later))).toEqual(['commit'])
  })
})

test('given votes for rounds 5 and 6, when the proposal of round 5 comes, then only those of round 5 count', () => {
  const { node, P, NP0, NP1, NP2, keys, block } = given()
  const fifth = block(P, { round: 5 })
  const sixth = block(NP0, { round: 6 })
  receivePrepares(node, [NP0, NP1], fifth)
  receiveCommits(node, [NP0, NP1], fifth)
  receivePrepares(node, [NP2], sixth)
  receiveCommits(node, [NP2], sixth)
  const step = node.receive(P, proposal(P, fifth, { roundChanges: roundChangesOf(keys, 5) }))
  expect([roundsIn(step), kindsIn(step)]).toEqual([[5], ['prepare']])
  expect(kindsIn(receivePrepares(node, [NP2], fifth))).toEqual(['commit'])
  expect(importsIn(receiveCommits(node, [NP2], fifth)).length).toBe(1)
})

test('given a jump to round 5, when commits of round 0 come, then they complete nothing', () => {
  const { node, P, NP0, NP1, NP2, keys, made, block } = given()
  receiveProposal(node, P, made)
  receivePrepares(node, [P, NP0, NP1], made)
  receiveCommits(node, [NP0], made)
  const fifth = block(P, { round: 5 })
  node.receive(P, proposal(P, fifth, { roundChanges: roundChangesOf(keys, 5) }))
  expect(node.state.height?.round?.round).toBe(5)
  const step = receiveCommits(node, [NP1, NP2], made)
  expect([importsIn(step), dropsIn(step)]).toEqual([[], ['past-round', 'past-round']])
})
