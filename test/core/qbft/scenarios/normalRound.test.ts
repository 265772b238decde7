import { describe, expect, test } from 'bun:test'
import { toHex } from '../../../../core/bytes/hex.ts'
import type { Block } from '../../../../core/block/block.ts'
import { qbftSealHash } from '../../../../core/block/codec/blockHash.ts'
import { decodeExtraData } from '../../../../core/block/codec/extraData.ts'
import { sealSigner } from '../../../../core/block/codec/seal.ts'
import type { Key } from '../../chain/support/keys.ts'
import { makeTransfer } from '../support/blocks.ts'
import {
  type Given,
  givenNode,
  proposedIn,
  receiveCommits,
  receivePrepares,
  receiveProposal,
} from '../support/given.ts'
import { at, signWith } from '../support/keys.ts'
import { createNode } from '../support/node.ts'
import { effectsOf, importsIn, kindsIn, messageIn, roundsIn, timersIn } from '../support/step.ts'

describe('given four validators, of which this node is the proposer', () => {
  /** The node has just proposed. */
  const proposing = (): Given & { readonly made: Block } => {
    const given = givenNode(4, 0)
    return { ...given, made: proposedIn(given.node.blockTimer()) }
  }

  test('when the block timer fires, then it proposes a block of this second, and prepares it', () => {
    const { node, validators } = givenNode(4, 0)
    const step = node.blockTimer()
    expect(kindsIn(step)).toEqual(['proposal', 'prepare'])
    const { block, sequence, round } = messageIn(step, 'proposal').signed.payload
    expect([sequence, round, block.header.timestamp]).toEqual([1n, 0, 100n])
    expect(decodeExtraData(block.header.extraData).round).toBe(0)
    expect(effectsOf(step, 'broadcast').map(({ to }) => to.map(toHex))).toEqual(
      Array(2).fill(validators.slice(1).map(toHex)),
    )
  })

  test('when one other prepares, then that is no quorum, and nothing is sent', () => {
    const { node, peers, made } = proposing()
    expect(kindsIn(receivePrepares(node, peers.slice(0, 1), made))).toEqual([])
  })

  test('when the second other prepares, then it is a quorum with the own, and the commit is sent', () => {
    const { node, peers, made } = proposing()
    receivePrepares(node, peers.slice(0, 1), made)
    expect(kindsIn(receivePrepares(node, peers.slice(1, 2), made))).toEqual(['commit'])
  })

  test('when one other commits, then that is no quorum, and nothing is imported', () => {
    const { node, peers, made } = proposing()
    receivePrepares(node, peers.slice(0, 2), made)
    expect(importsIn(receiveCommits(node, peers.slice(0, 1), made))).toEqual([])
  })

  test('when the second other commits, then the block is imported with the seals, and nothing more is sent', () => {
    const { node, peers, made } = proposing()
    receivePrepares(node, peers.slice(0, 2), made)
    receiveCommits(node, peers.slice(0, 1), made)
    const step = receiveCommits(node, peers.slice(1, 2), made)
    expect(importsIn(step).map(({ header }) => header.number)).toEqual([1n])
    expect(decodeExtraData(at(importsIn(step), 0).header.extraData).seals.length).toBe(3)
    expect(kindsIn(step)).toEqual([])
  })

  test('when it is imported, then the signer of each seal is named', () => {
    const { node, peers, made } = proposing()
    receivePrepares(node, peers.slice(0, 2), made)
    const [imported] = effectsOf(receiveCommits(node, peers.slice(0, 2), made), 'import-block')
    const { header } = imported?.block ?? made
    const sealers = decodeExtraData(header.extraData).seals.map(seal =>
      sealSigner(qbftSealHash(header), seal),
    )
    expect(sealers).toEqual([node.key, at(peers, 0), at(peers, 1)].map(({ address }) => address))
    expect(imported?.sealers).toEqual(sealers)
  })

  test('when two others commit without any prepare, then it is imported, and the own commit is never sent', () => {
    const { node, peers, made } = proposing()
    const first = receiveCommits(node, peers.slice(0, 1), made)
    const second = receiveCommits(node, peers.slice(1, 2), made)
    expect([importsIn(first).length, importsIn(second).length]).toEqual([0, 1])
    expect([...kindsIn(first), ...kindsIn(second)]).toEqual([])
  })

  const imported = () => {
    const given = proposing()
    receiveCommits(given.node, given.peers.slice(0, 2), given.made)
    return given
  }

  test('when the round timer fires during the import, then no round change is sent', () => {
    const { node } = imported()
    expect(node.roundTimer()).toEqual([])
  })

  test('when prepares come during the import, then nothing happens', () => {
    const { node, peers, made } = imported()
    const step = receivePrepares(node, peers, made)
    expect([kindsIn(step), importsIn(step)]).toEqual([[], []])
  })
})

