import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { useCryptoEngine } from '../../core/crypto/crypto.ts'
import { testEngine } from '../support/engine.ts'
import { loadRun, type Run } from './engines.ts'
import { FORGETTING_NAMES, settingsOfForgetting } from './settings.ts'

setDefaultTimeout(120_000)

const VALIDATORS = 4
const TRIES = 80
const SEEDS_MAX = 160

let run: Run

beforeAll(async () => {
  run = await loadRun()
})

// The engine that tests begin with.
afterAll(() => useCryptoEngine(testEngine))

const WAYS = {
  record: 'whose record is gone, as by the advice to delete the views of an earlier release',
  copied: 'whose data folder is an old copy',
  wiped: 'whose data folder is empty',
} as const

describe('given a validator that forgot what it signed in a height that is still open,', () => {
  test.each(FORGETTING_NAMES.map(name => [WAYS[name], name] as const))(
    `${TRIES} times one %s then nobody sees it sign twice, and blocks go on`,
    (_, forgetting) => {
      let tries = 0
      for (let seed = 1; tries < TRIES; seed++) {
        expect(seed).toBeLessThan(SEEDS_MAX)
        const { violation, faults } = run(settingsOfForgetting(seed, VALIDATORS, forgetting))
        tries += faults.get('signatures forgotten in an open height') ?? 0
        if (violation !== undefined)
          throw new Error(
            `bun run simulate --seed=${seed} --validators=${VALIDATORS} --forgetting=${forgetting}: ${violation}`,
          )
      }
    },
  )
})
