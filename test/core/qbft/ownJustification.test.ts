import { describe, expect, test } from 'bun:test'
import { withRound } from '../../../core/qbft/codec/roundOfBlock.ts'
import type { Key } from '../chain/support/keys.ts'
import { givenNode } from './support/given.ts'
import { certificate, roundChange, roundChangesOf } from './support/messages.ts'
import { WAIT } from './support/node.ts'
import { kindsIn, messageIn } from './support/step.ts'

/** Five validators with a quorum of four; the node proposes in round 2, and building and verifying blocks take time. */
const given = () => {
  const network = givenNode(5, 2, { verify: () => WAIT, build: () => WAIT })
  const [A, B, C, D] = network.peers as [Key, Key, Key, Key]
  const mine = network.block(network.node.key, { round: 2 })
  const old = certificate([A, B, C, D], network.block(A))
  const better = certificate([A, B, C, D], network.block(B, { round: 1 }))
  network.node.blockTimer()
  return { ...network, A, B, C, D, mine, old, better }
}

describe('given round changes that come while the own proposal is built', () => {
  test('when one has a certificate, then the new block keeps its justification', () => {
    const { node, A, B, C, D, mine, old } = given()
    for (const key of [A, B, C]) node.receive(key, roundChange(key, 2))
    node.receive(D, roundChange(D, 2, old))
    const step = node.step({ kind: 'block-built', sequence: 1n, round: 2, block: mine })
    const { signed, roundChanges, prepares } = messageIn(step, 'proposal')
    expect(signed.payload.block).toEqual(mine)
    expect(roundChanges).toEqual(roundChangesOf([A, B, node.key, C], 2))
    expect(prepares).toEqual([])
  })

  test('when one has a better certificate, then the chosen block stays', () => {
    const { node, A, B, C, D, old, better } = given()
    for (const key of [A, B, C]) node.receive(key, roundChange(key, 2, old))
    node.receive(D, roundChange(D, 2, better))
    const { signed, roundChanges, prepares } = messageIn(node.verified(old.block), 'proposal')
    expect(signed.payload.block).toEqual(withRound(old.block, 2))
    expect(roundChanges.map(({ payload }) => payload.prepared?.round)).toEqual([0, 0, undefined, 0])
    expect(prepares).toEqual(old.prepares)
  })

  test('when consensus pauses and goes on before the block is built, then it is not proposed without them', () => {
    const { node, A, B, C, mine } = given()
    for (const key of [A, B, C]) node.receive(key, roundChange(key, 2))
    node.head({ active: false })
    node.head({ active: true })
    const step = node.step({ kind: 'block-built', sequence: 1n, round: 2, block: mine })
    expect([node.state.height?.round?.round, kindsIn(step)]).toEqual([2, []])
  })

  test('when one is for a later round, then its author’s earlier one stays', () => {
    const { node, A, B, C, mine } = given()
    for (const key of [A, B, C]) node.receive(key, roundChange(key, 2))
    node.receive(C, roundChange(C, 3))
    const step = node.step({ kind: 'block-built', sequence: 1n, round: 2, block: mine })
    expect(messageIn(step, 'proposal').roundChanges).toEqual(roundChangesOf([A, B, node.key, C], 2))
  })
})
