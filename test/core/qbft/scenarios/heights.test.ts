import { describe, expect, test } from 'bun:test'
import type { DropReason } from '../../../../core/qbft/effect.ts'
import {
  emptyFutureMessages,
  FUTURE_PER_AUTHOR_MAX,
  type FutureMessage,
  type FutureMessages,
  keepFuture,
  refusedFuture,
  takeFuture,
} from '../../../../core/qbft/futureMessages.ts'
import type { Input } from '../../../../core/qbft/input.ts'
import { createInputQueue } from '../../../../runtime/consensus/inputs/inputQueue.ts'
import type { Key } from '../../chain/support/keys.ts'
import { makeBlock } from '../support/blocks.ts'
import {
  givenNode,
  type GivenOptions,
  receiveCommits,
  receivePrepares,
  receiveProposal,
} from '../support/given.ts'
import { addressesOf, at, networkKeys, STRANGER } from '../support/keys.ts'
import { prepare, proposal, wireOf } from '../support/messages.ts'
import { createNode } from '../support/node.ts'
import { dropsIn, effectsOf, importsIn, kindsIn, relaysIn, sentIn, timersIn } from '../support/step.ts'

/** Five validators at height 1; P proposes there and, because block 1 is P's, NP0 at height 2. */
const given = (options: GivenOptions = {}) => {
  const network = givenNode(5, 4, options)
  const [P, NP0, NP1, NP2] = network.peers as [Key, Key, Key, Key]
  const second = network.block(NP0, { number: 2n, timestamp: 103n })
  return { ...network, P, NP0, NP1, NP2, first: network.block(P), second }
}

/** All messages of height 2 arrive during height 1. */
const early = (network: ReturnType<typeof given>) => {
  const { node, NP0, NP1, NP2, second } = network
  const others = [NP0, NP1, NP2]
  return [
    ...receiveProposal(node, NP0, second),
    ...receivePrepares(node, others, second),
    ...receiveCommits(node, others, second),
  ]
}

describe('given messages of the next height', () => {
  test('when they come, then their senders are known to have block 1, and nothing else happens', () => {
    const network = given()
    const step = early(network)
    expect(new Set(step.map(({ kind }) => kind))).toEqual(new Set(['peer-ahead']))
    expect(effectsOf(step, 'peer-ahead').map(({ number }) => number)).toEqual(Array(7).fill(1n))
  })

  test('when block 1 comes, then they are used: prepared, committed and imported', () => {
    const network = given()
    early(network)
    const step = network.node.head({ number: 1n, coinbase: network.P.address })
    expect(kindsIn(step).toSorted()).toEqual(['commit', 'prepare'])
    expect(sentIn(step).every(({ signed }) => signed.payload.sequence === 2n)).toBe(true)
    expect(importsIn(step).map(({ header }) => header.number)).toEqual([2n])
  })

  test('when they are of a later height, then they wait for it', () => {
    const { node, block, P, NP0, NP1 } = given()
    const third = block(NP1, { number: 3n, timestamp: 106n })
    receiveProposal(node, NP1, third)
    expect(kindsIn(node.head({ number: 1n, coinbase: P.address }))).toEqual([])
    expect(kindsIn(node.head({ number: 2n, coinbase: NP0.address }))).toEqual(['prepare'])
  })

  // Besu keeps messages of any author, this node only a few of each validator.
  test('when they are of an address that is not a validator, then they are not kept', () => {
    const { node, block, P } = given()
    const made = block(STRANGER, { number: 2n })
    const step = node.receive(STRANGER, proposal(STRANGER, made), P)
    expect(dropsIn(step)).toEqual(['not-a-validator'])
    expect(node.state.future).toEqual([])
  })

  test('when their author is not a validator in the next height, then they do not count', () => {
    const { node, keys, NP0, NP1, NP2, P, second } = given()
    receiveProposal(node, NP0, second)
    receivePrepares(node, [P, NP1, NP2], second)
    const validators = addressesOf(keys).filter(address => address !== P.address)
    // Four remain, with a quorum of three; P's prepare does not count and is not forwarded.
    const step = node.head({ number: 1n, coinbase: P.address, validators })
    expect(effectsOf(step, 'dropped').map(({ reason, author }) => [reason, author])).toEqual([
      ['not-a-validator', P.address],
    ])
    const prepares = [...(node.state.height?.round?.prepares.keys() ?? [])]
    expect(prepares.length).toBe(3)
  })

  test('when their author is first a validator in the next height, then they are used when they come again', () => {
    const { node, keys, NP0, P, second } = given()
    node.head({ number: 0n, active: false, validators: addressesOf(keys.slice(1)) })
    const newcomer = createNode({ keys: keys.slice(1), own: at(keys, 4) })
    newcomer.head()
    const message = prepare(P, second)
    expect(dropsIn(newcomer.receive(P, message))).toEqual(['not-a-validator'])
    newcomer.head({ number: 1n, coinbase: P.address, validators: addressesOf(keys) })
    newcomer.receive(NP0, proposal(NP0, second))
    expect(dropsIn(newcomer.receive(P, message))).toEqual([])
  })
})

