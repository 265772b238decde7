import { describe, expect, test } from 'bun:test'
import { decodeExtraData } from '../../../core/block/codec/extraData.ts'
import { qbftSealHash } from '../../../core/block/codec/blockHash.ts'
import { withRound } from '../../../core/qbft/codec/roundOfBlock.ts'
import type { Key } from '../chain/support/keys.ts'
import { givenNode } from './support/given.ts'
import { certificate, commit, prepare, roundChange } from './support/messages.ts'
import { importsIn, messageIn } from './support/step.ts'

/** Five validators with a quorum of four; the node proposes in round 2, with round 0 in its blocks. */
const given = () => {
  const network = givenNode(5, 2, { environment: { proposesRoundZero: true } })
  const [A, B, C, D] = network.peers as [Key, Key, Key, Key]
  network.node.blockTimer()
  return { ...network, A, B, C, D }
}

const roundIn = (extraData: Uint8Array): number => decodeExtraData(extraData).round

describe('given a network with GoQuorum, where blocks are proposed with round 0', () => {
  test('when the node proposes in round 2, then its block and its votes have round 0, and the sealed block round 2', () => {
    const { node, A, B, C } = given()
    node.receive(A, roundChange(A, 2))
    node.receive(B, roundChange(B, 2))
    const step = node.receive(C, roundChange(C, 2))
    const { signed } = messageIn(step, 'proposal')
    const { block } = signed.payload
    expect(signed.payload.round).toBe(2)
    expect(roundIn(block.header.extraData)).toBe(0)
    const digest = qbftSealHash(block.header)
    expect(messageIn(step, 'prepare').signed.payload).toMatchObject({ round: 2, digest })
    for (const key of [A, B, C]) node.receive(key, prepare(key, block, { round: 2, digest }))
    node.receive(A, commit(A, block, { round: 2 }))
    node.receive(B, commit(B, block, { round: 2 }))
    const [sealed] = importsIn(node.receive(C, commit(C, block, { round: 2 })))
    expect(roundIn(sealed?.header.extraData as Uint8Array)).toBe(2)
    expect(decodeExtraData(sealed?.header.extraData as Uint8Array).seals).toHaveLength(4)
  })

  test('when a block was prepared with round 0, then it is proposed again as it was', () => {
    const { node, A, B, C, D, block } = given()
    const prepared = certificate([A, B, C, D], withRound(block(B, { round: 1 }), 0))
    const inRoundOne = {
      ...prepared,
      round: 1,
      prepares: [A, B, C, D].map(
        key => prepare(key, prepared.block, { round: 1, digest: prepared.digest }).signed,
      ),
    }
    node.receive(A, roundChange(A, 2, inRoundOne))
    node.receive(B, roundChange(B, 2))
    const step = node.receive(C, roundChange(C, 2))
    const { signed, prepares } = messageIn(step, 'proposal')
    expect(signed.payload.block).toEqual(prepared.block)
    expect(prepares).toEqual(inRoundOne.prepares)
  })
})
