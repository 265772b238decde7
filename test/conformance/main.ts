import { sharedPath } from '../support/published/shared.ts'
import { runSuite, SUITES } from './suites.ts'

/** `bun run conformance`: the published JSON-RPC cases against a node that serves a chain imported just now. */
const main = async (): Promise<number> => {
  const root = sharedPath('conformance')
  if (root === undefined) {
    console.log('conformance: left out, ../shared is not here')
    return 0
  }
  let failures = 0
  for (const suite of SUITES) {
    const { lines, failed, holdThough } = await runSuite(root, suite)
    console.log(`== ${suite.name} cases\n${lines.join('\n')}`)
    for (const line of failed) console.log(`does not hold: ${line}`)
    for (const name of holdThough) console.log(`holds, and is listed as one that cannot: ${name}`)
    failures += failed.length + holdThough.length
  }
  console.log(`conformance: ${failures === 0 ? 'as it should be' : `${failures} not as they should be`}`)
  return failures === 0 ? 0 : 1
}

process.exitCode = await main()
