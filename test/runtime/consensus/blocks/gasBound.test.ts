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

const addressOf = (index: number): Uint8Array => new Uint8Array(20).fill(index + 1)

/** A bound, and the rounds of a network that it watches; the last validator proposed the block before each height. */
const setUp = (validators = 4) => {
  let headGas = 0n
  let nowMs = 0
  const lines: string[] = []
  const bound = createGasBound(() => headGas, { info: (text: string) => lines.push(text) } as never)
  const addresses = Array.from({ length: validators }, (_, index) => addressOf(index))
  let height: object | undefined
  const step = (effects: readonly Effect[], input: Input = { kind: 'record-doubted' }): void =>
    bound.observer.stepped({ input, effects, state: { height } as never, nowMs })

  const round = (number: number, of: number): void => {
    const head = { validators: addresses, coinbase: addressOf(validators - 1) }
    height = { sequence: BigInt(number), head }
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
  }
  const proposal = (number: number, gas: bigint): void =>
    step([{ kind: 'verify-block', block: blockOf(number, gas), hash: HASH }])
  const head = (number: number, gas: bigint): void => {
    headGas = gas
    bound.observer.newHead({ number: BigInt(number) } as never, nowMs)
  }
  /** Rounds of a height from round 0 on that end without a decision, each with a proposal of this gas. */
  const undecided = (number: number, ...gases: readonly bigint[]): void => {
    round(number, 0)
    for (const [of, gas] of gases.entries()) {
      proposal(number, gas)
      round(number, of + 1)
    }
  }
  /** A block that is decided in round 0 after this part of its timeout. */
  const decided = (number: number, gas: bigint, share = 0.1): void => {
    round(number, 0)
    proposal(number, gas)
    nowMs += share * TIMEOUT_MS
    head(number, gas)
  }
  return { bound, step, round, proposal, head, decided, undecided, lines }
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
    network.undecided(1, 16_000_000n)
    return network
  }

  test('when filled blocks need a small part of their round, then it grows fast, then slowly, then not at all', () => {
    const { bound, decided } = given()
    decided(2, 8_000_000n, 0.2)
    expect(bound.gasMax()).toBe(16_000_000n)
    decided(3, 16_000_000n, 0.4)
    expect(bound.gasMax()).toBe(20_000_000n)
    decided(4, 20_000_000n, 0.7)
    expect(bound.gasMax()).toBe(21_200_000n)
    decided(5, 21_200_000n, 0.8)
    expect(bound.gasMax()).toBe(21_200_000n)
    decided(6, 1_000_000n)
    expect(bound.gasMax()).toBe(21_200_000n)
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

describe('given blocks that were decided in round 0 lately', () => {
  test('when two proposals of one height like them are not decided, then the next blocks have half of their gas', () => {
    const { bound, decided, round, proposal } = setUp()
    decided(1, 20_000_000n)
    decided(2, 8_000_000n)
    round(3, 0)
    proposal(3, 20_000_000n)
    round(3, 1)
    expect(bound.gasMax()).toBeUndefined()
    proposal(3, 20_000_000n)
    round(3, 2)
    expect(bound.gasMax()).toBe(10_000_000n)
    proposal(3, 10_000_000n)
    round(3, 3)
    // Smaller ones were decided.
    expect(bound.gasMax()).toBe(8_000_000n)
  })
})

describe('given a faulty proposer that lets its rounds end', () => {
  test('when it proposes large blocks again and again, then only the first one counts', () => {
    const { bound, decided, undecided, proposal } = setUp()
    decided(1, 4_000_000n)
    undecided(2, 2n ** 62n)
    expect(bound.gasMax()).toBe(2n ** 61n)
    for (let number = 3; number <= 100; number++) {
      undecided(number, 8_000_000n)
      proposal(number, 21_000n)
    }
    expect(bound.gasMax()).toBe(2n ** 61n)
  })

  test('when as many do so in turn as may be faulty, then each counts once, until another one fails', () => {
    const { bound, round, proposal, undecided } = setUp(7)
    undecided(1, 64_000_000n, 32_000_000n)
    for (let number = 2; number <= 10; number++) undecided(number, 16_000_000n, 8_000_000n)
    expect(bound.gasMax()).toBe(16_000_000n)
    proposal(10, 16_000_000n)
    round(10, 3)
    expect(bound.gasMax()).toBe(8_000_000n)
    undecided(11, 8_000_000n)
    expect(bound.gasMax()).toBe(4_000_000n)
  })

  test('when this validator itself proposes again and again without a decision, then each time counts', () => {
    const { bound, step, round } = setUp()
    for (const gas of [64_000_000n, 32_000_000n]) {
      round(1, 0)
      step([], { kind: 'block-built', sequence: 1n, round: 0, block: blockOf(1, gas) })
      round(1, 1)
      expect(bound.gasMax()).toBe(gas / 2n)
    }
  })

  test('when it proposes blocks like those decided lately, or smaller ones, then there is no bound', () => {
    const { bound, decided, undecided } = setUp()
    decided(1, 20_000_000n)
    for (const gas of [20_000_000n, 21_000n]) {
      undecided(2, gas)
      expect(bound.gasMax()).toBeUndefined()
    }
  })

  test('when it proposes larger ones, then the others keep the gas of those decided lately', () => {
    const { bound, decided, undecided } = setUp()
    decided(1, 20_000_000n)
    undecided(2, 30_000_000n)
    expect(bound.gasMax()).toBe(20_000_000n)
  })
})

describe('given rounds of one height that end', () => {
  test('when each had a proposal, then the second and each further one halve the time of selection, five times at most', () => {
    const { bound, round, proposal } = setUp()
    const shares: number[] = []
    for (let of = 0; of < 9; of++) {
      round(1, of)
      proposal(1, 21_000n)
      shares.push(bound.timeShare(of))
    }
    expect(shares).toEqual([1, 1, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 32, 1 / 32])
    round(2, 0)
    expect(bound.timeShare(0)).toBe(1)
  })

  test('when the same proposers fail at each height, then they cost the others no time either', () => {
    const { bound, round, proposal } = setUp(7)
    const shares = [1, 2, 3].map(number => {
      round(number, 0)
      proposal(number, 21_000n)
      round(number, 1)
      proposal(number, 21_000n)
      round(number, 2)
      return bound.timeShare(2)
    })
    expect(shares).toEqual([1 / 2, 1, 1])
  })

  test.each([
    [4, [1, 1, 1, 1 / 2, 1 / 4]],
    [7, [1, 1, 1, 1, 1 / 2]],
    [20, [1, 1, 1, 1, 1]],
  ])(
    'when none of %d validators proposed, then as many as may be down change nothing',
    (validators, shares) => {
      const { bound, round } = setUp(validators)
      const found = shares.map((_, of) => {
        round(1, of)
        return bound.timeShare(of)
      })
      expect(found).toEqual(shares)
    },
  )
})
