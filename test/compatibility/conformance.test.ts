import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { METHODS } from '../../handlers/rpc/methods/methodTable.ts'
import { runSuite, SUITES } from '../conformance/suites.ts'
import { sharedPath, suitesFollow } from '../support/published/shared.ts'

// A chain is imported and some hundred requests are made by another process.
setDefaultTimeout(120_000)

const root = suitesFollow ? undefined : sharedPath('conformance')

const SERVED: ReadonlySet<string> = new Set(METHODS.map(({ name }) => name))

/** The method a case is about: its folder, or what its file name begins with. */
const methodOf = (name: string): string =>
  /^[^/]*\//.exec(name)?.[0].slice(0, -1) ?? name.split('_').slice(0, 2).join('_')

describe.skipIf(root === undefined)('given the published JSON-RPC cases', () => {
  test.each([...SUITES])(
    'when those of $name run on served methods, then all hold, but for the listed exceptions',
    async suite => {
      const { failed, holdThough } = await runSuite(root as string, suite)
      expect(failed.filter(line => SERVED.has(methodOf(line.slice(0, line.indexOf(':')))))).toEqual([])
      expect(holdThough).toEqual([])
    },
  )
})

if (root === undefined)
  console.log('published JSON-RPC cases: skipped, ../shared is absent or they run afterwards')
