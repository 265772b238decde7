import { expect, test } from 'bun:test'
import type { Key } from '../chain/support/keys.ts'
import { givenNode, receivePrepares } from './support/given.ts'
import { proposal, roundChange, roundChangesOf } from './support/messages.ts'
import { kindsIn, roundsIn } from './support/step.ts'

const failing = (): never => {
  throw new Error('the signer is out of reach')
}

test('given a signer that failed in the prepared round, when the validator starts again, then it begins in that round, not below', () => {
  const { node, peers, block } = givenNode(4, 3, { environment: { sign: failing } })
  const [, B] = peers as [Key, Key, Key]
  node.blockTimer()
  const made = block(B, { round: 1 })
  node.receive(B, proposal(B, made, { roundChanges: roundChangesOf(peers, 1) }))
  receivePrepares(node, peers, made)
  expect([node.record?.round, node.record?.certificate?.round]).toEqual([1, 1])

  const again = givenNode(4, 3, { record: node.record })
  expect(again.node.state.height?.round?.round).toBe(1)
  const steps = peers.map(key => again.node.receive(key, roundChange(key, 2)))
  expect(roundsIn(steps.flat())).toEqual([2])
  expect(kindsIn(steps.flat())).toEqual(['round-change'])
})
