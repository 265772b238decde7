import { describe, expect, test } from 'bun:test'
import { qbftBlockHash } from '../../../../core/block/codec/blockHash.ts'
import { proposalDigest, withRound } from '../../../../core/qbft/codec/roundOfBlock.ts'
import type { PreparedCertificate, RoundChangeMessage } from '../../../../core/qbft/message.ts'
import { authorOf } from '../../../../core/qbft/signatures.ts'
import type { Key } from '../../chain/support/keys.ts'
import { roundOf } from '../support/blocks.ts'
import {
  givenNode,
  type GivenOptions,
  receiveCommits,
  receivePrepares,
  receiveProposal,
} from '../support/given.ts'
import { certificate, prepare, proposal, roundChange, roundChangesOf } from '../support/messages.ts'
import { dropsIn, effectsOf, importsIn, kindsIn, messageIn, roundsIn, sentIn } from '../support/step.ts'

/** Five validators with a quorum of four; P proposes in round 0, the node, which is the last one, in round 4. */
const given = (options: GivenOptions = {}) => {
  const network = givenNode(5, 4, options)
  const [P, NP0, NP1, NP2] = network.peers as [Key, Key, Key, Key]
  network.node.blockTimer()
  return { ...network, P, NP0, NP1, NP2, made: network.block(P) }
}

/** Besu's rule, without early round changes. */
const WITHOUT_EARLY: GivenOptions = { environment: { earlyRoundChange: false } }

describe('given the round timer that fires', () => {
  const askedWith = (
    step: ReturnType<ReturnType<typeof given>['node']['roundTimer']>,
  ): RoundChangeMessage => {
    expect(kindsIn(step)).toEqual(['round-change'])
    const message = messageIn(step, 'round-change')
    expect([message.signed.payload.sequence, message.signed.payload.round]).toEqual([1n, 1])
    return message
  }

  test('when nothing was received, then a round change to round 1 goes out without a certificate', () => {
    const { node } = given()
    const message = askedWith(node.roundTimer())
    expect([message.signed.payload.prepared, message.block, message.prepares]).toEqual([
      undefined,
      undefined,
      [],
    ])
  })

  test('when only the proposal came, then it has no certificate', () => {
    const { node, P, made } = given()
    receiveProposal(node, P, made)
    expect(askedWith(node.roundTimer()).block).toBeUndefined()
  })

  test('when half a quorum prepared, then it has no certificate', () => {
    const { node, P, NP0, made } = given()
    receiveProposal(node, P, made)
    receivePrepares(node, [NP0], made)
    expect(askedWith(node.roundTimer()).block).toBeUndefined()
  })

  test('when a quorum prepared, then it has the certificate of round 0, the own prepare first', () => {
    const { node, P, NP0, NP1, made } = given()
    receiveProposal(node, P, made)
    receivePrepares(node, [P, NP0, NP1], made)
    const message = askedWith(node.roundTimer())
    expect(message.signed.payload.prepared).toEqual({ round: 0, digest: proposalDigest(made) })
    expect(message.block).toEqual(made)
    expect(message.prepares.map(signed => authorOf(0x13, signed))).toEqual(
      [node.key, P, NP0, NP1].map(({ address }) => address),
    )
  })
})

