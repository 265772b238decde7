import { expect, test } from 'bun:test'
import { toHex } from '../../../../core/bytes/hex.ts'
import type { Key } from '../../chain/support/keys.ts'
import { givenNode, receivePrepares, receiveProposal } from '../support/given.ts'
import { STRANGER } from '../support/keys.ts'
import { prepare, proposal, roundChange } from '../support/messages.ts'
import { effectsOf, relaysIn, type Step } from '../support/step.ts'

// Besu forwards before it validates. The state machine forwards what a validator signed for its height, by `relay` effects;
// the driver knows whether a neighbour has it already.

const given = () => {
  const network = givenNode(5, 4)
  const [P, NP0, NP1, NP2] = network.peers as [Key, Key, Key, Key]
  network.node.blockTimer()
  return { ...network, P, NP0, NP1, NP2, made: network.block(P) }
}

const hex = (...keys: readonly Key[]): readonly string[] => keys.map(({ address }) => toHex(address))
const toldIn = (step: Step): readonly string[] =>
  effectsOf(step, 'broadcast').flatMap(({ to }) => to.map(toHex))

test('given a proposal, when it is accepted, then it is passed on to all but its author, and the own prepare goes to all', () => {
  const { node, P, NP0, NP1, NP2, made } = given()
  const step = receiveProposal(node, P, made)
  expect(relaysIn(step)).toEqual(hex(NP0, NP1, NP2))
  expect(toldIn(step)).toEqual(hex(P, NP0, NP1, NP2))
})

test('given a prepare, when it comes three times, then it is passed on once', () => {
  const { node, P, NP0, NP1, NP2, made } = given()
  const step = [P, P, NP1].flatMap(via => node.receive(NP0, prepare(NP0, made), via))
  expect(relaysIn(step)).toEqual(hex(NP1, NP2))
})

test('given a message of an address that is not a validator, when it comes, then it is not passed on', () => {
  const { node, P, made } = given()
  expect(relaysIn(node.receive(STRANGER, prepare(STRANGER, made), P))).toEqual([])
})

test('given a message that another validator forwarded, when it arrives, then it is sent neither to that one nor to its author', () => {
  const { node, P, NP0, NP1, NP2, made } = given()
  expect(relaysIn(node.receive(NP0, prepare(NP0, made), P))).toEqual(hex(NP1, NP2))
})

test('given messages of past and later heights, when they come, then they are not passed on now', () => {
  const { node, P, NP0, made, block } = given()
  node.head({ number: 1n, coinbase: P.address })
  expect(relaysIn(receivePrepares(node, [NP0], made))).toEqual([])
  expect(relaysIn(receivePrepares(node, [NP0], block(P, { number: 3n })))).toEqual([])
})

test('given a prepare of a later height, when that height begins, then it is passed on', () => {
  const { node, P, NP0, NP1, NP2, block } = given()
  receivePrepares(node, [NP0], block(NP0, { number: 2n }))
  expect(relaysIn(node.head({ number: 1n, coinbase: P.address }))).toEqual(hex(P, NP1, NP2))
})

test('given a node that is not a validator, when messages arrive, then it forwards none', () => {
  const { node, P, validators, made } = given()
  node.head({ number: 1n, coinbase: P.address, validators: validators.slice(0, 4) })
  const step = receiveProposal(node, P, made)
  expect(effectsOf(step, 'relay')).toEqual([])
  expect([...node.timers.keys()]).toEqual([])
})

test('given own messages, when another replays them, then they are not passed on', () => {
  const { node, P, made } = given()
  expect(relaysIn(node.receive(node.key, prepare(node.key, made), P))).toEqual([])
})

test('given a round change of a past round, when another peer altered what its signature does not cover, then it is not passed on', () => {
  const { node, P, NP0, NP1, NP2, made } = given()
  for (const key of [P, NP1, NP2]) node.receive(key, roundChange(key, 2))
  expect(node.state.height?.round?.round).toBe(2)
  const honest = roundChange(NP0, 1)
  expect(relaysIn(node.receive(NP0, { ...honest, block: made }, P))).toEqual([])
  expect(relaysIn(node.receive(NP0, { ...honest, prepares: [prepare(NP1, made).signed] }, P))).toEqual([])
  expect(relaysIn(node.receive(NP0, honest, P))).toEqual(hex(NP1, NP2))
})

test('given a proposal of a past round, when its author was not the proposer, then it is not passed on', () => {
  const { node, P, NP0, NP1, NP2, made } = given()
  node.roundTimer()
  expect(relaysIn(node.receive(NP0, proposal(NP0, made), NP1))).toEqual([])
  expect(relaysIn(node.receive(P, proposal(P, made), NP0))).toEqual(hex(NP1, NP2))
})
