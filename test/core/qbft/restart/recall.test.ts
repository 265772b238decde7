import { describe, expect, test } from 'bun:test'
import {
  encodePosition,
  POSITION_CODES,
  POSITION_REQUEST,
  type Position,
} from '../../../../core/qbft/codec/position.ts'
import { ROUND_MAX } from '../../../../core/qbft/codec/field.ts'
import { newRecall, RECALL_INTERVAL_MS } from '../../../../core/qbft/restart/recall.ts'
import type { RestartRecord } from '../../../../core/qbft/restart/restartRecord.ts'
import type { Key } from '../../chain/support/keys.ts'
import { givenNode, receivePrepares, receiveProposal } from '../support/given.ts'
import { at, networkKeys } from '../support/keys.ts'
import { prepare, roundChange } from '../support/messages.ts'
import { createNode, type Node } from '../support/node.ts'
import { effectsOf, kindsIn, roundsIn, type Step } from '../support/step.ts'

const KEYS = networkKeys(4)

const recordOf = (sequence: bigint, round = 0): RestartRecord => ({
  sequence,
  round,
  proposed: undefined,
  prepared: undefined,
  committed: undefined,
  certificate: undefined,
})

/** A validator that starts at the head; it proposes in round `own`. */
const started = (
  { own = 3, record, head = 5n }: { own?: number; record?: RestartRecord; head?: bigint },
  keys = KEYS,
) => {
  const key = at(keys, own)
  const node = createNode({ keys, own: key, record, recall: newRecall(record?.sequence, false) })
  const first = node.head({ number: head, coinbase: at(keys, -1).address })
  return { node, first, peers: keys.filter(other => other !== key) }
}

const report = (node: Node, peer: Key, position: Position): Step =>
  node.receive(peer, encodePosition(position))

const informsIn = (step: Step) =>
  effectsOf(step, 'inform').map(({ message, to }) => [message.code, to.length])

/** The heights and rounds from which on the validator says that it signs. */
const namedIn = (step: Step) =>
  effectsOf(step, 'recall').flatMap(({ sequence, round }) => (round === undefined ? [] : [[sequence, round]]))

/** The block timer fires, and the validator is in round 0. */
const begun = (options: Parameters<typeof started>[0]) => {
  const all = started(options)
  expect(kindsIn(all.node.blockTimer())).toEqual([])
  return all
}

