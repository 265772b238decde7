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

/** Five validators, a quorum is four; P proposes in round 0, the node, the last one, in round 4. */
const given = (options: GivenOptions = {}) => {
  const network = givenNode(5, 4, options)
  const [P, NP0, NP1, NP2] = network.peers as [Key, Key, Key, Key]
  network.node.blockTimer()
  return { ...network, P, NP0, NP1, NP2, made: network.block(P) }
}

/** Besu's rule, which has no early round change. */
const WITHOUT_EARLY: GivenOptions = { environment: { earlyRoundChange: false } }

describe('the round timer fires', () => {
  const askedWith = (
    step: ReturnType<ReturnType<typeof given>['node']['roundTimer']>,
  ): RoundChangeMessage => {
    expect(kindsIn(step)).toEqual(['round-change'])
    const message = messageIn(step, 'round-change')
    expect([message.signed.payload.sequence, message.signed.payload.round]).toEqual([1n, 1])
    return message
  }

  test('nothing was heard: a round change to round 1 without a certificate', () => {
    const { node } = given()
    const message = askedWith(node.roundTimer())
    expect([message.signed.payload.prepared, message.block, message.prepares]).toEqual([
      undefined,
      undefined,
      [],
    ])
  })

  test('only the proposal came: without a certificate', () => {
    const { node, P, made } = given()
    receiveProposal(node, P, made)
    expect(askedWith(node.roundTimer()).block).toBeUndefined()
  })

  test('half a quorum of prepares: without a certificate', () => {
    const { node, P, NP0, made } = given()
    receiveProposal(node, P, made)
    receivePrepares(node, [NP0], made)
    expect(askedWith(node.roundTimer()).block).toBeUndefined()
  })

  test('a quorum of prepares: with the certificate of round 0, the own prepare first', () => {
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

describe('the node proposes in round 4', () => {
  test('a quorum of unprepared round changes: a new block of this second, justified by them as they came', () => {
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

  test('with early round changes, the own one is sent after two and counts', () => {
    const { node, NP0, NP1, NP2 } = given()
    const steps = [NP0, NP1, NP2].map(key => node.receive(key, roundChange(key, 4)))
    expect(steps.map(kindsIn)).toEqual([[], ['round-change'], ['proposal', 'prepare']])
    expect(messageIn(steps.flat(), 'proposal').roundChanges).toEqual(
      roundChangesOf([NP0, NP1, node.key, NP2], 4),
    )
  })

  /** Two were prepared in round 1, P in round 2; each with another block. */
  const prepared = ({ peers, block, P, NP0, NP1 }: ReturnType<typeof given>) => {
    const first = certificate(peers, block(NP0, { round: 1 }))
    const second = certificate(peers, block(NP1, { round: 2, timestamp: 103n }))
    return { first, second, P, NP1 }
  }

  test('the block prepared in the highest round is proposed again, with its creator and its prepares', () => {
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
    // In Besu each block of a round change is executed; here only the one to be proposed, once.
    expect(effectsOf(step, 'verify-block').map(({ hash }) => hash)).toEqual([
      qbftBlockHash(second.block.header),
    ])
  })

  test('a re-proposed block that was verified before is not executed again', () => {
    const { node, peers, P, NP1, NP2, made } = given(WITHOUT_EARLY)
    const before = receiveProposal(node, P, made)
    const after = [P, NP1, NP2].flatMap(key =>
      node.receive(key, roundChange(key, 4, certificate(peers, made))),
    )
    receivePrepares(node, peers, made)
    expect(effectsOf([...before, ...after], 'verify-block').length).toBe(1)
  })

  test('a second round change of an author to the same round is not used', () => {
    const network = given(WITHOUT_EARLY)
    const { node, P, NP0, NP1, NP2 } = network
    const { second } = prepared(network)
    node.receive(P, roundChange(P, 4, second))
    expect(dropsIn(node.receive(P, roundChange(P, 4)))).toEqual(['superseded'])
    const step = [NP0, NP1, NP2].flatMap(key => node.receive(key, roundChange(key, 4)))
    expect(messageIn(step, 'proposal').signed.payload.block).toEqual(withRound(second.block, 4))
  })

  test('a round change whose certificate has no prepares makes no quorum', () => {
    const { node, P, NP0, NP1, NP2, made } = given(WITHOUT_EARLY)
    const step = [NP0, NP1, NP2].flatMap(key => node.receive(key, roundChange(key, 4)))
    const last = node.receive(P, roundChange(P, 4, certificate([], made)))
    expect([...kindsIn(step), ...kindsIn(last)]).toEqual([])
    expect(dropsIn(last)).toEqual(['unjustified'])
  })

  test('the creator of a prepared block stays: with another coinbase it is another block, and refused', () => {
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

describe('round changes', () => {
  test('a quorum for round 4 after one for round 9 is not acted on', () => {
    const { node, peers } = given(WITHOUT_EARLY)
    const nine = peers.flatMap(key => node.receive(key, roundChange(key, 9)))
    expect(kindsIn(nine)).toEqual(['proposal', 'prepare'])
    const four = peers.flatMap(key => node.receive(key, roundChange(key, 4)))
    expect([kindsIn(four), roundsIn(four)]).toEqual([[], []])
    expect(node.state.height?.round?.round).toBe(9)
  })

  test('of each author the round change to the highest round is kept; in Besu one for each round', () => {
    const { node, NP0 } = given(WITHOUT_EARLY)
    for (const round of [3, 7, 5, 9]) node.receive(NP0, roundChange(NP0, round))
    expect(
      [...(node.state.height?.roundChanges.values() ?? [])].map(({ signed }) => signed.payload.round),
    ).toEqual([9])
  })

  test('the same round change four times is one', () => {
    const { node, NP0 } = given()
    const step = Array.from({ length: 4 }, () => node.receive(NP0, roundChange(NP0, 4))).flat()
    expect([kindsIn(step), roundsIn(step)]).toEqual([[], []])
    expect(dropsIn(step)).toEqual(['duplicate', 'duplicate', 'duplicate'])
  })

  test('prepares of a round that ran out are ignored', () => {
    const { node, P, peers, made } = given()
    receiveProposal(node, P, made)
    node.roundTimer()
    const step = receivePrepares(node, peers, made)
    expect(kindsIn(step)).toEqual([])
    expect(new Set(dropsIn(step))).toEqual(new Set(['past-round']))
  })

  test('the timer of another round than the current one is ignored', () => {
    const { node } = given()
    expect(node.roundTimer(1)).toEqual([])
  })

  test('F + 1 round changes to higher rounds: the node changes to the lowest of them, which Besu has to be told to', () => {
    const { node, NP0, NP1 } = given()
    expect(kindsIn(node.receive(NP0, roundChange(NP0, 7)))).toEqual([])
    const step = node.receive(NP1, roundChange(NP1, 3))
    expect(roundsIn(step)).toEqual([3])
    expect(effectsOf(step, 'round-started').map(({ reason }) => reason)).toEqual(['early-round-change'])
    expect(messageIn(step, 'round-change').signed.payload.round).toBe(3)
  })

  test('switched off, only a quorum for one round moves the node, and it sends none of its own', () => {
    const { node, NP0, NP1, NP2, P } = given(WITHOUT_EARLY)
    const few = [NP0, NP1, NP2].flatMap(key => node.receive(key, roundChange(key, 3)))
    expect(roundsIn(few)).toEqual([])
    const step = node.receive(P, roundChange(P, 3))
    expect([roundsIn(step), kindsIn(step)]).toEqual([[3], []])
  })

  test('votes for a later round count when it begins, each author’s once', () => {
    const { node, P, NP0, NP1, NP2, block, peers } = given()
    const later = block(NP0, { round: 1 })
    for (const key of [P, NP1, NP1]) node.receive(key, prepare(key, later))
    node.receive(NP1, prepare(NP1, later, { digest: new Uint8Array(32) }))
    receiveCommits(node, [NP2], later)
    const step = node.receive(NP0, proposal(NP0, later, { roundChanges: roundChangesOf(peers, 1) }))
    // The own prepare and those of P and NP1 are one short of a quorum.
    expect(kindsIn(step)).toEqual(['prepare'])
    expect(kindsIn(receivePrepares(node, [NP2], later))).toEqual(['commit'])
    expect(importsIn(receiveCommits(node, [P, NP1], later)).length).toBe(1)
  })

  test('an unjustified proposal of a later round leaves the round as it is', () => {
    const { node, NP0, peers, block } = given()
    const later = block(NP0, { round: 1 })
    const roundChanges = roundChangesOf(peers.slice(0, 3), 1)
    const step = node.receive(NP0, proposal(NP0, later, { roundChanges }))
    expect([roundsIn(step), sentIn(step), dropsIn(step)]).toEqual([[], [], ['unjustified']])
    expect(node.state.height?.round?.round).toBe(0)
  })
})
