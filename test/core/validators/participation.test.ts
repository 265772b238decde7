import { describe, expect, test } from 'bun:test'
import { participationIn } from '../../../core/validators/participation.ts'

const address = (index: number): Uint8Array => new Uint8Array(20).fill(index)
const VALIDATORS = [1, 2, 3, 4].map(address)

describe('given a sealed block', () => {
  test('when it was decided in round 2, then the proposers of rounds 0 and 1 missed theirs', () => {
    const { proposer, missedProposals, missedSeals } = participationIn(VALIDATORS, {
      previousProposer: address(3),
      proposer: address(2),
      round: 2,
      sealers: [address(1), address(2), address(3)],
    })
    expect(proposer).toEqual(address(2))
    expect(missedProposals).toEqual([address(4), address(1)])
    expect(missedSeals).toEqual([address(4)])
  })

  test('when a seal is invalid or of another address, then it counts for no validator', () => {
    const { missedSeals } = participationIn(VALIDATORS, {
      previousProposer: address(1),
      proposer: address(2),
      round: 0,
      sealers: [undefined, address(9), address(2)],
    })
    expect(missedSeals).toEqual([address(1), address(3), address(4)])
  })

  test('when its round is absurd, then the work is bounded', () => {
    const block = { previousProposer: address(1), proposer: address(2), round: 0x7fff_ffff, sealers: [] }
    expect(participationIn(VALIDATORS, block).missedProposals).toHaveLength(1_000)
  })
})