describe('given a validator that starts and asks the others for their heights', () => {
  test('when no quorum, itself included, has answered, then it signs nothing', () => {
    const { node, first, peers } = started({ record: recordOf(6n) })
    expect(informsIn(first)).toEqual([[POSITION_CODES.request, 3]])
    node.blockTimer()
    expect(kindsIn(report(node, at(peers, 0), { sequence: 6n, round: 0 }))).toEqual([])
    expect(kindsIn(report(node, at(peers, 1), { sequence: 6n, round: 0 }))).toEqual(['round-change'])
  })

  test('when the others send any message, then it does not sign in any round', () => {
    const { node, peers } = begun({})
    const step = [
      ...receiveProposal(node, at(peers, 0), givenNode(4, 3).block(at(peers, 0), { number: 6n })),
      ...node.roundTimer(),
      ...node.resendTimer(),
      ...peers.flatMap(key => node.receive(key, roundChange(key, 3, undefined, 6n))),
      ...node.roundTimer(),
      ...node.connect(at(peers, 0).address),
    ]
    expect(kindsIn(step)).toEqual([])
    expect(effectsOf(step, 'send')).toEqual([])
    expect(effectsOf(step, 'build-block')).toEqual([])
  })

  test('when some have not answered, then it asks all again, and each that connects', () => {
    const { node, peers } = started({})
    report(node, at(peers, 0), { sequence: 6n, round: 0 })
    expect(informsIn(node.connect(at(peers, 1).address))).toEqual([[POSITION_CODES.request, 1]])
    node.nowMs += RECALL_INTERVAL_MS
    const timer = { kind: 'recall', sequence: 6n } as const
    expect(informsIn(node.step({ kind: 'timer', timer, transactionsWaiting: false }))).toEqual([
      [POSITION_CODES.request, 2],
      [POSITION_CODES.request, 1],
    ])
  })

  test('when one has blocks that it lacks, then it waits for them or for the third answer, not for time', () => {
    const { node, peers } = begun({ record: recordOf(6n) })
    report(node, at(peers, 0), { sequence: 1_000n, round: 0 })
    expect(kindsIn(report(node, at(peers, 1), { sequence: 6n, round: 0 }))).toEqual([])
    node.nowMs += 600_000
    const timer = { kind: 'recall', sequence: 6n } as const
    expect(kindsIn(node.step({ kind: 'timer', timer, transactionsWaiting: false }))).toEqual([])
    expect(kindsIn(report(node, at(peers, 2), { sequence: 6n, round: 0 }))).toEqual(['round-change'])
  })

  test('when more than F have blocks that it lacks, then it waits', () => {
    const { node, peers } = begun({ record: recordOf(6n) })
    for (const peer of peers.slice(0, 2)) report(node, peer, { sequence: 8n, round: 0 })
    node.nowMs += 600_000
    const timer = { kind: 'recall', sequence: 6n } as const
    expect(kindsIn(node.step({ kind: 'timer', timer, transactionsWaiting: false }))).toEqual([])
  })

  test('when two of three others also lost their records, then it waits for both', () => {
    const keys = networkKeys(3)
    const { node, peers } = started({ own: 2 }, keys)
    node.blockTimer()
    expect(kindsIn(report(node, at(peers, 0), { sequence: 6n, round: 0 }))).toEqual([])
    expect(kindsIn(report(node, at(peers, 1), { sequence: 6n, round: 0 }))).toEqual(['round-change'])
  })
})

describe('given a restarted validator with a quorum of answers', () => {
  test('when they name a round, then it begins above the highest', () => {
    const { node, peers } = begun({})
    report(node, at(peers, 0), { sequence: 6n, round: 4 })
    expect(roundsIn(report(node, at(peers, 1), { sequence: 6n, round: 3 }))).toEqual([5])
  })

  test('when round changes name rounds of the height, then it begins above the highest', () => {
    const { node, peers } = begun({})
    for (const [index, round] of [1, 2].entries())
      node.receive(at(peers, index), roundChange(at(peers, index), round, undefined, 6n))
    const steps = peers
      .slice(0, 2)
      .map(({ address: peer }) => node.step({ kind: 'position', peer, sequence: 6n }))
    expect(steps.flatMap(roundsIn)).toEqual([3])
  })

  test('when the block timer fires before the round begins, then it begins above the highest', () => {
    const { node, peers } = started({})
    for (const peer of peers) report(node, peer, { sequence: 6n, round: -1 })
    const step = node.blockTimer()
    expect([roundsIn(step), kindsIn(step)]).toEqual([[1], ['round-change']])
  })

  test('when its record has a higher round, then it does not begin lower', () => {
    const { node, peers } = started({ record: recordOf(6n, 7) })
    report(node, at(peers, 0), { sequence: 6n, round: 2 })
    expect(kindsIn(report(node, at(peers, 1), { sequence: 6n, round: 2 }))).toEqual(['round-change'])
    expect(node.state.height?.round?.round).toBe(7)
  })

  test('when F + 1 others ask for a lower round, then it asks for its own', () => {
    const { node, peers } = started({})
    for (const peer of peers) report(node, peer, { sequence: 6n, round: 1 })
    const step = peers.slice(0, 2).flatMap(key => node.receive(key, roundChange(key, 1, undefined, 6n)))
    expect([roundsIn(step), kindsIn(step)]).toEqual([[2], ['round-change']])
  })

  test('when it followed a proposal into a lower round, then it begins after that', () => {
    const { node, peers } = started({})
    for (const peer of peers) report(node, peer, { sequence: 6n, round: 1 })
    receiveProposal(node, at(peers, 0), givenNode(4, 3).block(at(peers, 0), { number: 6n }))
    expect(node.state.height?.round?.round).toBe(0)
    const step = node.roundTimer()
    expect([roundsIn(step), kindsIn(step)]).toEqual([[2], ['round-change']])
  })

  test('when two without a round report and no round change names it, then it signs in the second height', () => {
    const { node, peers } = begun({})
    const steps = peers
      .slice(0, 2)
      .flatMap(({ address: peer }) => node.step({ kind: 'position', peer, sequence: 6n }))
    expect([roundsIn(steps), node.state.height?.floor]).toEqual([[], Number.POSITIVE_INFINITY])
    node.head({ number: 6n })
    expect(node.state.height?.floor).toBe(1)
    node.head({ number: 7n })
    expect(node.state.height?.floor).toBe(0)
  })

  test('when one asks for a round far above all others, then it is ignored, and so is a round above the last', () => {
    const { node, peers } = begun({})
    node.receive(at(peers, 1), roundChange(at(peers, 1), ROUND_MAX, undefined, 6n))
    report(node, at(peers, 0), { sequence: 6n, round: 0 })
    expect(roundsIn(report(node, at(peers, 1), { sequence: 6n, round: 0 }))).toEqual([1])
    const two = started({ own: 1, head: 5n }, networkKeys(2))
    two.node.blockTimer()
    report(two.node, at(two.peers, 0), { sequence: 6n, round: ROUND_MAX })
    expect(two.node.state.height?.floor).toBe(ROUND_MAX)
  })

  test('when it lost its record, then it takes no part in round 0 of the next height', () => {
    const { node, peers } = started({})
    const told = peers.flatMap(peer => namedIn(report(node, peer, { sequence: 6n, round: 0 })))
    expect(told).toEqual([[6n, 1]])
    const next = node.head({ number: 6n })
    expect([node.state.height?.floor, namedIn(next)]).toEqual([1, [[7n, 1]]])
    node.head({ number: 7n })
    expect([node.state.height?.floor, node.state.recall]).toEqual([0, undefined])
  })
})

