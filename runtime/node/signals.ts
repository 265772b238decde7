import process from 'node:process'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** The exit code shells give to what a signal ended: 128 and the number of SIGINT. */
const EXIT_FORCED = 130

export type StopSignal = {
  readonly received: boolean
  /** Resolves at the first signal. */
  readonly wait: Promise<void>
  /** Gives the signals their usual effect back. */
  release(): void
}

/** Listens for SIGINT and SIGTERM: the first asks to stop, a second ends the process at once. */
export const stopSignal = (): StopSignal => {
  let received = false
  let resolve: () => void = () => undefined
  const wait = new Promise<void>(done => {
    resolve = done
  })
  const onSignal = (): void => {
    if (received) process.exit(EXIT_FORCED)
    received = true
    resolve()
  }
  for (const signal of SIGNALS) process.on(signal, onSignal)
  return {
    get received() {
      return received
    },
    wait,
    release: () => {
      for (const signal of SIGNALS) process.off(signal, onSignal)
    },
  }
}