describe('given a new head', () => {
  test('when the block came from another node, then the height ends, and later messages of it are dropped', () => {
    const { node, P, NP0, NP1, first } = given()
    receiveProposal(node, P, first)
    node.head({ number: 1n, coinbase: P.address })
    const step = [...receivePrepares(node, [NP0, NP1], first), ...receiveCommits(node, [NP0, NP1], first)]
    expect(new Set(dropsIn(step))).toEqual(new Set(['past-height']))
    expect(kindsIn(step)).toEqual([])
  })

  test('when it is already known, then the height does not begin again', () => {
    const { node, P, NP0, NP1, first } = given()
    node.blockTimer()
    receiveProposal(node, P, first)
    receivePrepares(node, [P, NP0], first)
    expect(node.head()).toEqual([])
    expect(kindsIn(receivePrepares(node, [NP1], first))).toEqual(['commit'])
  })

  test('when it is lower, or another of the same number, then it is ignored', () => {
    const { node, P } = given()
    node.head({ number: 3n, coinbase: P.address })
    expect(node.head({ number: 2n })).toEqual([])
    expect(node.head({ number: 3n, hash: new Uint8Array(32), active: false })).toEqual([])
    expect(node.state.height?.sequence).toBe(4n)
  })

  test('when it comes, then every timer of the height before is cancelled', () => {
    const { node, P } = given()
    node.blockTimer()
    node.roundTimer()
    expect([...node.timers.keys()].toSorted()).toEqual(['resend', 'round'])
    node.head({ number: 1n, coinbase: P.address })
    expect([...node.timers.keys()]).toEqual(['block'])
    expect(node.timers.get('block')?.timer.sequence).toBe(2n)
  })

  test('when timers of the height before fire late, then they are ignored', () => {
    const { node, P } = given()
    node.blockTimer()
    node.head({ number: 1n, coinbase: P.address })
    const timers = [
      { kind: 'block', sequence: 1n },
      { kind: 'round', sequence: 1n, round: 0 },
      { kind: 'resend', sequence: 1n },
    ] as const
    for (const timer of timers)
      expect(node.step({ kind: 'timer', timer, transactionsWaiting: true })).toEqual([])
  })
})

describe('given a chain that syncs', () => {
  test('when messages of the height come, then they are kept and used after the sync; nothing is sent before', () => {
    const { node, P, NP0, NP1, first } = given()
    node.head({ active: false })
    const step = [...receiveProposal(node, P, first), ...receivePrepares(node, [NP0, NP1], first)]
    expect([...step, ...node.blockTimer(), ...node.roundTimer(), ...node.connect(P.address)]).toEqual([])
    expect(kindsIn(node.head({ active: true }))).toEqual(['prepare'])
  })

  test('when a round had begun, then it continues with what was signed in it', () => {
    const { node, P, first, block } = given()
    node.blockTimer()
    receiveProposal(node, P, first)
    node.head({ active: false })
    node.head({ active: true })
    node.blockTimer()
    expect(kindsIn(receiveProposal(node, P, block(P, { timestamp: 101n })))).toEqual([])
  })
})