describe('given a validator that a single other one asks for a later round', () => {
  /** In round 1, which one other requested, too. */
  const inRoundOne = () => {
    const { node, peers } = givenNode(4, 3)
    node.blockTimer()
    node.roundTimer()
    node.receive(at(peers, 1), roundChange(at(peers, 1), 1))
    return {
      node,
      peers,
      asks: (round: number) => node.receive(at(peers, 2), roundChange(at(peers, 2), round)),
    }
  }

  test('when its round has time left, then it stays', () => {
    expect(roundsIn(inRoundOne().asks(2))).toEqual([])
  })

  test('when it stays in its round without a quorum, then it waits there for the others that may be about to come', () => {
    const { node, peers, asks } = inRoundOne()
    expect(roundsIn(node.roundTimer())).toEqual([])
    expect(roundsIn(asks(1_000))).toEqual([])
    expect(roundsIn(node.receive(at(peers, 0), roundChange(at(peers, 0), 1)))).toEqual([])
    expect(node.state.height?.actionedRound).toBe(1)
  })

  test('when none comes, then it follows by one round at its next timeout', () => {
    const { node, asks } = inRoundOne()
    node.roundTimer()
    asks(1_000)
    expect(roundsIn(node.roundTimer())).toEqual([2])
  })
})

describe('given a chain that went on meanwhile', () => {
  /** It received the positions at height 7, and catches up to height 9. */
  const caughtUp = (record: RestartRecord | undefined) => {
    const { node, peers } = started({ own: 0, ...(record === undefined ? {} : { record }) })
    for (const peer of peers) report(node, peer, { sequence: 7n, round: 0 })
    expect(node.state.height?.floor).toBe(Number.POSITIVE_INFINITY)
    node.head({ number: 6n, active: false })
    return { node, peers, step: node.head({ number: 8n, coinbase: at(KEYS, -1).address }) }
  }

  test.each([['its record', recordOf(6n)] as const, ['none', undefined] as const])(
    'when the validator has %s, then it signs from the first round of the second height that it takes part in',
    (_, record) => {
      const { node, step } = caughtUp(record)
      // Who decided block 8 is not known, so that block may be older than the start.
      expect([informsIn(step), kindsIn(node.blockTimer())]).toEqual([[], ['round-change']])
      node.head({ number: 9n, coinbase: at(KEYS, -1).address })
      expect(kindsIn(node.blockTimer())).toEqual(['proposal', 'prepare'])
    },
  )
})

