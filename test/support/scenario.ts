import { afterAll, describe, test } from 'bun:test'

type Body = () => void | Promise<void>

type Each = <T extends readonly unknown[]>(
  rows: readonly T[],
) => (name: string, body: (...row: T) => void | Promise<void>) => void

type DefineTest = {
  (name: string, body: Body): void
  readonly each: Each
}

/** What `bun:test` has under these names, for tests that build on each other. */
export type Scenario = {
  readonly beforeAll: (body: Body) => void
  readonly afterAll: (body: Body) => void
  readonly test: DefineTest
}

/**
 * Networks in processes of their own mostly wait; with more of them at once two cores are too few for their timeouts.
 * Where Bun runs several test files at once, others are beside them.
 */
const SCENARIOS_MAX = process.env['BUN_TEST_WORKER_ID'] === undefined ? 3 : 2
/** Of a test by itself, and of its set-up: one that hangs ends, also on a busy machine. */
const BODY_TIMEOUT_MS = 120_000
/** With the time for which it waits for the ones before it, and for a place. */
const TEST_TIMEOUT_MS = 600_000

let places = SCENARIOS_MAX
const waiting: (() => void)[] = []

const takePlace = async (): Promise<void> => {
  if (places > 0) places--
  else await new Promise<void>(resolve => waiting.push(resolve))
}

const leavePlace = (): void => {
  const next = waiting.shift()
  if (next === undefined) places++
  else next()
}

const runLimited = async (body: Body): Promise<void> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`timed out after ${BODY_TIMEOUT_MS} ms`)), BODY_TIMEOUT_MS)
  })
  try {
    await Promise.race([body(), late])
  } finally {
    clearTimeout(timer)
  }
}

const defineTest = (wrap: (body: Body) => () => Promise<void>): DefineTest => {
  const define = (name: string, body: Body): void => test.concurrent(name, wrap(body), TEST_TIMEOUT_MS)
  const each: Each = rows => (name, body) => {
    for (const row of rows)
      test.concurrent.each([row])(
        name,
        wrap(() => body(...row)),
        TEST_TIMEOUT_MS,
      )
  }
  return Object.assign(define, { each })
}

const inPlace = (body: Body) => async (): Promise<void> => {
  await takePlace()
  try {
    await runLimited(body)
  } finally {
    leavePlace()
  }
}

/**
 * A test that needs nothing of the others of its file: two or three run beside each other. Not for tests that take up
 * this process itself.
 */
export const independent: DefineTest & { skipIf(condition: boolean): DefineTest } = Object.assign(
  defineTest(inPlace),
  { skipIf: (condition: boolean): DefineTest => (condition ? test.skip : independent) },
)

/**
 * A `describe` whose tests run one after the other, while other scenarios of the same test file run beside it, two
 * or three at once: Bun itself lets only single tests run beside each other. Set-up begins with its first test; what it
 * started ends with its last.
 */
export const scenario = (
  title: string,
  define: (own: Scenario) => void,
  { skip = false }: { readonly skip?: boolean } = {},
): void => {
  const setUps: Body[] = []
  const tearDowns: Body[] = []
  let defined = 0
  let ended = 0
  let begun: Promise<void> | undefined
  let isOver = false
  let last: Promise<unknown> = Promise.resolve()

  const begin = async (): Promise<void> => {
    await takePlace()
    for (const setUp of setUps) await runLimited(setUp)
  }

  const end = async (): Promise<void> => {
    if (begun === undefined || isOver) return
    isOver = true
    try {
      for (const tearDown of tearDowns) await runLimited(tearDown)
    } finally {
      leavePlace()
    }
  }

  const inTurn = (body: Body) => {
    defined++
    return (): Promise<void> => {
      const turn = last.then(async () => {
        try {
          begun ??= begin()
          await begun
          await runLimited(body)
        } finally {
          if (++ended === defined) await end()
        }
      })
      last = turn.catch(() => undefined)
      return turn
    }
  }

  // Where only some of the tests are run, the last may not be among them.
  afterAll(end)
  describe.skipIf(skip)(title, () =>
    define({
      beforeAll: body => setUps.push(body),
      afterAll: body => tearDowns.push(body),
      test: defineTest(inTurn),
    }),
  )
}
