import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Hash } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { keccak256, useCryptoEngine } from '../../../core/crypto/crypto.ts'
import { testEngine } from '../../support/engine.ts'
import { FUTURE_ROUNDS_PER_AUTHOR_MAX } from '../../../core/qbft/handle/vote.ts'
import {
  emptyFutureMessages,
  FUTURE_BYTES_MAX,
  FUTURE_PER_AUTHOR_MAX,
  type FutureMessage,
  keepFuture,
  refusedFuture,
} from '../../../core/qbft/futureMessages.ts'
import { QBFT_CODES, type QbftMessage, type WireMessage } from '../../../core/qbft/message.ts'
import { PEER_MESSAGES_MAX } from '../../../core/qbft/peerBudgets.ts'
import { VERDICTS_MAX } from '../../../core/qbft/actions/verdicts.ts'
import type { Key } from '../chain/support/keys.ts'
import { givenNode, type GivenOptions } from './support/given.ts'
import { at } from './support/keys.ts'
import {
  certificate,
  commit,
  prepare,
  proposal,
  roundChange,
  roundChangesOf,
  wireOf,
} from './support/messages.ts'
import { WAIT } from './support/node.ts'
import { dropsIn, kindsIn } from './support/step.ts'

setDefaultTimeout(300_000)

const given = (options: GivenOptions = {}) => {
  const network = givenNode(4, 3, options)
  network.node.blockTimer()
  const [flooder, honest, third] = network.peers as [Key, Key, Key]
  return { ...network, flooder, honest, third }
}

const digest = (number: number): Hash => keccak256(Uint8Array.of(number >> 16, number >> 8, number))

/** Bytes that a value references, each counted once; a view references its whole buffer. */
const bytesOf = (value: unknown, seen: Set<unknown> = new Set()): number => {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 8
  const held = ArrayBuffer.isView(value) ? value.buffer : value
  if (seen.has(held)) return 8
  seen.add(held)
  if (ArrayBuffer.isView(value)) return value.buffer.byteLength
  const members =
    value instanceof Map ? [...value].flat() : value instanceof Set ? [...value] : Object.values(value)
  return members.reduce<number>((sum, member) => sum + 16 + bytesOf(member, seen), 0)
}

describe('given the messages of one author', () => {
  test(`when there are votes for ${FUTURE_ROUNDS_PER_AUTHOR_MAX} later rounds, then a prepare and a commit of each are kept`, () => {
    const { node, flooder, honest, block } = given()
    const drops: string[] = []
    for (let round = 1; round <= FUTURE_ROUNDS_PER_AUTHOR_MAX + 2; round++)
      for (const vote of [prepare, commit])
        drops.push(...dropsIn(node.receive(flooder, vote(flooder, block(flooder, { round })))))
    expect(drops).toEqual(Array(4).fill('far-future-round'))
    expect(node.state.height?.futureVotes.size).toBe(FUTURE_ROUNDS_PER_AUTHOR_MAX)
    // It does not exclude others in any round.
    const later = prepare(honest, block(flooder, { round: 99 }))
    expect(dropsIn(node.receive(honest, later))).toEqual([])
  })

  test('when there are several round changes, then the one to the highest round is kept', () => {
    const { node, flooder } = given()
    for (const round of [1, 2, 3, 20, 30]) node.receive(flooder, roundChange(flooder, round))
    expect(node.state.height?.roundChanges.size).toBe(1)
    expect(dropsIn(node.receive(flooder, roundChange(flooder, 7)))).toEqual(['superseded'])
  })

  test('when there is no proposal, then one vote of a kind in the current round is kept', () => {
    const { node, flooder, block } = given()
    for (let number = 0; number < 20; number++)
      node.receive(flooder, prepare(flooder, block(flooder), { digest: digest(number) }))
    expect(node.state.height?.round?.prepares.size).toBe(1)
    expect(node.state.height?.round?.first.size).toBe(1)
  })

  test('when a proposal of the current round is verified, then one is kept', () => {
    const { node, flooder, block } = given({ verify: () => WAIT })
    const steps = [100n, 101n, 102n].map(timestamp =>
      node.receive(flooder, proposal(flooder, block(flooder, { timestamp }))),
    )
    expect(steps.map(dropsIn)).toEqual([[], ['superseded'], ['superseded']])
    expect(node.state.height?.verdicts.size).toBe(1)
  })
})

test(`given verdicts on ${VERDICTS_MAX} blocks of a height, when more come, then the newest are kept`, () => {
  const { node, keys, peers, block } = given()
  for (let round = 1; round <= VERDICTS_MAX + 10; round++) {
    const proposer = at(keys, round % 4)
    if (proposer === node.key) continue
    const made = block(proposer, { round, timestamp: BigInt(100 + round) })
    node.receive(proposer, proposal(proposer, made, { roundChanges: roundChangesOf(peers, round) }))
  }
  expect(node.state.height?.verdicts.size).toBeLessThanOrEqual(VERDICTS_MAX)
  expect(node.state.height?.round?.proposal?.message.signed.payload.round).toBe(VERDICTS_MAX + 10)
})

