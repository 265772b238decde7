import process from 'node:process'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** The exit code shells give to what a signal ended: 128 and the number of SIGINT. */
const EXIT_FORCED = 130

/**
 * What comes sooner after the first is the same signal once more: a terminal sends Ctrl-C to `bun run` and to the node
 * under it, and `bun run` passes it on.
 */
const SAME_SIGNAL_MS = 1_000

export type StopSignal = {
  readonly received: boolean
  /** Resolves at the first signal. */
  readonly wait: Promise<void>
  /** Gives the signals their usual effect back. */
  release(): void
}

/**
 * Listens for SIGINT and SIGTERM: the first asks to stop, another one later ends the process at once. `withInput`: the end
 * of standard input asks to stop too, and never ends the process.
 */
export const stopSignal = ({ withInput = false } = {}): StopSignal => {
  let received = false
  let receivedMs = 0
  let resolve: () => void = () => undefined
  const wait = new Promise<void>(done => {
    resolve = done
  })
  const ask = (): void => {
    if (received) return
    received = true
    receivedMs = performance.now()
    resolve()
  }
  const onSignal = (): void => {
    if (received && performance.now() - receivedMs > SAME_SIGNAL_MS) process.exit(EXIT_FORCED)
    ask()
  }
  for (const signal of SIGNALS) process.on(signal, onSignal)
  if (withInput) process.stdin.once('end', ask).once('error', ask).resume()
  return {
    get received() {
      return received
    },
    wait,
    release: () => {
      for (const signal of SIGNALS) process.off(signal, onSignal)
      process.stdin.off('end', ask).off('error', ask)
    },
  }
}
