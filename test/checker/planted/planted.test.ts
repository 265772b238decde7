import { expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { PLANTED_FAULTS } from './faults.ts'
import { planted } from './source.ts'

setDefaultTimeout(120_000)

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))
const ROOT = new URL('../../../', import.meta.url)

/** Found in the fewest states of those that need a Byzantine member, and of those that need several honest steps. */
const IN_SUITE = ['lock-forgotten', 'sender-counted-twice']

test.each(PLANTED_FAULTS.filter(({ name }) => IN_SUITE.includes(name)))(
  'given a planted fault, when the checker explores within its bounds, then a rule shows it: $name',
  async ({ name, shows }) => {
    const child = Bun.spawn([process.execPath, MAIN, `--plant=${name}`], { stdout: 'pipe' })
    const text = await new Response(child.stdout).text()
    expect(await child.exited).toBe(1)
    expect(text.split('\n').find(line => line.startsWith('then: '))).toMatch(shows)
  },
)

test('given the planted faults, when their places are looked up, then each stands in its file exactly once', () => {
  expect(PLANTED_FAULTS.length).toBeGreaterThanOrEqual(12)
  for (const fault of PLANTED_FAULTS) {
    const source = readFileSync(new URL(fault.file, ROOT), 'utf8')
    expect(planted(fault, source)).not.toBe(source)
  }
})
