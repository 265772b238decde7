import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { runCase, TEST_FORKS } from '../../statetest/case.ts'
import { accountsOf, type PostJson, type StateTestJson } from '../../statetest/fixture.ts'
import { memoryStateOf } from '../../statetest/memoryState.ts'

export type StateTestOptions = {
  /** Writes one JSON line for each case instead of a line for each failure. */
  readonly json: boolean
  readonly write: (line: string) => void
  /** Runs only the cases of this fork, by its name in the files. */
  readonly fork?: string
}

export type StateTestTotals = { readonly passed: number; readonly failed: number; readonly skipped: number }

/**
 * Runs GeneralStateTest files and all of them in the given folders. Skips cases of unknown forks. Writes each failure, and
 * the totals at the end.
 * @throws errors of the file system; InvalidStateTest for a file with another content
 */
export const runStateTests = async (
  paths: readonly string[],
  options: StateTestOptions,
): Promise<StateTestTotals> => {
  const totals = { passed: 0, failed: 0, skipped: 0 }
  for (const path of paths) for await (const file of testFiles(path)) await runFile(file, options, totals)
  options.write(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`)
  return totals
}

async function* testFiles(path: string): AsyncGenerator<string> {
  if ((await stat(path)).isFile()) {
    yield path
    return
  }
  const entries = await readdir(path, { withFileTypes: true })
  entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    const full = join(path, entry.name)
    if (entry.isDirectory()) yield* testFiles(full)
    else if (entry.name.endsWith('.json')) yield full
  }
}

/** A path names a file that is not a state test. */
class InvalidStateTest extends Error {
  override readonly name = 'InvalidStateTest'
  readonly code = 'INVALID_STATE_TEST'
  constructor(file: string, detail: string) {
    super(`${file} is not a GeneralStateTest file: ${detail}`)
  }
}

const parseTests = (file: string, text: string): Readonly<Record<string, StateTestJson>> => {
  let tests: unknown
  try {
    tests = JSON.parse(text)
  } catch {
    // The messages of the engines differ between runtimes.
    throw new InvalidStateTest(file, 'it is not JSON')
  }
  const isTest = (test: unknown): boolean =>
    typeof test === 'object' && test !== null && 'pre' in test && 'post' in test
  if (typeof tests !== 'object' || tests === null || !Object.values(tests).every(isTest))
    throw new InvalidStateTest(file, 'each of its tests needs the entries pre and post')
  return tests as Readonly<Record<string, StateTestJson>>
}

const runFile = async (
  file: string,
  options: StateTestOptions,
  totals: { passed: number; failed: number; skipped: number },
): Promise<void> => {
  const tests = parseTests(file, await readFile(file, 'utf8'))
  for (const [name, test] of Object.entries(tests)) {
    const pre = memoryStateOf(accountsOf(test.pre))
    for (const [fork, posts] of Object.entries(test.post)) {
      if (options.fork !== undefined && options.fork !== fork) continue
      for (const post of posts) {
        if (!TEST_FORKS.has(fork)) {
          totals.skipped++
          continue
        }
        const { stateRoot, failure } = attempt(() => runCase(test, pre, fork, post))
        if (failure === undefined) totals.passed++
        else totals.failed++
        report(options, { file, name, fork, post, stateRoot, failure })
      }
    }
  }
}

/** An error of the interpreter is one failed case and does not end the run. */
const attempt = (run: () => ReturnType<typeof runCase>): ReturnType<typeof runCase> => {
  try {
    return run()
  } catch (error) {
    return {
      stateRoot: '',
      failure: `threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    }
  }
}

const report = (
  { json, write }: StateTestOptions,
  outcome: {
    file: string
    name: string
    fork: string
    post: PostJson
    stateRoot: string
    failure: string | undefined
  },
): void => {
  const { file, name, fork, post, stateRoot, failure } = outcome
  const { data, gas, value } = post.indexes
  if (json)
    write(
      JSON.stringify({
        file,
        name,
        fork,
        data,
        gas,
        value,
        pass: failure === undefined,
        stateRoot,
        error: failure,
      }),
    )
  else if (failure !== undefined) write(`${file} ${name} ${fork} d${data} g${gas} v${value}: ${failure}`)
}
