import { describe, expect, test } from 'bun:test'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import { digestOf, PAST_ROUNDS_MAX } from '../../../core/qbft/actions/evidence.ts'
import { QBFT_CODES, type QbftMessage } from '../../../core/qbft/message.ts'
import type { Key } from '../chain/support/keys.ts'
import { givenNode, receiveProposal } from './support/given.ts'
import { commit, prepare, proposal, roundChange, roundChangesOf, wireOf } from './support/messages.ts'
import type { Node } from './support/node.ts'
import { effectsOf, kindsIn, type Step } from './support/step.ts'

const given = () => {
  const network = givenNode(4, 3)
  const [P, second, third] = network.peers as [Key, Key, Key]
  network.node.blockTimer()
  return {
    ...network,
    P,
    second,
    third,
    made: network.block(P),
    other: network.block(P, { timestamp: 101n }),
  }
}

const evidenceIn = (step: Step) => effectsOf(step, 'evidence').map(({ evidence }) => evidence)

const receiveAll = (node: Node, from: Key, messages: readonly QbftMessage[], via: Key = from): Step =>
  messages.flatMap(message => node.receive(from, message, via))

describe('given two conflicting signatures of one validator', () => {
  const { P, made, other, block } = given()
  const third = block(P, { timestamp: 102n })
  const kinds: readonly (readonly [string, readonly [QbftMessage, QbftMessage, QbftMessage]])[] = [
    ['proposals', [proposal(P, made), proposal(P, other), proposal(P, third)]],
    ['prepares', [prepare(P, made), prepare(P, other), prepare(P, third)]],
    ['commits', [commit(P, made), commit(P, other), commit(P, third)]],
  ]

  describe.each(kinds)('given %s', (_, [first, second, last]) => {
    const evidence = {
      author: P.address,
      sequence: 1n,
      round: 0,
      first: wireOf(first),
      second: wireOf(second),
    }

    test('when both come, then the first two are the evidence', () => {
      expect(evidenceIn(receiveAll(given().node, P, [first, second, last]))).toEqual([evidence])
    })

    test('when another validator sends them, then they are evidence', () => {
      const { node, second: messenger } = given()
      expect(evidenceIn(receiveAll(node, P, [first, second], messenger))).toEqual([evidence])
    })

    test('when only one comes, then there is none', () => {
      expect(evidenceIn(receiveAll(given().node, P, [first]))).toEqual([])
    })
  })

  test('when kinds differ, then each counts by itself', () => {
    const all = kinds.flatMap(([, [first, second]]) => [first, second])
    expect(evidenceIn(receiveAll(given().node, P, all)).length).toBe(3)
  })

  test('when authors differ, then each counts by itself', () => {
    const { node, second, third: another } = given()
    const step = [second, another].flatMap(key =>
      receiveAll(node, key, [prepare(key, made), prepare(key, other)]),
    )
    expect(evidenceIn(step).map(({ author }) => author)).toEqual([second.address, another.address])
  })
})

describe('given messages before their round', () => {
  test('when they are votes before the first round, then conflicts are evidence', () => {
    const network = givenNode(4, 3)
    const { node, peers, block } = network
    const [P, second] = peers as [Key, Key]
    node.receive(second, prepare(second, block(P)))
    node.blockTimer()
    const step = node.receive(second, prepare(second, block(P, { timestamp: 101n })))
    expect(evidenceIn(step).map(({ author, round }) => [author, round])).toEqual([[second.address, 0]])
  })

  test('when they are votes of a later round, then conflicts are evidence', () => {
    const { node, second, third, peers, block } = given()
    const later = block(second, { round: 1 })
    node.receive(third, commit(third, later))
    node.receive(second, proposal(second, later, { roundChanges: roundChangesOf(peers, 1) }))
    const step = node.receive(third, commit(third, block(second, { round: 1, timestamp: 101n })))
    expect(evidenceIn(step)).toEqual([
      {
        author: third.address,
        sequence: 1n,
        round: 1,
        first: wireOf(commit(third, later)),
        second: wireOf(commit(third, block(second, { round: 1, timestamp: 101n }))),
      },
    ])
  })
})