describe('given the buffer of later heights', () => {
  const keys = networkKeys(8)
  const block = (number: bigint) =>
    makeBlock({ creator: at(keys, 0).address, validators: addressesOf(keys), number })
  /** Different authors, so that the limit per author is not reached. */
  const message = (sequence: bigint, author = 0): FutureMessage => ({
    sequence,
    author: at(keys, author).address,
    peer: at(keys, author).address,
    wire: wireOf(prepare(at(keys, author), block(sequence))),
  })
  const limits = (messagesMax: number, distanceMax = 10) => ({ messagesMax, distanceMax })
  const kept = (sequences: readonly bigint[], messagesMax: number): FutureMessages =>
    sequences.reduce<FutureMessages>(
      (all, sequence, index) => keepFuture(all, message(sequence, index), limits(messagesMax)),
      emptyFutureMessages,
    )
  const sequencesOf = (messages: FutureMessages) => messages.map(({ sequence }) => sequence)
  const refused = (sequence: bigint, messagesMax: number, distanceMax: number): DropReason | undefined =>
    refusedFuture(emptyFutureMessages, message(sequence), 0n, limits(messagesMax, distanceMax))

  test('when a height is beyond the distance, then it is not kept', () => {
    expect([5n, 6n, 7n].map(sequence => refused(sequence, 1000, 5))).toEqual([
      undefined,
      'far-future-height',
      'far-future-height',
    ])
    const { node, P, block: made } = given({ environment: { futureDistanceMax: 5 } })
    const drops = [5n, 6n].map(number => dropsIn(receivePrepares(node, [P], made(P, { number }))))
    expect(drops).toEqual([[], ['far-future-height']])
  })

  test('when it is over the limit, then the highest height goes', () => {
    expect(sequencesOf(kept([1n, 1n, 1n, 1n, 2n, 1n], 5))).toEqual([1n, 1n, 1n, 1n, 1n])
  })

  test('when it has one height alone, then the oldest message goes', () => {
    const six = kept([1n, 1n, 1n, 1n, 1n, 1n], 5)
    expect(six.map(({ author }) => author)).toEqual([1, 2, 3, 4, 5].map(index => at(keys, index).address))
  })

  test('when a new message is of the highest height, then that one goes', () => {
    expect(sequencesOf(kept([1n, 1n, 1n, 1n, 2n, 3n], 5))).toEqual([1n, 1n, 1n, 1n, 2n])
  })

  test('when the limit is 0, then nothing is kept', () => {
    expect(refused(2n, 0, 10)).toBe('over-buffer-limit')
    const { node, P, second } = given({ environment: { futureMessagesMax: 0 } })
    expect(dropsIn(receivePrepares(node, [P], second))).toEqual(['over-buffer-limit'])
    expect(node.state.future).toEqual([])
  })

  test('when the messages of a height are taken, then lower ones are discarded and higher ones kept', () => {
    const { taken, left } = takeFuture(kept([1n, 2n, 3n], 1000), 2n)
    expect([sequencesOf(taken), sequencesOf(left)]).toEqual([[2n], [3n]])
  })

  test('when an author sends many of a height, then they are limited, unlike in Besu', () => {
    const { node, P, NP0, block: made } = given()
    const flood = Array.from({ length: FUTURE_PER_AUTHOR_MAX + 3 }, (_, round) =>
      dropsIn(receivePrepares(node, [P], made(P, { number: 2n, round }))),
    ).flat()
    expect(flood).toEqual(Array(3).fill('over-author-limit'))
    expect(dropsIn(receivePrepares(node, [NP0], made(P, { number: 2n })))).toEqual([])
    expect(dropsIn(receivePrepares(node, [P], made(P, { number: 3n })))).toEqual([])
  })

  test('when it refused a message, then that one is accepted at its height', () => {
    const { node, P, NP0, block: made } = given({ environment: { futureDistanceMax: 1 } })
    const second = made(NP0, { number: 2n, timestamp: 103n })
    expect(dropsIn(receiveProposal(node, NP0, second))).toEqual(['far-future-height'])
    expect(relaysIn(receiveProposal(node, NP0, second))).toEqual([])
    node.head({ number: 1n, coinbase: P.address })
    expect(kindsIn(receiveProposal(node, NP0, second))).toEqual(['prepare'])
  })
})

describe('given the queue before the machine', () => {
  const peers = networkKeys(3)
  const messageOf = (peer: Key, content: number): Input => ({
    kind: 'message',
    message: { code: 0x13, data: Uint8Array.of(content) },
    peer: peer.address,
  })
  const timer: Input = {
    kind: 'timer',
    timer: { kind: 'block', sequence: 1n },
    transactionsWaiting: false,
  }

  // Besu then refuses any event; here the node's own events are never lost, because it would stop.
  test('when it is over the limit, then the newest message is refused, a timer or a head never', () => {
    const queue = createInputQueue(4)
    const [flooder] = peers as [Key]
    const pushed = Array.from({ length: 6 }, (_, index) => queue.push(messageOf(flooder, index)))
    expect(pushed).toEqual([true, true, true, true, false, false])
    expect([queue.push(timer), queue.size]).toEqual([true, 5])
    const kept = Array.from({ length: 5 }, () => queue.shift())
    expect(kept).toEqual([0, 1, 2, 3].map(index => messageOf(flooder, index)).concat(timer))
  })

  // Before the first head there is no state for timers; only the inputs of the node itself are kept.
  test('when there is no head yet, then a message is dropped, and the node’s own events are kept', () => {
    const [P, own] = peers as [Key, Key, Key]
    const node = createNode({ keys: peers, own })
    const made = makeBlock({ creator: P.address, validators: addressesOf(peers) })
    expect(node.receive(P, proposal(P, made))).toEqual([])
    expect(node.blockTimer()).toEqual([])
    expect(timersIn(node.head())).toEqual(['block'])
    // It was not used, so the same bytes are no duplicate.
    expect(kindsIn(receiveProposal(node, P, made))).toEqual(['prepare'])
  })
})