describe('given a message that comes again', () => {
  const messages = (network: ReturnType<typeof given>): readonly (readonly [Key, QbftMessage])[] => {
    const { flooder, honest, peers, block } = network
    const made = block(flooder)
    return [
      [flooder, proposal(flooder, made)],
      [honest, prepare(honest, made)],
      [honest, commit(honest, made)],
      [honest, roundChange(honest, 1, certificate(peers, made))],
    ]
  }

  test('when another validator sends it, then nothing changes', () => {
    const network = given()
    const { node, third } = network
    for (const [from, message] of messages(network)) node.receive(from, message)
    const before = node.state
    const steps = messages(network).flatMap(([from, message]) => node.receive(from, message, third))
    expect(dropsIn(steps)).toEqual(Array(4).fill('duplicate'))
    expect(steps.length).toBe(4)
    expect(node.state).toEqual(before)
  })

  test('when the filter has forgotten it, then it changes nothing either', () => {
    const network = given({ environment: { duplicateMessagesMax: 0 } })
    const { node } = network
    const first = messages(network).flatMap(([from, message]) => node.receive(from, message))
    const second = messages(network).flatMap(([from, message]) => node.receive(from, message))
    expect(kindsIn(first)).toEqual(['prepare'])
    expect([kindsIn(second), dropsIn(second)]).toEqual([[], ['superseded', 'superseded']])
    expect(node.state.height?.round?.prepares.size).toBe(2)
    expect(node.state.height?.round?.commits.size).toBe(1)
  })
})

describe('given a peer that has used up its budget of the round for messages that it forwards', () => {
  /** Variants of one round change: nobody signs the prepares. */
  const variants = (author: Key, signer: Key, count: number): readonly QbftMessage[] =>
    Array.from({ length: count }, (_, index) => ({
      ...roundChange(author, 1),
      prepares: [prepare(signer, givenNode(4, 3).block(signer), { digest: digest(index) }).signed],
    }))

  test('when it forwards a message before its author sends it, then the author’s counts', () => {
    const { node, flooder, honest, third } = given()
    for (const message of variants(third, flooder, 4 * PEER_MESSAGES_MAX))
      node.receive(third, message, flooder)
    const message = roundChange(honest, 1)
    expect(dropsIn(node.receive(honest, message, flooder))).toEqual(['over-author-limit'])
    expect(dropsIn(node.receive(honest, message))).toEqual([])
    expect(node.state.height?.roundChanges.size).toBe(1)
  })
})

describe('given a flood of one validator', () => {
  /** Made once and sent repeatedly, further apart than the filter of duplicates remembers. */
  const SIGNED = 300
  const floods: readonly (readonly [string, number, (index: number) => { number: bigint; round: number }])[] =
    [
      [
        'later heights and rounds',
        100_000,
        index => ({ number: BigInt(1 + (index % 10)), round: 1 + index }),
      ],
      ['later rounds', 10_000, index => ({ number: 1n, round: 1 + index })],
      ['the current round', 10_000, () => ({ number: 1n, round: 0 })],
    ]

  // Recovering the author each time would be slow and prove nothing.
  const recovered = new Map<string, Uint8Array | undefined>()
  beforeAll(() =>
    useCryptoEngine({
      ...testEngine,
      recoverPublicKey: (hash, signature) => {
        const key = toBareHex(hash) + toBareHex(signature.r)
        if (!recovered.has(key)) recovered.set(key, testEngine.recoverPublicKey(hash, signature))
        return recovered.get(key)
      },
    }),
  )
  afterAll(() => useCryptoEngine(testEngine))

  test.each(floods)(
    'when its messages are of %s, then the state stays small: %d of them',
    (_, count, placeOf) => {
      const { node, flooder, block } = given()
      const made = block(flooder)
      const messages = Array.from({ length: SIGNED }, (__, index) => {
        const { number, round } = placeOf(index)
        const vote = index % 2 === 0 ? prepare : commit
        return wireOf(
          vote(flooder, { ...made, header: { ...made.header, number } }, { round, digest: digest(index) }),
        )
      })
      let largest = 0
      for (let index = 0; index < count; index++) {
        node.receive(flooder, messages[index % SIGNED] as WireMessage)
        if (index % 5_000 === 0) largest = Math.max(largest, bytesOf(node.state))
      }
      expect(largest).toBeLessThan(256 * 1024)
      expect(node.state.future.length).toBeLessThanOrEqual(FUTURE_PER_AUTHOR_MAX * 9)
    },
  )

  test('when others send messages of the next height, then those are kept', () => {
    const { node, flooder, honest, peers, block } = given()
    const made = block(honest, { number: 2n, timestamp: 103n })
    for (let index = 0; index < 50; index++) {
      const header = { ...made.header, number: BigInt(2 + (index % 9)) }
      node.receive(flooder, prepare(flooder, { ...made, header }, { round: index, digest: digest(index) }))
    }
    node.receive(honest, proposal(honest, made))
    for (const key of peers.slice(1)) node.receive(key, prepare(key, made))
    const step = node.head({ number: 1n, coinbase: flooder.address })
    expect(kindsIn(step).toSorted()).toEqual(['commit', 'prepare'])
  })
})

test(`given messages of later heights, when they exceed ${FUTURE_BYTES_MAX} bytes, then the highest height goes first`, () => {
  const { flooder } = given()
  const large = (sequence: bigint): FutureMessage => ({
    sequence,
    author: flooder.address,
    peer: flooder.address,
    wire: { code: QBFT_CODES.proposal, data: new Uint8Array(FUTURE_BYTES_MAX / 4) },
  })
  const limits = { messagesMax: 1000, distanceMax: 10 }
  let kept = emptyFutureMessages
  for (const sequence of [2n, 3n, 4n, 5n, 2n]) kept = keepFuture(kept, large(sequence), limits)
  expect(kept.map(({ sequence }) => sequence)).toEqual([2n, 3n, 4n, 2n])
  const tooLarge = { ...large(2n), wire: { code: 0x12, data: new Uint8Array(FUTURE_BYTES_MAX + 1) } }
  expect(refusedFuture([], tooLarge, 0n, limits)).toBe('over-buffer-limit')
})
