import { describe, expect, test } from 'bun:test'
import { toHex } from '../../../core/bytes/hex.ts'
import type { RestartRecord } from '../../../core/qbft/restart/restartRecord.ts'
import { proposalDigest } from '../../../core/qbft/codec/roundOfBlock.ts'
import { givenNode, receivePrepares, receiveProposal } from './support/given.ts'
import { at } from './support/keys.ts'
import { createNode, WAIT } from './support/node.ts'
import { effectsOf, kindsIn, type Step } from './support/step.ts'

const orderOf = (step: Step): readonly string[] =>
  step.map(({ kind }) => kind).filter(kind => ['verify-block', 'record', 'broadcast'].includes(kind))

const preparedIn = (record: RestartRecord | undefined): string | undefined =>
  record?.prepared && toHex(record.prepared)

/** The node is the last of four and has received a proposal of the first one, which it has not verified yet. */
const proposed = () => {
  const network = givenNode(4, 3, { verify: () => WAIT })
  const { node, peers, block } = network
  node.blockTimer()
  const made = block(at(peers, 0))
  return { ...network, made, step: receiveProposal(node, at(peers, 0), made) }
}

describe('given a proposal that is being verified', () => {
  test('then the digest to prepare is recorded during the verification, and nothing is sent', () => {
    const { node, made, step } = proposed()
    expect(orderOf(step)).toEqual(['verify-block', 'record'])
    expect(preparedIn(node.record)).toBe(toHex(proposalDigest(made)))
  })

  test('when it is valid, then the prepare leaves, and nothing more is recorded', () => {
    const { node, made } = proposed()
    const step = node.verified(made)
    expect(orderOf(step)).toEqual(['broadcast'])
    expect(kindsIn(step)).toEqual(['prepare'])
  })

  test('when it is invalid, then nothing is prepared or committed in the round, whatever the others send', () => {
    const { node, peers, made } = proposed()
    expect(kindsIn(node.verified(made, 'it is not'))).toEqual([])
    expect(kindsIn(receivePrepares(node, peers, made))).toEqual([])
  })

  test('when the validator is restarted meanwhile, then it prepares that block and no other', () => {
    const { node, keys, peers, made, block } = proposed()
    const another = block(at(peers, 0), { timestamp: 101n })
    for (const [told, kinds] of [
      [made, ['prepare']],
      [another, []],
    ] as const) {
      const next = createNode({ keys, own: at(keys, 3), record: node.record })
      next.head()
      expect(kindsIn(receiveProposal(next, at(peers, 0), told))).toEqual([...kinds])
    }
  })

  test('when quorums of others are there before the verdict, then they wait for it', () => {
    const { node, peers, made } = proposed()
    const before = receivePrepares(node, peers, made)
    expect([kindsIn(before), effectsOf(before, 'import-block').length]).toEqual([[], 0])
    expect(orderOf(node.verified(made))).toEqual(['record', 'broadcast', 'broadcast'])
  })
})
