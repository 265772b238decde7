import type { Outcome } from './envelope.ts'
import type { Call } from '../methods/method.ts'

/** Runs something in the next turn of the event loop, when what has come on other connections was read too. */
export type OnNextTurn = (run: () => void) => void

/** Runs that begin in one turn: each may take two milliseconds before it moves to another thread. */
const BEGUN_MAX = 8

/** Calls that are handled together: as many as clients usually put into a batch. */
const HANDLED_MAX = 100

/**
 * Lets what is asked for in one turn begin in the next one, each right behind the other. Between two requests a server goes
 * through the kernel and its HTTP parser, and code that is run then finds the processor's caches cold: with 16 connections
 * a third more calls are answered this way. What waits is no more than the requests under way.
 */
export const createBeginning = (onNextTurn: OnNextTurn): (() => Promise<void>) => {
  const waiting: (() => void)[] = []
  const begin = (): void => {
    const first = waiting.splice(0, BEGUN_MAX)
    if (waiting.length > 0) onNextTurn(begin)
    for (const go of first) go()
  }
  return () =>
    new Promise(go => {
      if (waiting.push(go) === 1) onNextTurn(begin)
    })
}

/**
 * Handles calls together that come by themselves: those of one turn, and those that come while others are being handled. They
 * are handled in the order they came, and answered so.
 * @param handle gives an outcome for each call and never fails.
 */
export const createGathering = (
  onNextTurn: OnNextTurn,
  handle: (calls: readonly Call[]) => Promise<readonly Outcome[]>,
): ((call: Call) => Promise<Outcome>) => {
  const waiting: { readonly call: Call; readonly answer: (outcome: Outcome) => void }[] = []
  let busy = false
  const handleNext = async (): Promise<void> => {
    const first = waiting.splice(0, HANDLED_MAX)
    const outcomes = await handle(first.map(({ call }) => call))
    first.forEach(({ answer }, index) => answer(outcomes[index] as Outcome))
    busy = waiting.length > 0
    if (busy) onNextTurn(() => void handleNext())
  }
  return call =>
    new Promise(answer => {
      waiting.push({ call, answer })
      if (busy) return
      busy = true
      onNextTurn(() => void handleNext())
    })
}