describe('given the node proposes in round 4', () => {
  test('when a quorum of round changes is unprepared, then it proposes a new block of this second, with them in order', () => {
    const { node, P, NP0, NP1, NP2 } = given(WITHOUT_EARLY)
    const steps = [NP0, NP1, NP2, P].map(key => node.receive(key, roundChange(key, 4)))
    expect(steps.map(kindsIn)).toEqual([[], [], [], ['proposal', 'prepare']])
    const { signed, roundChanges, prepares } = messageIn(steps.flat(), 'proposal')
    expect([signed.payload.round, roundOf(signed.payload.block)]).toEqual([4, 4])
    expect(signed.payload.block.header.timestamp).toBe(100n)
    expect(signed.payload.block.header.coinbase).toEqual(node.key.address)
    expect(roundChanges).toEqual(roundChangesOf([NP0, NP1, NP2, P], 4))
    expect(prepares).toEqual([])
  })

  test('when round changes are early, then the own one is sent after two, and counts', () => {
    const { node, NP0, NP1, NP2 } = given()
    const steps = [NP0, NP1, NP2].map(key => node.receive(key, roundChange(key, 4)))
    expect(steps.map(kindsIn)).toEqual([[], ['round-change'], ['proposal', 'prepare']])
    expect(messageIn(steps.flat(), 'proposal').roundChanges).toEqual(
      roundChangesOf([NP0, NP1, node.key, NP2], 4),
    )
  })

  /** Two were prepared in round 1, P in round 2, each with another block. */
  const prepared = ({ peers, block, P, NP0, NP1 }: ReturnType<typeof given>) => {
    const first = certificate(peers, block(NP0, { round: 1 }))
    const second = certificate(peers, block(NP1, { round: 2, timestamp: 103n }))
    return { first, second, P, NP1 }
  }

  test('when a block was prepared, then that of the highest round is proposed again, with its creator and prepares', () => {
    const network = given(WITHOUT_EARLY)
    const { node, P, NP0, NP1, NP2 } = network
    const { first, second } = prepared(network)
    const certificates = new Map<Key, PreparedCertificate>([
      [NP1, first],
      [NP2, first],
      [P, second],
    ])
    const step = [NP0, NP1, NP2, P].flatMap(key =>
      node.receive(key, roundChange(key, 4, certificates.get(key))),
    )
    const { signed, prepares } = messageIn(step, 'proposal')
    expect(signed.payload.block).toEqual(withRound(second.block, 4))
    expect(signed.payload.block.header.coinbase).toEqual(NP1.address)
    expect(prepares).toEqual(second.prepares)
    // Besu executes the block of each round change; this node executes only the proposed one, once.
    expect(effectsOf(step, 'verify-block').map(({ hash }) => hash)).toEqual([
      qbftBlockHash(second.block.header),
    ])
  })

  test('when the block was verified before, then it is not executed again', () => {
    const { node, peers, P, NP1, NP2, made } = given(WITHOUT_EARLY)
    const before = receiveProposal(node, P, made)
    const after = [P, NP1, NP2].flatMap(key =>
      node.receive(key, roundChange(key, 4, certificate(peers, made))),
    )
    receivePrepares(node, peers, made)
    expect(effectsOf([...before, ...after], 'verify-block').length).toBe(1)
  })

  test('when an author has a second round change to the same round, then it is not used', () => {
    const network = given(WITHOUT_EARLY)
    const { node, P, NP0, NP1, NP2 } = network
    const { second } = prepared(network)
    node.receive(P, roundChange(P, 4, second))
    expect(dropsIn(node.receive(P, roundChange(P, 4)))).toEqual(['superseded'])
    const step = [NP0, NP1, NP2].flatMap(key => node.receive(key, roundChange(key, 4)))
    expect(messageIn(step, 'proposal').signed.payload.block).toEqual(withRound(second.block, 4))
  })

  test('when a certificate has no prepares, then its round change makes no quorum', () => {
    const { node, P, NP0, NP1, NP2, made } = given(WITHOUT_EARLY)
    const step = [NP0, NP1, NP2].flatMap(key => node.receive(key, roundChange(key, 4)))
    const last = node.receive(P, roundChange(P, 4, certificate([], made)))
    expect([...kindsIn(step), ...kindsIn(last)]).toEqual([])
    expect(dropsIn(last)).toEqual(['unjustified'])
  })

  test('when the prepared block has another coinbase, then it is another block, and refused', () => {
    const { node, peers, made } = given()
    const proposer = peers[1] as Key
    const prepares = certificate(peers, made).prepares
    const roundChanges = roundChangesOf(peers, 1, certificate(peers, made))
    const rewritten = { ...made, header: { ...made.header, coinbase: proposer.address } }
    const refused = node.receive(
      proposer,
      proposal(proposer, withRound(rewritten, 1), { roundChanges, prepares }),
    )
    expect([kindsIn(refused), dropsIn(refused)]).toEqual([[], ['wrong-digest']])
    const taken = node.receive(proposer, proposal(proposer, withRound(made, 1), { roundChanges, prepares }))
    expect(kindsIn(taken)).toEqual(['prepare'])
  })
})

