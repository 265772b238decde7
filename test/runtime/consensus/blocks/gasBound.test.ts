import { describe, expect, test } from 'bun:test'
import type { Effect } from '../../../../core/qbft/effect.ts'
import type { Input } from '../../../../core/qbft/input.ts'
import { createGasBound } from '../../../../runtime/consensus/blocks/gasBound.ts'
import { BLOCK } from '../../../core/qbft/codec/messages.ts'

const TIMEOUT_MS = 4_000
const blockOf = (number: number, gasUsed: bigint) => ({
  ...BLOCK,
  header: { ...BLOCK.header, number: BigInt(number), gasUsed },
})
const HASH = new Uint8Array(32)

/** A bound, and the rounds of a network that it watches. */
const setUp = () => {
  let headGas = 0n
  let nowMs = 0
  const lines: string[] = []
  const bound = createGasBound(() => headGas, { info: (text: string) => lines.push(text) } as never)
  const step = (effects: readonly Effect[], input: Input = { kind: 'record-doubted' }): void =>
    bound.observer.stepped({ input, effects, state: undefined as never, nowMs })

  const round = (number: number, of: number): void =>
    step([
      {
        kind: 'round-started',
        sequence: BigInt(number),
        round: of,
        timeoutMs: TIMEOUT_MS,
        reason: 'timeout',
        heard: [],
        quorum: 3,
      },
    ])
  const proposal = (number: number, gas: bigint): void =>
    step([{ kind: 'verify-block', block: blockOf(number, gas), hash: HASH }])
  const head = (number: number, gas: bigint): void => {
    headGas = gas
    bound.observer.newHead({ number: BigInt(number) } as never, nowMs)
  }
  /** A block that is decided in round 0 after this part of its timeout. */
  const decided = (number: number, gas: bigint, share = 0.1): void => {
    round(number, 0)
    proposal(number, gas)
    nowMs += share * TIMEOUT_MS
    head(number, gas)
  }
  return { bound, step, round, proposal, head, decided, lines }
}

describe('given a network whose rounds end before a large block is decided', () => {
  test('when a round ends with its proposal, then the next blocks have half of its gas, and the log says so once', () => {
    const { bound, round, proposal, lines } = setUp()
    round(1, 0)
    proposal(1, 84_000_000n)
    expect(bound.gasMax()).toBeUndefined()
    round(1, 1)
    expect(bound.gasMax()).toBe(42_000_000n)
    proposal(1, 42_000_000n)
    round(1, 2)
    expect(bound.gasMax()).toBe(21_000_000n)
    // The block of a certificate is proposed again, whatever the bound.
    proposal(1, 84_000_000n)
    round(1, 3)
    expect(bound.gasMax()).toBe(21_000_000n)
    expect(lines).toHaveLength(2)
  })

  test('when this validator built the proposal, then it counts, too', () => {
    const { bound, step, round } = setUp()
    round(1, 0)
    step([], { kind: 'block-built', sequence: 1n, round: 0, block: blockOf(1, 84_000_000n) })
    round(1, 1)
    expect(bound.gasMax()).toBe(42_000_000n)
  })

  test('when a round ends without a proposal, then nothing is known of its block', () => {
    const { bound, round, proposal } = setUp()
    round(1, 0)
    round(1, 1)
    proposal(1, 84_000_000n)
    round(2, 0)
    expect(bound.gasMax()).toBeUndefined()
  })

  test('when small blocks are not decided, then the bound has room for a hundred transfers', () => {
    const { bound, round, proposal } = setUp()
    round(1, 0)
    proposal(1, 3_000_000n)
    round(1, 1)
    expect(bound.gasMax()).toBe(2_100_000n)
    proposal(1, 2_100_000n)
    round(1, 2)
    expect(bound.gasMax()).toBe(2_100_000n)
  })
})

describe('given a bound', () => {
  const given = () => {
    const network = setUp()
    network.round(1, 0)
    network.proposal(1, 16_000_000n)
    network.round(1, 1)
    return network
  }

  test('when filled blocks need a small part of their round, then it grows fast, then slowly, then not at all', () => {
    const { bound, decided } = given()
    decided(2, 8_000_000n, 0.2)
    expect(bound.gasMax()).toBe(12_000_000n)
    decided(3, 12_000_000n, 0.4)
    expect(bound.gasMax()).toBe(13_500_000n)
    decided(4, 13_500_000n, 0.6)
    expect(bound.gasMax()).toBe(13_500_000n)
    decided(5, 1_000_000n)
    expect(bound.gasMax()).toBe(13_500_000n)
  })

  test('when the load is gone, then there is none', () => {
    const { bound, decided } = given()
    for (let number = 2; number <= 16; number++) decided(number, 21_000n)
    expect(bound.gasMax()).toBe(8_000_000n)
    decided(17, 21_000n)
    expect(bound.gasMax()).toBeUndefined()
  })

  test('when a block needed a later round, then it tells nothing', () => {
    const { bound, round, proposal, head } = given()
    round(2, 0)
    round(2, 1)
    proposal(2, 8_000_000n)
    head(2, 8_000_000n)
    expect(bound.gasMax()).toBe(8_000_000n)
  })
})

describe('given a faulty proposer that lets its rounds end', () => {
  test('when it proposes blocks like those decided lately, or smaller ones, then there is no bound', () => {
    const { bound, decided, round, proposal } = setUp()
    decided(1, 20_000_000n)
    for (const gas of [20_000_000n, 21_000n]) {
      round(2, 0)
      proposal(2, gas)
      round(2, 1)
      expect(bound.gasMax()).toBeUndefined()
    }
  })

  test('when it proposes larger ones, then the others keep the gas of those decided lately', () => {
    const { bound, decided, round, proposal } = setUp()
    decided(1, 20_000_000n)
    round(2, 0)
    proposal(2, 30_000_000n)
    round(2, 1)
    expect(bound.gasMax()).toBe(20_000_000n)
  })
})
