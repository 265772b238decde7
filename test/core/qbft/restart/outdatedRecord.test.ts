import { describe, expect, test } from 'bun:test'
import { encodePosition, type Position } from '../../../../core/qbft/codec/position.ts'
import { newRecall } from '../../../../core/qbft/restart/recall.ts'
import type { Key } from '../../chain/support/keys.ts'
import { at, networkKeys } from '../support/keys.ts'
import { createNode, type Node } from '../support/node.ts'

const RECORD = {
  sequence: 2n,
  round: 0,
  proposed: undefined,
  prepared: undefined,
  committed: undefined,
  certificate: undefined,
} as const

/** A validator that starts at block 5 with a record of height 2. */
const started = () => {
  const keys = networkKeys(4)
  const own = at(keys, 3)
  const node = createNode({ keys, own, record: RECORD, recall: newRecall(RECORD.sequence, false) })
  node.head({ number: 5n, coinbase: at(keys, -1).address })
  return { node, peers: keys.filter(other => other !== own) }
}

const report = (node: Node, peer: Key, position: Position) => node.receive(peer, encodePosition(position))

describe('given a restarted validator whose record is older than the chain', () => {
  /** It has the positions of all others at height 6, and the next head. */
  const next = (rounds: readonly number[]) => {
    const { node, peers } = started()
    for (const [index, round] of rounds.entries()) report(node, at(peers, index), { sequence: 6n, round })
    node.head({ number: 6n })
    return node
  }

  test('when nobody had begun a round, then it may have signed in round 0 of the next height', () =>
    // A node of an earlier release that restarted at the height reports no round although it may have committed.
    expect(next([-1, -1]).state.height?.floor).toBe(1))

  test('when one had begun a round, then it may have signed in round 0 of the next height', () =>
    expect(next([-1, 0, -1]).state.height?.floor).toBe(1))

  test('when another reports a later height, then it may have signed in round 0 of the next height', () => {
    const { node, peers } = started()
    for (const peer of peers.slice(0, 2)) report(node, peer, { sequence: 6n, round: -1 })
    report(node, at(peers, 2), { sequence: 9n, round: -1 })
    node.head({ number: 6n })
    expect(node.state.height?.floor).not.toBe(0)
  })

  test('when the validators change with the next height, then it may have signed in round 0 of it', () => {
    const { node, peers } = started()
    const [late, silent, added] = peers as [Key, Key, Key]
    const validators = [late, silent, node.key].map(({ address }) => address)
    // It and the silent one may have committed block 7, and signed at height 8, before it lost its record.
    node.head({ number: 6n, validators })
    node.head({ number: 7n })
    for (const peer of [late, added]) report(node, peer, { sequence: 7n, round: -1 })
    expect(node.state.height?.floor).toBe(1)
  })
})