describe('given four validators, another one of which is the proposer', () => {
  /** The node is the last one; the first proposes. */
  const given = () => {
    const network = givenNode(4, 3)
    const [proposer, second, third] = network.peers as [Key, Key, Key]
    return { ...network, proposer, second, third, made: network.block(proposer) }
  }

  test('when the proposal comes, then it is prepared', () => {
    const { node, proposer, made } = given()
    expect(kindsIn(receiveProposal(node, proposer, made))).toEqual(['prepare'])
  })

  /** With a quorum of prepares: this validator's and those of two others, without the proposer's. */
  const prepared = () => {
    const network = given()
    receiveProposal(network.node, network.proposer, network.made)
    receivePrepares(network.node, [network.second, network.third], network.made)
    return network
  }

  test('when the second other prepares, then the commit follows', () => {
    const { node, proposer, second, third, made } = given()
    receiveProposal(node, proposer, made)
    expect(kindsIn(receivePrepares(node, [second], made))).toEqual([])
    expect(kindsIn(receivePrepares(node, [third], made))).toEqual(['commit'])
  })

  test('when a prepare is repeated, then nothing happens', () => {
    const { node, third, made } = prepared()
    expect(kindsIn(receivePrepares(node, [third], made))).toEqual([])
  })

  test('when the second other commits, then the block is imported', () => {
    const { node, second, third, made } = prepared()
    expect(importsIn(receiveCommits(node, [second], made))).toEqual([])
    expect(importsIn(receiveCommits(node, [third], made)).length).toBe(1)
  })

  test('when a commit comes after the import, then it is ignored', () => {
    const { node, proposer, second, third, made } = prepared()
    receiveCommits(node, [second, third], made)
    const step = receiveCommits(node, [proposer], made)
    expect([importsIn(step), kindsIn(step)]).toEqual([[], []])
    node.head({ number: 1n, coinbase: proposer.address })
    expect(importsIn(receiveCommits(node, [proposer], made))).toEqual([])
    expect(node.state.height?.sequence).toBe(2n)
  })

  test('when commits and prepares come first, then the commit goes out before the prepare, and the block is imported', () => {
    const { node, proposer, second, third, made } = given()
    receiveCommits(node, [proposer, second, third], made)
    receivePrepares(node, [second, third], made)
    const step = receiveProposal(node, proposer, made)
    expect(kindsIn(step)).toEqual(['commit', 'prepare'])
    expect(importsIn(step).length).toBe(1)
  })

  test('when commits come first, then only the prepare is sent, the block imported, and a late prepare ignored', () => {
    const { node, proposer, second, third, made } = given()
    receiveCommits(node, [proposer, second, third], made)
    const step = receiveProposal(node, proposer, made)
    expect(kindsIn(step)).toEqual(['prepare'])
    expect(importsIn(step).length).toBe(1)
    expect(kindsIn(receivePrepares(node, [second, third], made))).toEqual([])
  })

  test('when a quorum of commits waits for the proposal, then it is imported exactly once', () => {
    const { node, proposer, second, third, made } = given()
    const before = receiveCommits(node, [second, third], made)
    const step = receiveProposal(node, proposer, made)
    const after = receiveCommits(node, [proposer], made)
    expect([before, step, after].map(effects => importsIn(effects).length)).toEqual([0, 1, 0])
  })

  test('when a round begins, then its timer starts once', () => {
    const { node, proposer, made } = given()
    const steps = [receiveProposal(node, proposer, made), node.blockTimer()]
    expect(roundsIn(steps.flat())).toEqual([0])
    expect(timersIn(steps.flat())).toEqual(['round'])
  })
})

