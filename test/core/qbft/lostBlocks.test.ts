import { describe, expect, test } from 'bun:test'
import { givenNode, receiveCommits, receivePrepares, receiveProposal } from './support/given.ts'
import { at } from './support/keys.ts'
import { effectsOf, type Step } from './support/step.ts'

/** The `isRecorded` of each block to import. */
const isRecordedIn = (...steps: readonly Step[]): readonly boolean[] =>
  effectsOf(steps.flat(), 'import-block').map(({ isRecorded }) => isRecorded)

/** The last of four validators has the proposal of the first. */
const proposed = () => {
  const network = givenNode(4, 3)
  const { node, peers, block } = network
  const made = block(at(peers, 0))
  return { ...network, made, propose: () => receiveProposal(node, at(peers, 0), made) }
}

describe('a committed block may get lost on this node when the records of a quorum can restore it', () => {
  test('given this validator is prepared, then its own record is one of them', () => {
    const { node, peers, made, propose } = proposed()
    propose()
    receivePrepares(node, peers, made)
    expect(isRecordedIn(receiveCommits(node, peers.slice(0, 2), made))).toEqual([true])
  })

  test('given this validator is not prepared, and its own commit completes the quorum, then one record is missing', () => {
    const { node, peers, made, propose } = proposed()
    propose()
    receivePrepares(node, peers.slice(1, 2), made)
    expect(isRecordedIn(receiveCommits(node, peers.slice(0, 2), made))).toEqual([false])
  })

  test('given a quorum of others committed, then their records suffice', () => {
    const { node, peers, made, propose } = proposed()
    receiveCommits(node, peers, made)
    expect(isRecordedIn(propose())).toEqual([true])
  })

  test('given a lone validator, then there is no record', () => {
    const { node } = givenNode(1, 0)
    expect(isRecordedIn(node.blockTimer())).toEqual([false])
  })
})