describe('given round changes', () => {
  test('when a quorum for round 4 comes after one for round 9, then it has no effect', () => {
    const { node, peers } = given(WITHOUT_EARLY)
    const nine = peers.flatMap(key => node.receive(key, roundChange(key, 9)))
    expect(kindsIn(nine)).toEqual(['proposal', 'prepare'])
    const four = peers.flatMap(key => node.receive(key, roundChange(key, 4)))
    expect([kindsIn(four), roundsIn(four)]).toEqual([[], []])
    expect(node.state.height?.round?.round).toBe(9)
  })

  test('when an author has several, then the highest is kept; in Besu one for each round', () => {
    const { node, NP0 } = given(WITHOUT_EARLY)
    for (const round of [3, 7, 5, 9]) node.receive(NP0, roundChange(NP0, round))
    expect(
      [...(node.state.height?.roundChanges.values() ?? [])].map(({ signed }) => signed.payload.round),
    ).toEqual([9])
  })

  test('when the same one comes four times, then it counts once', () => {
    const { node, NP0 } = given()
    const step = Array.from({ length: 4 }, () => node.receive(NP0, roundChange(NP0, 4))).flat()
    expect([kindsIn(step), roundsIn(step)]).toEqual([[], []])
    expect(dropsIn(step)).toEqual(['duplicate', 'duplicate', 'duplicate'])
  })

  test('when prepares are of an ended round, then they are ignored', () => {
    const { node, P, peers, made } = given()
    receiveProposal(node, P, made)
    node.roundTimer()
    const step = receivePrepares(node, peers, made)
    expect(kindsIn(step)).toEqual([])
    expect(new Set(dropsIn(step))).toEqual(new Set(['past-round']))
  })

  test('when the timer is of another round, then it is ignored', () => {
    const { node } = given()
    expect(node.roundTimer(1)).toEqual([])
  })

  test('when F + 1 are to higher rounds, then the node changes to the lowest of them, optional in Besu', () => {
    const { node, NP0, NP1 } = given()
    expect(kindsIn(node.receive(NP0, roundChange(NP0, 7)))).toEqual([])
    const step = node.receive(NP1, roundChange(NP1, 3))
    expect(roundsIn(step)).toEqual([3])
    expect(effectsOf(step, 'round-started').map(({ reason }) => reason)).toEqual(['early-round-change'])
    expect(messageIn(step, 'round-change').signed.payload.round).toBe(3)
  })

  test('when that is switched off, then only a quorum for one round moves the node, and it sends none', () => {
    const { node, NP0, NP1, NP2, P } = given(WITHOUT_EARLY)
    const few = [NP0, NP1, NP2].flatMap(key => node.receive(key, roundChange(key, 3)))
    expect(roundsIn(few)).toEqual([])
    const step = node.receive(P, roundChange(P, 3))
    expect([roundsIn(step), kindsIn(step)]).toEqual([[3], []])
  })

  test('when votes are for a later round, then they count once for each author when it begins', () => {
    const { node, P, NP0, NP1, NP2, block, peers } = given()
    const later = block(NP0, { round: 1 })
    for (const key of [P, NP1, NP1]) node.receive(key, prepare(key, later))
    node.receive(NP1, prepare(NP1, later, { digest: new Uint8Array(32) }))
    receiveCommits(node, [NP2], later)
    const step = node.receive(NP0, proposal(NP0, later, { roundChanges: roundChangesOf(peers, 1) }))
    // The prepares of this validator, P and NP1 are one short of a quorum.
    expect(kindsIn(step)).toEqual(['prepare'])
    expect(kindsIn(receivePrepares(node, [NP2], later))).toEqual(['commit'])
    expect(importsIn(receiveCommits(node, [P, NP1], later)).length).toBe(1)
  })

  test('when an unjustified proposal of a later round comes, then the round stays', () => {
    const { node, NP0, peers, block } = given()
    const later = block(NP0, { round: 1 })
    const roundChanges = roundChangesOf(peers.slice(0, 3), 1)
    const step = node.receive(NP0, proposal(NP0, later, { roundChanges }))
    expect([roundsIn(step), sentIn(step), dropsIn(step)]).toEqual([[], [], ['unjustified']])
    expect(node.state.height?.round?.round).toBe(0)
  })
})