describe('given a signer that fails, as unreachable hardware does', () => {
  const withSigner = (failsAt: (call: number) => boolean) => {
    const { keys } = givenNode(4, 3)
    let calls = 0
    const sign = (digest: Uint8Array): Uint8Array => {
      if (failsAt(++calls)) throw new Error('out of reach')
      return signWith(at(keys, 3))(digest)
    }
    return givenNode(4, 3, { environment: { sign } })
  }

  test('when nothing can be signed, then nothing is sent or thrown, and a quorum of others’ commits is imported', () => {
    const { node, peers, block } = withSigner(() => true)
    const made = block(at(peers, 0))
    expect(kindsIn(receiveProposal(node, at(peers, 0), made))).toEqual([])
    expect(kindsIn(receivePrepares(node, peers, made))).toEqual([])
    expect(importsIn(receiveCommits(node, peers.slice(0, 2), made))).toEqual([])
    expect(importsIn(receiveCommits(node, peers.slice(2), made)).length).toBe(1)
    expect(kindsIn(node.roundTimer())).toEqual([])
  })

  test('when the seal cannot be made, then the prepare is sent, the commit not, and others’ commits count', () => {
    const { node, peers, block } = withSigner(call => call > 1)
    const made = block(at(peers, 0))
    expect(kindsIn(receiveProposal(node, at(peers, 0), made))).toEqual(['prepare'])
    expect(kindsIn(receivePrepares(node, peers, made))).toEqual([])
    expect(importsIn(receiveCommits(node, peers, made)).length).toBe(1)
  })

  test('when the proposal cannot be signed, then the round passes', () => {
    const { keys } = givenNode(4, 0)
    const sign = (): never => {
      throw new Error('out of reach')
    }
    const node = createNode({ keys, own: at(keys, 0), environment: { sign } })
    node.head()
    expect(kindsIn(node.blockTimer())).toEqual([])
    expect(roundsIn(node.roundTimer())).toEqual([1])
  })
})

test('given a lone validator, when it commits, then it writes no record: its signatures are in the block only', () => {
  const { node } = givenNode(1, 0)
  const step = node.blockTimer()
  expect(importsIn(step).length).toBe(1)
  expect(decodeExtraData(at(importsIn(step), 0).header.extraData).seals.length).toBe(1)
  expect([effectsOf(step, 'broadcast'), effectsOf(step, 'record')]).toEqual([[], []])
})

describe('given the time before the first round', () => {
  test('when a height begins, then the block timer starts, and no round timer', () => {
    const { node } = givenNode(4, 0)
    expect([...node.timers.values()].map(({ timer, atMs }) => [timer, atMs])).toEqual([
      [{ kind: 'block', sequence: 1n }, 3_000],
    ])
  })

  test('when a block timer fires during a round, then it is ignored', () => {
    const { node } = givenNode(4, 0)
    node.blockTimer()
    expect(node.blockTimer()).toEqual([])
  })
})

describe('given an empty-block period', () => {
  const EMPTY_AT_MS = 160_000
  // In Besu only the proposer waits, and the others request round changes; here every validator waits.
  describe.each([0, 3])('given validator %d', own => {
    const waiting = () => {
      const { node, ...given } = givenNode(4, own)
      node.head({ number: 1n, coinbase: at(given.keys, 3).address, emptyAtMs: EMPTY_AT_MS })
      return { node, ...given }
    }

    test('when the block timer fires and nothing waits for a block, then no round begins, and it checks again after the period', () => {
      const { node } = waiting()
      const step = node.blockTimer()
      expect(roundsIn(step)).toEqual([])
      expect(step).toEqual([
        { kind: 'start-timer', timer: { kind: 'block', sequence: 2n }, atMs: 100_000 + 3_000 },
      ])
    })

    test('when an empty block becomes allowed, then that is the last check, and the round begins', () => {
      const { node } = waiting()
      node.nowMs = EMPTY_AT_MS - 1
      expect(effectsOf(node.blockTimer(), 'start-timer').map(({ atMs }) => atMs)).toEqual([EMPTY_AT_MS + 1])
      node.nowMs = EMPTY_AT_MS
      expect(roundsIn(node.blockTimer())).toEqual([])
      node.nowMs = EMPTY_AT_MS + 1
      expect(roundsIn(node.blockTimer())).toEqual([0])
    })

    test('when a transaction comes, then the round begins at once, but not before the period is over', () => {
      const { node } = waiting()
      node.blockTimer()
      node.nowMs = 2_999
      expect(node.step({ kind: 'transactions-waiting' })).toEqual([])
      node.nowMs = 100_500
      expect(roundsIn(node.step({ kind: 'transactions-waiting' }))).toEqual([0])
    })
  })

  test('when a block is empty nevertheless, then it is not proposed, and the node waits again', () => {
    const { node, keys } = givenNode(4, 0)
    node.head({ number: 1n, coinbase: at(keys, 3).address, emptyAtMs: EMPTY_AT_MS })
    const step = node.blockTimer({ transactionsWaiting: true })
    expect(kindsIn(step)).toEqual([])
    expect([...node.timers.keys()]).toEqual(['block'])
    expect(node.state.height?.round).toBeUndefined()
  })

  test('when a block has a transaction, then it is proposed', () => {
    const transactions = [makeTransfer(0)]
    const { block, keys } = givenNode(4, 0)
    const own = at(keys, 0)
    const node = createNode({ keys, own, build: () => block(own, { transactions }) })
    node.head({ emptyAtMs: EMPTY_AT_MS })
    expect(kindsIn(node.blockTimer({ transactionsWaiting: true }))).toEqual(['proposal', 'prepare'])
  })
})
