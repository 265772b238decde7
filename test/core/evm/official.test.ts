import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'bun:test'
import { runStateTests } from '../../../runtime/commands/statetest.ts'
import { archiveFolder } from '../../support/archive.ts'

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

const root = archiveFolder('GeneralStateTests')

describe.skipIf(root === undefined)('the official state tests', () => {
  const folders = root === undefined ? [] : readdirSync(root).filter(name => !SLOW.has(name))

  test('pass, but for the slow folders, which are run elsewhere', async () => {
    const lines: string[] = []
    const totals = await runStateTests(
      folders.sort().map(name => join(root as string, name)),
      { json: false, write: line => lines.push(line) },
    )
    expect(lines.slice(0, -1)).toEqual([])
    expect(totals.failed).toBe(0)
    expect(totals.passed).toBeGreaterThan(10_000)
  }, 60_000)
})

test.skipIf(root !== undefined)(
  'the official state tests: not here (../shared is absent), left out',
  () => {},
)
