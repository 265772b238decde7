import process from 'node:process'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** Exit code of a process that a signal ended: 128 plus the number of SIGINT. */
const EXIT_FORCED = 130

/**
 * A second signal within this time is a copy of the first: a terminal sends Ctrl-C to `bun run` and to the node below it, and
 * `bun run` forwards it.
 */
const SAME_SIGNAL_MS = 1_000

export type StopSignal = {
  readonly received: boolean
  /** Resolves at the first signal. */
  readonly wait: Promise<void>
  /** Aborted by the first signal. */
  readonly signal: AbortSignal
  /** Restores the default effect of the signals. */
  release(): void
}

/**
 * Listens for SIGINT and SIGTERM: the first signal requests a stop, a later one ends the process at once. `withInput`: the
 * end of standard input requests a stop, too.
 */
export const stopSignal = ({ withInput = false } = {}): StopSignal => {
  let received = false
  let receivedMs = 0
  const controller = new AbortController()
  let resolve: () => void = () => undefined
  const wait = new Promise<void>(done => {
    resolve = done
  })
  const requestStop = (): void => {
    if (received) return
    received = true
    receivedMs = performance.now()
    controller.abort()
    resolve()
  }
  const onSignal = (): void => {
    if (received && performance.now() - receivedMs > SAME_SIGNAL_MS) process.exit(EXIT_FORCED)
    requestStop()
  }
  for (const signal of SIGNALS) process.on(signal, onSignal)
  if (withInput) process.stdin.once('end', requestStop).once('error', requestStop).resume()
  return {
    get received() {
      return received
    },
    wait,
    signal: controller.signal,
    release: () => {
      for (const signal of SIGNALS) process.off(signal, onSignal)
      process.stdin.off('end', requestStop).off('error', requestStop)
    },
  }
}
