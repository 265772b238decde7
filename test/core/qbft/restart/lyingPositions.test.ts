import { describe, expect, test } from 'bun:test'
import { encodePosition, POSITION_CODES, type Position } from '../../../../core/qbft/codec/position.ts'
import { NO_ROUND, newRecall } from '../../../../core/qbft/restart/recall.ts'
import type { Key } from '../../chain/support/keys.ts'
import { at, networkKeys } from '../support/keys.ts'
import { roundChange } from '../support/messages.ts'
import { createNode, type Node } from '../support/node.ts'
import { effectsOf, kindsIn, roundsIn, type Step } from '../support/step.ts'

const FAR = 1_000_000n
const FAR_ROUND = 1_000_000_000

/** A validator without a record that starts at block 5; `count - 1` others answer. */
const started = (count: number, recordSequence?: bigint) => {
  const keys = networkKeys(count)
  const own = at(keys, count - 1)
  const node = createNode({ keys, own, recall: newRecall(recordSequence, false) })
  node.head({ number: 5n, coinbase: at(keys, -1).address })
  node.blockTimer()
  return { node, peers: keys.filter(other => other !== own) }
}

const report = (node: Node, peer: Key, position: Position): Step =>
  node.receive(peer, encodePosition(position))

const recallTimer = (node: Node): Step => {
  const sequence = node.state.height?.sequence ?? 0n
  return node.step({ kind: 'timer', timer: { kind: 'recall', sequence }, transactionsWaiting: false })
}

/** Ten seconds pass, in which it asks again. */
const wait = (node: Node): Step =>
  Array.from({ length: 10 }, () => {
    node.nowMs += 1_000
    return recallTimer(node)
  }).flat()

const floorOf = (node: Node) => node.state.height?.floor

describe('given a validator that lost its record in round 1, and nobody lies', () => {
  test('when the third answer takes long, then time alone never lets it sign in round 1 again', () => {
    const { node, peers } = started(4)
    const [silent, truthful, late] = peers as [Key, Key, Key]
    report(node, silent, { sequence: 6n, round: -1 })
    report(node, truthful, { sequence: 6n, round: 1 })
    wait(node)
    for (const key of [truthful, late]) node.receive(key, roundChange(key, 1, undefined, 6n))
    expect(floorOf(node)).toBe(2)
    expect(effectsOf(wait(node), 'build-block')).toEqual([])
  })

  test('when one is at the next height and another answers late, then it waits for blocks, not for time', () => {
    const { node, peers } = started(4)
    report(node, at(peers, 0), { sequence: 6n, round: 0 })
    report(node, at(peers, 1), { sequence: 7n, round: 0 })
    expect(kindsIn(wait(node))).toEqual([])
    expect(floorOf(node)).toBe(NO_ROUND)
    expect(kindsIn(report(node, at(peers, 2), { sequence: 6n, round: 0 }))).toEqual(['round-change'])
  })

  test('when its record is an old copy and all others are a block behind, then it may have signed in round 0', () => {
    const { node, peers } = started(4, 6n)
    for (const peer of peers) report(node, peer, { sequence: 6n, round: 0 })
    node.head({ number: 6n })
    // All others committed block 6, and it had imported it before.
    expect(floorOf(node)).toBe(1)
  })

  test('when a new network has begun, then a validator with an empty data folder may have signed in round 0', () => {
    const keys = networkKeys(4)
    const node = createNode({ keys, own: at(keys, 3), recall: newRecall(undefined, false) })
    node.head()
    for (const peer of keys.slice(0, 3)) report(node, peer, { sequence: 1n, round: 0 })
    expect(floorOf(node)).toBe(1)
  })

  test('when the validators change, then reports of the next height’s do not stand for those of this one', () => {
    const { node, peers } = started(4)
    const [one, two, three] = peers as [Key, Key, Key]
    for (const peer of [one, two]) report(node, peer, { sequence: 6n, round: 0 })
    // Block 7 was decided by validators that have not answered.
    node.head({ number: 7n, validators: [one, two, node.key].map(({ address }) => address) })
    expect(floorOf(node)).toBe(1)
    expect(three.address.length).toBe(20)
  })
})

describe('given a restarted validator, and F of the others that lie', () => {
  test('when the liar names a far height and another answers late, then it signs once that one has answered', () => {
    const { node, peers } = started(4)
    const [liar, honest, late] = peers as [Key, Key, Key]
    report(node, liar, { sequence: FAR, round: 0 })
    report(node, honest, { sequence: 6n, round: 0 })
    expect(kindsIn(report(node, late, { sequence: 6n, round: 0 }))).toEqual(['round-change'])
  })

  test('when blocks come each second, then a far height told once does not silence it', () => {
    const { node, peers } = started(4)
    report(node, at(peers, 2), { sequence: FAR, round: 0 })
    for (const peer of peers.slice(0, 2)) report(node, peer, { sequence: 6n, round: -1 })
    for (const number of [6n, 7n]) {
      node.nowMs += 1_000
      node.head({ number })
    }
    expect([floorOf(node), node.state.recall]).toEqual([0, undefined])
  })

  test('when the one that told a far height is honest afterwards and another is down, then it signs', () => {
    const { node, peers } = started(4)
    report(node, at(peers, 2), { sequence: FAR, round: 0 })
    report(node, at(peers, 0), { sequence: 6n, round: 0 })
    const asked = effectsOf(recallTimer(node), 'inform').filter(
      ({ message }) => message.code === POSITION_CODES.request,
    )
    expect(asked.flatMap(({ to }) => to).length).toBe(3)
    expect(kindsIn(report(node, at(peers, 2), { sequence: 6n, round: 0 }))).toEqual(['round-change'])
  })

  test('when the liar names a far round, then it neither follows there nor is held back', () => {
    const { node, peers } = started(4)
    report(node, at(peers, 0), { sequence: 6n, round: 3 })
    expect(roundsIn(report(node, at(peers, 1), { sequence: 6n, round: FAR_ROUND }))).toEqual([])
    expect(kindsIn(wait(node))).toEqual([])
    expect(roundsIn(report(node, at(peers, 2), { sequence: 6n, round: 4 }))).toEqual([5])
  })

  test('when two of six others lie in seven, then their claims neither raise nor free it', () => {
    const { node, peers } = started(7)
    for (const liar of peers.slice(0, 2)) report(node, liar, { sequence: FAR, round: FAR_ROUND })
    for (const peer of peers.slice(2, 5)) report(node, peer, { sequence: 6n, round: 2 })
    expect(floorOf(node)).toBe(NO_ROUND)
    expect(roundsIn(report(node, at(peers, 5), { sequence: 6n, round: 2 }))).toEqual([3])
  })

  test('when one of six others lies low in seven, then the round in which it may have signed stays closed', () => {
    const { node, peers } = started(7)
    // It was in round 4 with a quorum: four others, at most one of which lies.
    const rounds = [0, 0, 0, 4, 4, 4]
    for (const [index, round] of rounds.entries()) report(node, at(peers, index), { sequence: 6n, round })
    expect(floorOf(node)).toBe(5)
  })

  test('when two answer from different moments, then the later answers show the round to follow', () => {
    const { node, peers } = started(4)
    report(node, at(peers, 0), { sequence: 6n, round: 0 })
    report(node, at(peers, 1), { sequence: 6n, round: 5 })
    expect(floorOf(node)).toBe(NO_ROUND)
    recallTimer(node)
    expect(roundsIn(report(node, at(peers, 0), { sequence: 6n, round: 4 }))).toEqual([6])
  })
})