describe('given a second signature that comes late', () => {
  /** In round 1, by the round changes of all others; round 0 is past. */
  const inRoundOne = () => {
    const network = given()
    const { node, peers } = network
    for (const key of peers) node.receive(key, roundChange(key, 1))
    expect(node.state.height?.round?.round).toBe(1)
    return network
  }

  const authorsOf = (step: Step) => evidenceIn(step).map(({ author, round }) => [author, round])

  test('when the first one was used in a past round, then it is evidence', () => {
    const network = given()
    const { node, P, second, peers, made, other } = network
    receiveAll(node, second, [prepare(second, made)])
    receiveAll(node, P, [proposal(P, made)])
    for (const key of peers) node.receive(key, roundChange(key, 1))
    expect(authorsOf(node.receive(second, prepare(second, other)))).toEqual([[second.address, 0]])
    expect(authorsOf(node.receive(P, proposal(P, other)))).toEqual([[P.address, 0]])
  })

  test('when both come late in a past round, then it is evidence', () => {
    const { node, P, second, made, other } = inRoundOne()
    expect(authorsOf(receiveAll(node, second, [commit(second, made), commit(second, other)]))).toEqual([
      [second.address, 0],
    ])
    expect(authorsOf(receiveAll(node, P, [proposal(P, made), proposal(P, other)]))).toEqual([[P.address, 0]])
  })

  test('when this validator itself signed it, then its record was not the newest', () => {
    const { node, P, made, other } = inRoundOne()
    const step = receiveAll(node, node.key, [prepare(node.key, made), prepare(node.key, other)], P)
    expect(authorsOf(step)).toEqual([[node.key.address, 0]])
  })

  test('when the round is too far back to be remembered, then there is none', () => {
    const { node, second, peers, made, other } = given()
    for (const key of peers) node.receive(key, roundChange(key, PAST_ROUNDS_MAX + 1))
    expect(authorsOf(receiveAll(node, second, [prepare(second, made), prepare(second, other)]))).toEqual([])
    expect(node.state.height?.pastSignatures.size).toBe(0)
  })
})

describe('given the signatures of an honest validator', () => {
  test('when they are one in each of two rounds, then there is no evidence', () => {
    const { node, second, peers, made, block } = given()
    const later = block(second, { round: 1 })
    node.receive(second, prepare(second, made))
    node.receive(second, proposal(second, later, { roundChanges: roundChangesOf(peers, 1) }))
    expect(evidenceIn(node.receive(second, prepare(second, later)))).toEqual([])
  })

  test('when they are two round changes, then there is none: the author may have been prepared in between', () => {
    const { node, second } = given()
    expect(evidenceIn(receiveAll(node, second, [roundChange(second, 1), roundChange(second, 2)]))).toEqual([])
  })

  test('when they are one proposal with two justifications, then there is none', () => {
    const { node, second, keys, block } = given()
    const later = block(second, { round: 1 })
    const step = receiveAll(node, second, [
      proposal(second, later, { roundChanges: roundChangesOf(keys, 1) }),
      proposal(second, later, { roundChanges: roundChangesOf(keys.slice(1), 1) }),
    ])
    expect(evidenceIn(step)).toEqual([])
  })
})

describe('given a second node with the same key', () => {
  test('when it signs something else after this one, then it is evidence against the own address', () => {
    const { node, P, made, other } = given()
    receiveProposal(node, P, made)
    const step = node.receive(node.key, prepare(node.key, other), P)
    expect(evidenceIn(step)).toEqual([
      {
        author: node.key.address,
        sequence: 1n,
        round: 0,
        first: wireOf(prepare(node.key, made)),
        second: wireOf(prepare(node.key, other)),
      },
    ])
  })

  test('when it signs something else before this one, then this one signs nothing else in that round', () => {
    const { node, P, made, other } = given()
    node.receive(node.key, prepare(node.key, other), P)
    const step = receiveProposal(node, P, made)
    expect([evidenceIn(step), kindsIn(step)]).toEqual([[], []])
    expect(node.record).toMatchObject({ round: 0, prepared: digestOf(prepare(node.key, other)) })
  })

  test('when it votes, then its votes make no quorum', () => {
    const { node, P, second, made } = given()
    node.receive(node.key, prepare(node.key, made), P)
    node.receive(node.key, commit(node.key, made), P)
    receiveProposal(node, P, made)
    // With this validator's prepare, this is the second of three.
    expect(kindsIn(node.receive(second, prepare(second, made)))).toEqual([])
    expect(node.state.height?.round?.commits.size).toBe(0)
  })

  test('when own messages come back, then they are no evidence', () => {
    const { node, P, made } = given()
    receiveProposal(node, P, made)
    expect(evidenceIn(node.receive(node.key, prepare(node.key, made), P))).toEqual([])
  })
})

test('given evidence, when it is checked, then both messages are the author’s, with different values of one round', () => {
  const { node, P, made, other } = given()
  const [evidence] = evidenceIn(receiveAll(node, P, [prepare(P, made), prepare(P, other)]))
  expect(evidence?.first.code).toBe(QBFT_CODES.prepare)
  expect(keccak256(evidence?.first.data as Uint8Array)).not.toEqual(
    keccak256(evidence?.second.data as Uint8Array),
  )
})
