import { afterAll, describe, test } from 'bun:test'

type Body = () => void | Promise<void>

/** What `bun:test` has under these names, for tests that build on each other. */
export type Scenario = {
  readonly beforeAll: (body: Body) => void
  readonly afterAll: (body: Body) => void
  readonly test: {
    (name: string, body: Body): void
    each<T extends readonly unknown[]>(
      rows: readonly T[],
    ): (name: string, body: (...row: T) => void | Promise<void>) => void
  }
}

/** Networks in processes of their own mostly wait; with more of them at once two cores are too few for their timeouts. */
const SCENARIOS_MAX = 3
/** A test may wait for the ones before it, and for other scenarios; what it waits for itself has limits of its own. */
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

/**
 * A `describe` whose tests run one after the other, while other scenarios of the same test file run beside it, up to
 * three at once: Bun itself lets only single tests run beside each other. Set-up begins with its first test; what it
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
    for (const setUp of setUps) await setUp()
  }

  const end = async (): Promise<void> => {
    if (begun === undefined || isOver) return
    isOver = true
    try {
      for (const tearDown of tearDowns) await tearDown()
    } finally {
      leavePlace()
    }
  }

  const inTurn = (body: Body) => (): Promise<void> => {
    const turn = last.then(async () => {
      try {
        begun ??= begin()
        await begun
        await body()
      } finally {
        if (++ended === defined) await end()
      }
    })
    last = turn.catch(() => undefined)
    return turn
  }

  const ownTest = (name: string, body: Body): void => {
    defined++
    test.concurrent(name, inTurn(body), TEST_TIMEOUT_MS)
  }
  const each: Scenario['test']['each'] = rows => (name, body) => {
    defined += rows.length
    for (const row of rows)
      test.concurrent.each([row])(
        name,
        inTurn(() => body(...row)),
        TEST_TIMEOUT_MS,
      )
  }

  // Where only some of the tests are run, the last may not be among them.
  afterAll(end)
  describe.skipIf(skip)(title, () =>
    define({
      beforeAll: body => setUps.push(body),
      afterAll: body => tearDowns.push(body),
      test: Object.assign(ownTest, { each }),
    }),
  )
}
