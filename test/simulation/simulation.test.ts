import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { useCryptoEngine } from '../../core/crypto/crypto.ts'
import { testEngine } from '../support/engine.ts'
import { loadRun, type Run } from './engines.ts'
import { PAST_SEEDS, settingsOfPast } from './pastSeeds.ts'
import { settingsOf } from './settings.ts'

setDefaultTimeout(120_000)

const FRESH_FROM = 100_000
/** Few: `bun run simulate` runs any number. */
const FRESH_SEEDS = 24

let run: Run

beforeAll(async () => {
  run = await loadRun()
})

// The engine that tests begin with.
afterAll(() => useCryptoEngine(testEngine))

describe('given machines under a seeded clock and network', () => {
  test.each([1, 4, 499])('when seed %d runs twice, then both runs are the same', seed => {
    const settings = settingsOf(seed, undefined)
    const [first, second] = [run(settings), run(settings)]
    expect(second).toEqual(first)
  })

  test('when seeds differ, then the runs differ', () => {
    const hashes = [1, 2, 3].map(seed => run(settingsOf(seed, 4)).hash)
    expect(new Set(hashes).size).toBe(3)
  })

  test.each(PAST_SEEDS)('when seed $seed runs, found earlier, then it holds: $reason', past => {
    expect(run(settingsOfPast(past)).violation).toBeUndefined()
  })

  test(`when ${FRESH_SEEDS} seeds run, then all hold`, () => {
    for (let seed = FRESH_FROM; seed < FRESH_FROM + FRESH_SEEDS; seed++) {
      const { violation } = run(settingsOf(seed, undefined))
      if (violation !== undefined) throw new Error(`bun run simulate --seed=${seed}: ${violation}`)
    }
  })
})
