import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'bun:test'
import { runStateTests } from '../../../runtime/commands/statetest/statetest.ts'
import { runCommand } from '../../runtime/nodeProcess.ts'
import { archiveFolder } from '../../support/published/archive.ts'
import { suitesFollow } from '../../support/published/shared.ts'

/** What takes minutes; `evm statetest` runs the whole archive, `.ci/run` does so. */
const SLOW = new Set([
  'VMTests',
  'stPreCompiledContracts',
  'stPreCompiledContracts2',
  'stQuadraticComplexityTest',
  'stStaticCall',
  'stTimeConsuming',
  'stZeroKnowledge',
  'stZeroKnowledge2',
])

const root = suitesFollow ? undefined : archiveFolder('GeneralStateTests')

describe.skipIf(root === undefined)('given the official state tests', () => {
  const folders = root === undefined ? [] : readdirSync(root).filter(name => !SLOW.has(name))

  test('when they run, then they pass, without the slow folders, which run elsewhere', async () => {
    const paths = folders.sort().map(name => join(root as string, name))
    // Half of them in this process, half by the command, at the same time: they take up a core each.
    const [here, there] = [0, 1].map(half => paths.filter((_, index) => index % 2 === half)) as [
      string[],
      string[],
    ]
    const command = runCommand(['evm', 'statetest', ...there])
    const lines: string[] = []
    const { passed, failed } = await runStateTests(here, { json: false, write: line => lines.push(line) })
    expect(lines.slice(0, -1)).toEqual([])
    expect(failed).toBe(0)
    const { code, out, error } = await command
    expect([code, error]).toEqual([0, ''])
    const told = /^(\d+) passed, 0 failed, \d+ skipped\n$/.exec(out)
    expect(passed + Number(told?.[1])).toBeGreaterThan(10_000)
  }, 120_000)
})

test.skipIf(root !== undefined)(
  'given the official state tests, when ../shared is absent or they run afterwards, then they are left out',
  () => {},
)
