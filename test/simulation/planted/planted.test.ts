import { expect, setDefaultTimeout, test } from 'bun:test'
import { PLANTED_BUGS } from './bugs.ts'
import { seedThatFinds } from './findPlanted.ts'

setDefaultTimeout(120_000)

/** From the recorded seed on: a change of the simulation may give it another course. */
const SEEDS = 40

test.each(PLANTED_BUGS)(
  'given a planted bug, when the simulation runs, then it finds it: $name',
  async bug => {
    const found = await seedThatFinds(bug, bug.foundBy, SEEDS)
    expect(found?.violation).toMatch(bug.shows)
  },
)
