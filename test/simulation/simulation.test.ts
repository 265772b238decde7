import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { useCryptoEngine } from '../../core/crypto/crypto.ts'
import { testEngine } from '../support/engine.ts'
import { loadRun, type Run } from './engines.ts'
import { PAST_SEEDS, settingsOfPast } from './pastSeeds.ts'
import { settingsOf } from './settings.ts'

setDefaultTimeout(60_000)

const FRESH_FROM = 100_000
const FRESH_SEEDS = 60

let run: Run

beforeAll(async () => {
  run = await loadRun()
})

// The engine that tests begin with.
afterAll(() => useCryptoEngine(testEngine))

describe('machines under a seeded clock and network', () => {
  test.each([1, 4, 499])('seed %d happens in the same way every time', seed => {
    const settings = settingsOf(seed, undefined)
    const [first, second] = [run(settings), run(settings)]
    expect(second).toEqual(first)
  })

  test('different seeds happen differently', () => {
    const hashes = [1, 2, 3].map(seed => run(settingsOf(seed, 4)).hash)
    expect(new Set(hashes).size).toBe(3)
  })

  test.each(PAST_SEEDS)('seed $seed, found earlier, holds: $reason', past => {
    expect(run(settingsOfPast(past)).violation).toBeUndefined()
  })

  test(`${FRESH_SEEDS} seeds hold`, () => {
    for (let seed = FRESH_FROM; seed < FRESH_FROM + FRESH_SEEDS; seed++) {
      const { violation } = run(settingsOf(seed, undefined))
      if (violation !== undefined) throw new Error(`bun run simulate --seed=${seed}: ${violation}`)
    }
  })
})
