import type { OnNextTurn } from '../../core/scheduler.ts'

/** Longest time of work on Deno without a look for input: less than what a client notices. */
const INPUT_MS = 10

const withTimer: OnNextTurn = run => void setTimeout(run, 0)

const withImmediate: OnNextTurn = run => void setImmediate(run)

/**
 * While setImmediate has something to run, Deno polls for input in about one of sixty turns only: with 2 ms of work in each, requests
 * waited for more than 100 ms. It also looks when nothing but a timer is due.
 */
const createDenoTurns = (): OnNextTurn => {
  let lookedMs = Number.NEGATIVE_INFINITY
  return run => {
    if (performance.now() - lookedMs < INPUT_MS) return withImmediate(run)
    withTimer(() => {
      lookedMs = performance.now()
      run()
    })
  }
}

/** Runs a function in the next turn of the event loop, as the runtime does it best. Web workers have no setImmediate. */
export const onNextTurn: OnNextTurn =
  typeof setImmediate !== 'function' ? withTimer : 'Deno' in globalThis ? createDenoTurns() : withImmediate
