import { describe, expect, test } from 'bun:test'
import { concatBytes, type Hash } from '../../../core/bytes/bytes.ts'
import { joinRlpList } from '../../../core/rlp/list.ts'
import { encodeSigned, encodeSignedList } from '../../../core/qbft/codec/signed.ts'
import { emptyFutureMessages, FUTURE_BYTES_MAX, keepFuture } from '../../../core/qbft/futureMessages.ts'
import { QBFT_CODES, type WireMessage } from '../../../core/qbft/message.ts'
import { PEER_MESSAGES_MAX } from '../../../core/qbft/peerBudgets.ts'
import { signPayload } from '../../support/signPayload.ts'
import { encodeRlp } from '../../../core/rlp/rlp.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import type { Key } from '../chain/support/keys.ts'
import { givenNode } from './support/given.ts'
import { signWith, STRANGER } from './support/keys.ts'
import { certificate, commit, prepare, proposal, roundChange, wireOf } from './support/messages.ts'
import { dropsIn, kindsIn, relaysIn } from './support/step.ts'

const given = () => {
  const network = givenNode(4, 3)
  network.node.blockTimer()
  const [hostile, honest, third] = network.peers as [Key, Key, Key]
  return { ...network, hostile, honest, third }
}

const digest = (number: number): Hash => keccak256(Uint8Array.of(number >> 8, number))

/** A block in a message whose decoding fails. */
const JUNK = joinRlpList([encodeRlp([1, 2, 3]), joinRlpList([new Uint8Array(1000).fill(0x80)])])

const junkProposal = (key: Key, round: number): WireMessage => {
  const payload = { sequence: 1n, round }
  const bytes = joinRlpList([encodeRlp(1), encodeRlp(round), JUNK])
  const signed = signPayload(QBFT_CODES.proposal, payload, bytes, signWith(key))
  const none = Uint8Array.of(0xc0)
  return {
    code: QBFT_CODES.proposal,
    data: joinRlpList([encodeSigned(signed), joinRlpList([none, none])]),
  }
}

describe('given a proposal that cannot count', () => {
  test('when no possible proposer signed it, then its block is not read', () => {
    const { node, honest } = given()
    expect(dropsIn(node.receive(STRANGER, junkProposal(STRANGER, 0), honest))).toEqual(['not-a-validator'])
  })

  test('when another proposes in that round, or the round is over, then its block is not read', () => {
    const { node, hostile, honest } = given()
    expect(dropsIn(node.receive(honest, junkProposal(honest, 0)))).toEqual(['not-the-proposer'])
    expect(dropsIn(node.receive(hostile, junkProposal(hostile, 0)))).toEqual(['undecodable'])
    node.roundTimer()
    expect(dropsIn(node.receive(hostile, junkProposal(hostile, 0)))).toEqual(['duplicate'])
    expect(dropsIn(node.receive(honest, junkProposal(honest, 0), honest))).toEqual(['duplicate'])
  })

  test('when its justification is invalid, then its block is not read', () => {
    const { node, hostile, honest, block } = given()
    expect(dropsIn(node.receive(honest, junkProposal(honest, 1)))).toEqual(['unjustified'])
    const made = block(hostile)
    const { signed, prepares } = roundChange(hostile, 2, certificate([hostile], made))
    const data = joinRlpList([encodeSigned(signed), JUNK, encodeSignedList(prepares)])
    const wire = { code: QBFT_CODES['round-change'], data }
    expect(dropsIn(node.receive(hostile, wire))).toEqual(['unjustified'])
  })

  test('when its height has not begun, then its block is not read until then, and dropping it costs nothing', () => {
    const { node, hostile, honest } = given()
    const payload = { sequence: 2n, round: 0 }
    const bytes = joinRlpList([encodeRlp(2), encodeRlp(0), JUNK])
    const signed = signPayload(QBFT_CODES.proposal, payload, bytes, signWith(honest))
    const none = Uint8Array.of(0xc0)
    const data = joinRlpList([encodeSigned(signed), joinRlpList([none, none])])
    expect(node.receive(honest, { code: QBFT_CODES.proposal, data })).toMatchObject([{ kind: 'peer-ahead' }])
    expect(dropsIn(node.head({ number: 1n, coinbase: hostile.address }))).toEqual(['undecodable'])
  })
})