describe('given a start at block 1', () => {
  test('when all validators have neither record nor block, then the network begins at once, in round 1', () => {
    const { node, peers } = started({ own: 1, head: 0n })
    for (const peer of peers) report(node, peer, { sequence: 1n, round: -1 })
    expect(kindsIn(node.blockTimer())).toEqual(['round-change'])
    const steps = peers.flatMap(peer => node.receive(peer, roundChange(peer, 1)))
    expect(effectsOf(steps, 'build-block').length).toBe(1)
    expect(kindsIn(steps)).toEqual(['proposal', 'prepare'])
  })

  test('when the network has one validator, then it continues at once', () => {
    const keys = networkKeys(1)
    const { node, first } = started({ own: 0 }, keys)
    expect(informsIn(first)).toEqual([])
    expect(effectsOf(node.blockTimer(), 'import-block').length).toBe(1)
  })
})

test('given a network without one validator, when it asked all again, then it begins in round 1', () => {
  const { node, peers } = begun({ own: 1, head: 0n })
  for (const peer of peers.slice(0, 2))
    expect(roundsIn(report(node, peer, { sequence: 1n, round: -1 }))).toEqual([])
  const timer = { kind: 'recall', sequence: 1n } as const
  const step = () => node.step({ kind: 'timer', timer, transactionsWaiting: false })
  expect([roundsIn(step()), roundsIn(step())]).toEqual([[], [1]])
})

describe('given a validator that is asked', () => {
  const asked = () => {
    const network = givenNode(4, 3)
    const { node, peers, block } = network
    node.blockTimer()
    const made = block(at(peers, 0))
    receiveProposal(node, at(peers, 0), made)
    receivePrepares(node, peers.slice(1, 2), made)
    node.receive(at(peers, 1), roundChange(at(peers, 1), 2))
    return { ...network, made }
  }

  test('when it answers, then it sends the requester’s signed messages, unchanged, and its height', () => {
    const { node, peers, made } = asked()
    const asker = at(peers, 1)
    const told = effectsOf(node.receive(asker, POSITION_REQUEST), 'inform')
    expect(told.map(({ to }) => to)).toEqual([[asker.address], [asker.address], [asker.address]])
    expect(told.map(({ message }) => message.code)).toEqual([0x13, 0x15, POSITION_CODES.position])
    expect(told.at(-1)?.message).toEqual(encodePosition({ sequence: 1n, round: 0 }))
    // A validator that lost its record is bound by it.
    const forgot = createNode({ keys: KEYS, own: asker, recall: newRecall(undefined, false) })
    forgot.head()
    for (const { message } of told) forgot.receive(at(KEYS, 3), message)
    expect(forgot.record).toMatchObject({ sequence: 1n, round: 2 })
    expect(made.header.number).toBe(1n)
  })

  test('when it cannot know what it signed at the height, then it does not report that it has begun no round', () => {
    const positionOf = (node: Node) => {
      const told = effectsOf(node.receive(at(KEYS, 1), POSITION_REQUEST), 'inform')
      return told.at(-1)?.message
    }
    const { node } = started({ record: { ...recordOf(6n), committed: new Uint8Array(32) } })
    expect(positionOf(node)).toEqual(encodePosition({ sequence: 6n, round: 0 }))
    const signed = createNode({
      keys: KEYS,
      own: at(KEYS, 3),
      record: { ...recordOf(6n), committed: new Uint8Array(32) },
    })
    signed.head({ number: 5n, coinbase: at(KEYS, -1).address })
    expect(positionOf(signed)).toEqual(encodePosition({ sequence: 6n, round: 0 }))
    const fresh = createNode({ keys: KEYS, own: at(KEYS, 3) })
    fresh.head({ number: 5n, coinbase: at(KEYS, -1).address })
    expect(positionOf(fresh)).toEqual(encodePosition({ sequence: 6n, round: -1 }))
  })

  test('when one requests repeatedly, then it is answered at intervals', () => {
    const { node, peers } = asked()
    const steps = Array.from({ length: 20 }, () => node.receive(at(peers, 1), POSITION_REQUEST))
    expect(steps.flatMap(informsIn).length).toBe(2 + 20)
  })

  test('when one had signed nothing, signs and soon asks again, then it is sent what it signed', () => {
    const { node, peers, block } = givenNode(4, 3)
    const proposer = at(peers, 0)
    node.blockTimer()
    expect(informsIn(node.receive(proposer, POSITION_REQUEST)).length).toBe(1)
    receiveProposal(node, proposer, block(proposer))
    expect(informsIn(node.receive(proposer, POSITION_REQUEST)).length).toBe(2)
  })
})

