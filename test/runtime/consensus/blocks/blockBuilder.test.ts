import { afterEach, describe, expect, setSystemTime, test } from 'bun:test'
import type { BuildOptions } from '../../../../core/chain/chain.ts'
import { createBlockBuilder } from '../../../../runtime/consensus/blocks/blockBuilder.ts'
import { DEFAULT_MESSAGING, DEFAULT_PARAMETERS } from '../../../support/chains/qbftDefaults.ts'
import { BLOCK } from '../../../core/qbft/codec/messages.ts'

afterEach(() => void setSystemTime())

/** What the builder asks of the chain for a block of this round, with a period of one second. */
const asked = async (round: number, gasMax?: bigint): Promise<BuildOptions> => {
  let options: BuildOptions | undefined
  setSystemTime(1_000_000)
  const build = createBlockBuilder(
    {
      chain: {
        head: () => BLOCK,
        buildBlock: (given: BuildOptions) => {
          options = given
          return Promise.resolve({ rejected: [], stopped: [] })
        },
      } as never,
      consensus: {
        kind: 'qbft',
        parameters: { ...DEFAULT_PARAMETERS, blockPeriodSeconds: 1 },
        startBlock: 0n,
        messaging: DEFAULT_MESSAGING,
        transitions: [],
      },
      pool: { candidates: () => undefined, isDeferred: () => false } as never,
      poolHead: () => undefined as never,
      key: { address: new Uint8Array(20) },
      standingVotes: () => [],
      settings: () => ({}) as never,
      selectionPercent: 80,
      log: { debug: () => undefined } as never,
    },
    () => gasMax,
  )
  await build(BLOCK.header.number + 1n, round, 1_000n)
  if (options === undefined) throw new Error('no block was built')
  return options
}

/** Milliseconds after which the block is full. */
const fullAfterMs = ({ full }: BuildOptions): number => {
  for (let ms = 0; ms <= 1_000; ms++) {
    setSystemTime(1_000_000 + ms)
    if (full(0n)) return ms
  }
  throw new Error('never full')
}

describe('given a period of one second, of which selection may take 80 %', () => {
  test.each([
    [0, 800],
    [1, 800],
    [2, 400],
    [3, 200],
    [6, 25],
    [100, 25],
  ])('when the block is for round %d, then the builder chooses transactions for %d ms', async (round, ms) => {
    expect(fullAfterMs(await asked(round))).toBe(ms)
  })

  test('when rounds were too short for larger blocks, then the builder stops at the gas that fits', async () => {
    const { full } = await asked(0, 42_000n)
    expect([full(21_000n), full(42_000n)]).toEqual([false, true])
  })
})
