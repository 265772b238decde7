import { expect, test } from 'bun:test'
import type { Seal } from '../../../core/block/codec/seal.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import type { Steps } from '../../../core/steps.ts'
import type { Key } from '../chain/support/keys.ts'
import { givenNode, receivePrepares } from './support/given.ts'
import { proposal, roundChange, roundChangesOf } from './support/messages.ts'
import { at, networkKeys, signWith } from './support/keys.ts'
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

test('given a signer that answers later, when it is asked, then the transition waits for it and the signature is that of the key', () => {
  const own = signWith(at(networkKeys(4), 3))
  let asked = 0
  function* later(digest: Uint8Array, preimage: () => Uint8Array): Steps<Seal> {
    asked++
    expect(toHex(keccak256(preimage()))).toBe(toHex(digest))
    yield
    yield
    return own(digest)
  }
  const now = givenNode(4, 3)
  const slow = givenNode(4, 3, { environment: { sign: later } })
  const kinds = [now, slow].map(({ node, peers, block }) => {
    const [, B] = peers as [Key, Key, Key]
    node.blockTimer()
    const made = block(B, { round: 1 })
    node.receive(B, proposal(B, made, { roundChanges: roundChangesOf(peers, 1) }))
    return kindsIn(receivePrepares(node, peers, made))
  })
  expect(kinds[0]).toEqual(['commit'])
  expect(kinds[1]).toEqual(['commit'])
  expect(asked).toBeGreaterThan(0)
  expect(slow.node.record).toEqual(now.node.record)
})
