import { describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { unsupportedRuntime } from '../../runtime/requirements.ts'

describe('given the versions of a runtime', () => {
  test.each([
    [{ node: '24.0.0' }],
    [{ node: '26.1.0' }],
    [{ node: '24.3.0', bun: '1.4.0' }],
    [{ node: '24.3.0', bun: '2.0.1' }],
    [{ node: '20.1.0', deno: '2.9.6' }],
  ])('when they are %p, then the node starts', versions => {
    expect(unsupportedRuntime(versions)).toBeUndefined()
  })

  test.each([
    [{ node: '20.20.2' }, 'Quorate needs Node 24 or newer, and this is Node 20.20.2.'],
    [{ node: '23.11.0' }, 'Quorate needs Node 24 or newer, and this is Node 23.11.0.'],
    [{ node: '24.3.0', bun: '1.3.9' }, 'Quorate needs Bun 1.4 or newer, and this is Bun 1.3.9.'],
  ])('when they are %p, then it ends with one sentence', (versions, sentence) => {
    expect(unsupportedRuntime(versions)).toBe(sentence)
  })
})

/** The environment without the Node that is a package of the project. */
const ENVIRONMENT = {
  ...process.env,
  PATH: (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter(folder => !folder.includes('node_modules'))
    .join(delimiter),
}

const runNode = (...args: readonly string[]) =>
  spawnSync('node', args, { encoding: 'utf8', env: ENVIRONMENT })

/** Version of the Node of this machine, which may be an old one; undefined without one. */
const installed = /^v(\S+)/.exec(runNode('--version').stdout ?? '')?.[1]

test.skipIf(installed === undefined)(
  'given the sources, when the Node of this machine starts them, then it runs them or ends with one sentence',
  () => {
    const { status, stdout, stderr } = runNode(join(import.meta.dir, '../../runtime/start.js'), '--version')
    const sentence = unsupportedRuntime({ node: installed })
    if (sentence === undefined) expect([status, stdout]).toEqual([0, expect.stringContaining('quorate')])
    else expect([status, stderr]).toEqual([1, `${sentence}\n`])
  },
)
