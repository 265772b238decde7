import { describe, expect, test } from 'bun:test'
import { toHex } from '../../../../core/bytes/hex.ts'
import { createRoundWatch } from '../../../../runtime/consensus/reports/roundProgress.ts'
import type { Key } from '../../../core/chain/support/keys.ts'
import { givenNode, receivePrepares, receiveProposal } from '../../../core/qbft/support/given.ts'
import { WAIT } from '../../../core/qbft/support/node.ts'

/** Four validators with a quorum of three; P proposes in round 0, the node, which is the last one, in round 3. */
const given = () => {
  const network = givenNode(4, 3, { verify: () => WAIT })
  const [P, NP0, NP1] = network.peers as [Key, Key, Key]
  const watch = createRoundWatch(network.node.key.address)
  /** What the state machine does at a time after the start of round 0. */
  const after = (ms: number, act: () => unknown): void => {
    network.node.nowMs = 100_000 + ms
    act()
    const { height } = network.node.state
    if (height !== undefined) watch.stepped(height, network.node.nowMs)
  }
  after(0, () => network.node.blockTimer())
  return { ...network, P, NP0, NP1, made: network.block(P), watch, after }
}

describe('given rounds that end without a block', () => {
  test('when no proposal arrived, then the proposer that owes it is known', () => {
    const { node, P, watch, after } = given()
    expect(watch.progress(100_500)).toMatchObject({ round: 0, lastedMs: 500 })
    after(12_000, () => node.roundTimer())
    expect(watch.progress(112_500)).toEqual({
      round: 0,
      proposer: toHex(P.address),
      lastedMs: 12_000,
      proposalMs: undefined,
      verifiedMs: undefined,
      preparedMs: undefined,
      committedMs: undefined,
      missing: [],
    })
  })

  test('when prepares are missing, then the steps have their times, and the silent validators are listed', () => {
    const { node, P, NP0, NP1, made, watch, after } = given()
    after(4_000, () => receiveProposal(node, P, made))
    expect(watch.progress(104_000)).toMatchObject({ proposalMs: 4_000, verifiedMs: undefined, missing: [] })
    after(7_000, () => node.verified(made))
    after(12_000, () => node.roundTimer())
    expect(watch.progress(113_000)).toMatchObject({
      round: 0,
      lastedMs: 12_000,
      proposalMs: 4_000,
      verifiedMs: 7_000,
      preparedMs: undefined,
      missing: [P, NP0, NP1].map(({ address }) => toHex(address)),
    })
  })

  test('when commits are missing, then those are listed; when a block comes, then nothing is', () => {
    const { node, P, NP0, NP1, made, watch, after } = given()
    after(10, () => receiveProposal(node, P, made))
    after(20, () => node.verified(made))
    after(30, () => receivePrepares(node, [P, NP0], made))
    after(12_000, () => node.roundTimer())
    expect(watch.progress(12_000)).toMatchObject({
      preparedMs: 30,
      committedMs: undefined,
      missing: [P, NP0, NP1].map(({ address }) => toHex(address)),
    })
    watch.newHead()
    expect(watch.progress(13_000)).toBeUndefined()
  })
})
