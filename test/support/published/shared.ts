import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const SHARED = fileURLToPath(new URL('../../../../shared', import.meta.url))

/** The path of published test data beside the checkout, or undefined where it is absent: the test then skips itself. */
export const sharedPath = (path: string): string | undefined => {
  const full = `${SHARED}/${path}`
  return existsSync(full) ? full : undefined
}

/** Set by `.ci/run`, which runs whole suites after the tests: the state tests, and the published cases of the API. */
export const suitesFollow: boolean = process.env['SUITES_FOLLOW'] === 'true'
