import { afterEach, describe, expect, setSystemTime, test } from 'bun:test'
import type { BuildOptions } from '../../../../core/chain/chain.ts'
import { createBlockBuilder } from '../../../../runtime/consensus/blocks/blockBuilder.ts'
import { DEFAULT_MESSAGING, DEFAULT_PARAMETERS } from '../../../support/chains/qbftDefaults.ts'
import { BLOCK } from '../../../core/qbft/codec/messages.ts'

afterEach(() => void setSystemTime())

/** What the builder asks of the chain for a block that has this part of the selection time, with a period of one second. */
const asked = async (share: number, gasMax?: bigint): Promise<BuildOptions> => {
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
    { gasMax: () => gasMax, timeShare: () => share },
  )
  await build(BLOCK.header.number + 1n, 0, 1_000n)
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
    [1, 800],
    [1 / 2, 400],
    [1 / 32, 25],
  ])('when the block has %d of that, then the builder chooses transactions for %d ms', async (share, ms) => {
    expect(fullAfterMs(await asked(share))).toBe(ms)
  })

  test('when rounds were too short for larger blocks, then the builder stops at the gas that fits', async () => {
    const { full } = await asked(1, 42_000n)
    expect([full(21_000n), full(42_000n)]).toEqual([false, true])
  })
})
