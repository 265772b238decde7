import { describe, expect, test } from 'bun:test'
import { ZERO_HASH } from '../../../../core/bytes/bytes.ts'
import { decodeExtraData } from '../../../../core/block/codec/extraData.ts'
import { QBFT_MESSAGE_BYTES_MAX } from '../../../../core/qbft/codec/message.ts'
import { QBFT_CODES } from '../../../../core/qbft/message.ts'
import type { Key } from '../../chain/support/keys.ts'
import { givenNode, receiveCommits, receivePrepares, receiveProposal } from '../support/given.ts'
import { STRANGER } from '../support/keys.ts'
import { certificate, commit, prepare, proposal, roundChange, wireOf } from '../support/messages.ts'
import { dropsIn, importsIn, kindsIn } from '../support/step.ts'

/** Five validators: the first one proposes, the node is the last. */
const given = () => {
  const network = givenNode(5, 4)
  const [proposer, ...others] = network.peers as [Key, Key, Key, Key]
  network.node.blockTimer()
  return { ...network, proposer, others, made: network.block(proposer) }
}

/** The node has prepared the proposal. */
const proposed = () => {
  const network = given()
  receiveProposal(network.node, network.proposer, network.made)
  return network
}

const wrongPrepares = ({ node, others, made }: ReturnType<typeof given>) =>
  others.flatMap(key => node.receive(key, prepare(key, made, { digest: ZERO_HASH })))

test('given an empty prepare, when it arrives, then it is dropped, and the proposal is answered', () => {
  const { node, proposer, made } = given()
  const empty = { code: QBFT_CODES.prepare, data: new Uint8Array(0) }
  expect(dropsIn(node.receive(proposer, empty))).toEqual(['undecodable'])
  expect(kindsIn(receiveProposal(node, proposer, made))).toEqual(['prepare'])
})

test('given an unknown code, when it comes, then it is dropped, and the proposal is answered', () => {
  const { node, proposer, made } = given()
  const unknown = { ...wireOf(prepare(proposer, made)), code: 0x16 }
  expect(dropsIn(node.receive(proposer, unknown))).toEqual(['unknown-code'])
  expect(kindsIn(receiveProposal(node, proposer, made))).toEqual(['prepare'])
})

test('given a message beyond the maximum length, when it comes, then it is dropped unread', () => {
  const { node, proposer } = given()
  const long = { code: QBFT_CODES.proposal, data: new Uint8Array(QBFT_MESSAGE_BYTES_MAX + 1) }
  expect(dropsIn(node.receive(proposer, long))).toEqual(['oversized'])
})

test('given a proposal by an address that is not a validator, when it comes, then it is not answered', () => {
  const { node, proposer, block } = given()
  const made = block(STRANGER)
  const step = node.receive(STRANGER, proposal(STRANGER, made), proposer)
  expect([kindsIn(step), dropsIn(step)]).toEqual([[], ['not-a-validator']])
})

test('given prepares with an unknown digest, when they come, then they make no quorum; those of the proposal do', () => {
  const network = proposed()
  expect(kindsIn(wrongPrepares(network))).toEqual([])
  expect(kindsIn(receivePrepares(network.node, network.others, network.made))).toEqual(['commit'])
})

test('given prepares of an unknown digest after the commit, when they arrive, then nothing changes, and commits lead to the import', () => {
  const network = proposed()
  const { node, others, made } = network
  receivePrepares(node, others, made)
  expect(kindsIn(wrongPrepares(network))).toEqual([])
  expect(importsIn(receiveCommits(node, others, made)).length).toBe(1)
})

test('given a commit with a seal over another hash, when it arrives, then it does not count; a valid one of its author does', () => {
  const { node, others, made } = proposed()
  const [first, second, third] = others
  receivePrepares(node, others, made)
  receiveCommits(node, [first, second], made)
  const bad = node.receive(third, commit(third, made, { sealed: ZERO_HASH }))
  expect([importsIn(bad), dropsIn(bad)]).toEqual([[], ['bad-seal']])
  const [imported] = importsIn(receiveCommits(node, [third], made))
  expect(decodeExtraData(imported?.header.extraData as Uint8Array).seals.length).toBe(4)
})

test('given a bad seal before the proposal, when the block is imported, then it is not in it', () => {
  const { node, proposer, others, made } = given()
  const [first, second, third] = others
  receiveCommits(node, [first, second], made)
  node.receive(third, commit(third, made, { sealed: ZERO_HASH }))
  expect(importsIn(receiveProposal(node, proposer, made))).toEqual([])
  expect(importsIn(receiveCommits(node, [third], made)).length).toBe(1)
})

test('given the same bytes, when they come again, then they are processed once', () => {
  const { node, proposer, made } = given()
  const wire = wireOf(proposal(proposer, made))
  expect(kindsIn(node.receive(proposer, wire))).toEqual(['prepare'])
  expect(dropsIn(node.receive(proposer, wire))).toEqual(['duplicate'])
})

test('given a message of a height on the chain, when it comes, then it is dropped', () => {
  const { node, keys, proposer, made } = given()
  node.head({ number: 1n, coinbase: proposer.address })
  const messages = [
    proposal(proposer, made),
    prepare(proposer, made),
    commit(proposer, made),
    roundChange(proposer, 1),
  ]
  for (const message of messages) expect(dropsIn(node.receive(proposer, message))).toEqual(['past-height'])
  expect(keys.length).toBe(5)
})

describe('given an address that is not a validator', () => {
  const { node, proposer, keys, block } = given()
  const made = block(STRANGER)
  const messages = [
    proposal(STRANGER, made),
    prepare(STRANGER, made),
    commit(STRANGER, made),
    roundChange(STRANGER, 1),
    roundChange(STRANGER, 1, certificate(keys, made)),
  ]
  test.each(messages.map(message => [message.kind, message] as const))(
    'when it sends a %s of the current height, then it is dropped',
    (_, message) => {
      const step = node.receive(STRANGER, message, proposer)
      expect(step.map(({ kind }) => kind)).toEqual(['dropped'])
      expect(dropsIn(step)).toEqual(['not-a-validator'])
    },
  )
})

describe('given signatures of nobody', () => {
  test('when no key can be recovered, then the message is dropped', () => {
    const { node, proposer, made } = given()
    const message = prepare(proposer, made)
    const signed = { ...message.signed, signature: new Uint8Array(65) }
    expect(dropsIn(node.receive(proposer, { ...message, signed }))).toEqual(['bad-signature'])
  })

  test('when the content of a validator’s message is changed, then it has no known author', () => {
    const { node, proposer, made } = given()
    const { payloadBytes } = prepare(proposer, made, { digest: ZERO_HASH }).signed
    const message = prepare(proposer, made)
    const step = node.receive(proposer, { ...message, signed: { ...message.signed, payloadBytes } })
    expect(dropsIn(step)).toEqual(['not-a-validator'])
  })
})
