/** Interval between checks. */
const POLL_MS = 10

/** A wait that does not end fails before the time limit of its test, which would not say what it waited for. */
const WAIT_MS_MAX = 55_000

type UntilOptions = {
  /** Named in the error; the text of the check when left out. */
  readonly what?: string
  readonly timeoutMs?: number
  readonly pollMs?: number
}

/** Resolves to the first result of the check that is not false or undefined. @throws Error after the timeout */
export const until = async <T>(
  check: () => T | Promise<T>,
  { what = String(check), timeoutMs = WAIT_MS_MAX, pollMs = POLL_MS }: UntilOptions = {},
): Promise<Exclude<T, false | undefined>> => {
  const endMs = performance.now() + timeoutMs
  for (;;) {
    const result = await check()
    if (result !== false && result !== undefined) return result as Exclude<T, false | undefined>
    if (performance.now() > endMs) throw new Error(`waited in vain for ${what}`)
    // Also runs in processes of Node and Deno.
    await new Promise(resolve => setTimeout(resolve, pollMs))
  }
}