describe('given a validator that signs, and learns of another node with its key', () => {
  const doubted = () => {
    const all = begun({ record: recordOf(6n) })
    for (const peer of all.peers) report(all.node, peer, { sequence: 6n, round: 0 })
    all.node.step({ kind: 'record-doubted' })
    return all
  }

  test('when a quorum asks for a later round, then it does not sign', () => {
    const { node, peers } = doubted()
    const steps = peers.flatMap(key => node.receive(key, roundChange(key, 3, undefined, 6n)))
    expect([roundsIn(steps), kindsIn(steps)]).toEqual([[3], []])
  })

  test('when the other one has ended, then it asks all for their rounds again, and signs above them', () => {
    const { node, peers } = doubted()
    const head = { number: 5n, coinbase: at(KEYS, -1).address }
    node.head({ ...head, active: false })
    expect(informsIn(node.head({ ...head, active: true }))).toEqual([[POSITION_CODES.request, 3]])
    expect(kindsIn(node.blockTimer())).toEqual([])
    const steps = peers.flatMap(peer => report(node, peer, { sequence: 6n, round: 2 }))
    expect(roundsIn(steps)).toEqual([3])
  })
})

test('when messages of a later height show own signatures, then they bind from the beginning of that height', () => {
  const { peers, block } = givenNode(4, 3)
  const node = createNode({ keys: KEYS, own: at(KEYS, 3), recall: newRecall(undefined, false) })
  node.head()
  const later = block(at(peers, 0), { number: 2n })
  node.receive(at(KEYS, 3), prepare(at(KEYS, 3), later), at(peers, 1))
  for (const peer of peers) report(node, peer, { sequence: 2n, round: 0 })
  node.head({ number: 1n })
  expect(node.record).toMatchObject({ sequence: 2n, round: 0 })
  expect([node.state.height?.hasForgotten, node.state.height?.floor]).toEqual([true, 1])
})

test('when others show own signatures, then they bind: after a prepare it prepares nothing else', () => {
  const { peers, block } = givenNode(4, 3)
  const node = createNode({ keys: KEYS, own: at(KEYS, 3), recall: newRecall(undefined, false) })
  node.head()
  const made = block(at(peers, 0))
  node.receive(at(KEYS, 3), prepare(at(KEYS, 3), made), at(peers, 1))
  for (const peer of peers) report(node, peer, { sequence: 1n, round: 0 })
  // Not even with all others in round 0, because it knows that it lost signatures.
  expect(node.state.height?.floor).toBe(1)
  node.blockTimer()
  expect(kindsIn(receiveProposal(node, at(peers, 0), block(at(peers, 0), { timestamp: 101n })))).toEqual([])
})