describe('given one validator’s budget in a round', () => {
  const flood = (network: ReturnType<typeof given>, count: number): readonly string[] => {
    const { node, hostile } = network
    const steps = Array.from({ length: count }, (_, index) =>
      node.receive(hostile, roundChange(hostile, 1 + index)),
    )
    return steps.flatMap(dropsIn)
  }

  test('when it sends round changes to ever higher rounds, then the cost is limited', () => {
    const network = given()
    const { node, hostile } = network
    expect(flood(network, PEER_MESSAGES_MAX + 3)).toEqual(Array(3).fill('over-author-limit'))
    const next = node.receive(hostile, roundChange(hostile, 1000))
    expect([dropsIn(next), relaysIn(next)]).toEqual([['over-author-limit'], []])
  })

  test('when it is used up, then messages of others are processed, and those of this one again in the next round', () => {
    const network = given()
    const { node, hostile, honest, third, block } = network
    flood(network, PEER_MESSAGES_MAX + 1)
    const made = block(hostile)
    expect(dropsIn(node.receive(honest, prepare(honest, made)))).toEqual([])
    expect(dropsIn(node.receive(third, commit(third, made)))).toEqual([])
    node.roundTimer()
    expect(dropsIn(node.receive(hostile, roundChange(hostile, 1000)))).toEqual([])
  })

  test('when another replays its messages, then it is not used up', () => {
    const network = given()
    const { node, hostile, honest, third, block } = network
    const votes = Array.from({ length: 300 }, (_, index) =>
      wireOf(prepare(honest, block(hostile), { digest: digest(index) })),
    )
    for (const vote of votes) node.receive(honest, vote, hostile)
    expect(dropsIn(node.receive(honest, roundChange(honest, 1)))).toEqual([])
    expect(kindsIn(node.receive(third, roundChange(third, 1)))).toEqual(['round-change'])
  })
})

test('given one that floods, when others send, then their messages are remembered and not passed on again', () => {
  const { node, hostile, honest, third, block } = given()
  const made = block(hostile)
  node.receive(honest, prepare(honest, made))
  for (let index = 0; index < 200; index++)
    node.receive(hostile, prepare(hostile, made, { digest: digest(index) }))
  expect(dropsIn(node.receive(honest, prepare(honest, made), third))).toEqual(['duplicate'])
})

test('given large messages of one validator for later heights, when they exceed the limit, then only its own go', () => {
  const { hostile, honest } = given()
  const of = (key: Key, sequence: bigint, bytes: number) => ({
    sequence,
    author: key.address,
    peer: key.address,
    wire: { code: QBFT_CODES.proposal, data: concatBytes(new Uint8Array(bytes)) },
  })
  const limits = { messagesMax: 1000, distanceMax: 10 }
  let kept = keepFuture(emptyFutureMessages, of(honest, 2n, 1000), limits)
  for (const sequence of [2n, 2n, 2n, 2n, 2n])
    kept = keepFuture(kept, of(hostile, sequence, FUTURE_BYTES_MAX / 3), limits)
  kept = keepFuture(kept, of(honest, 2n, 1000), limits)
  expect(kept.filter(({ author }) => author === honest.address).length).toBe(2)
  expect(kept.reduce((sum, { wire }) => sum + wire.data.length, 0)).toBeLessThanOrEqual(FUTURE_BYTES_MAX)
})

test('given a justified proposal with a valid block, when it comes, then it is accepted', () => {
  const { node, hostile, block } = given()
  expect(kindsIn(node.receive(hostile, proposal(hostile, block(hostile))))).toEqual(['prepare'])
})
