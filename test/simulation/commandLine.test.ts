import { expect, setDefaultTimeout, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'

setDefaultTimeout(120_000)

const simulate = (...options: readonly string[]) =>
  spawnSync(execPath, [fileURLToPath(new URL('main.ts', import.meta.url)), ...options], { encoding: 'utf8' })

test('given a campaign, when it ends, then it reports seeds, steps, faults and violations', () => {
  const { status, stdout } = simulate('--seeds=4', '--validators=4', '--processes=2')
  expect(status).toBe(0)
  expect(stdout).toMatch(/^seeds +4 in .* s$/m)
  expect(stdout).toMatch(/^steps +\d+, \d+ blocks/m)
  expect(stdout).toMatch(/^faults +\d+ injected/m)
  expect(stdout).toMatch(/^violations +0$/m)
})

test('given fewer seeds than processes, when the campaign ends, then it has run each seed once', () => {
  const { status, stdout } = simulate('--seeds=1', '--validators=4', '--processes=2')
  expect(status).toBe(0)
  expect(stdout).toMatch(/^seeds +1 in .* s$/m)
})

test('given a seed, when it is replayed, then it reports event by event, and ends as in the campaign', () => {
  const { status, stdout } = simulate('--seed=2', '--validators=4')
  expect(status).toBe(0)
  expect(stdout).toContain('seed: 2\nvalidators: 4\n')
  expect(stdout).toContain('! the faults end')
  expect(stdout).toMatch(/^nothing was violated$/m)
})

test.each([['--validators=3'], ['--seeds=no'], ['--what']])(
  'given %s, when the command starts, then it is refused with the usage',
  option => {
    const { status, stderr } = simulate(option)
    expect(status).toBe(2)
    expect(stderr).toContain('bun run simulate [options]')
  },
)
