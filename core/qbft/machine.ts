import { runSteps, type Steps } from '../steps.ts'
import { checkTransition } from './checkTransition.ts'
import type { Effect } from './effect.ts'
import type { QbftEnvironment } from './environment.ts'
import { handleBuilt } from './handle/built.ts'
import { handleConnected } from './handle/connected.ts'
import { handleHead } from './handle/head.ts'
import { handleImportFailed } from './handle/importFailed.ts'
import { handleMessage } from './handle/message.ts'
import { requestPosition, handlePosition, handleRecallTimer, recallAnew } from './handle/recall.ts'
import { handleTimer, handleTransactions } from './handle/timer.ts'
import { handleUnverified, handleVerified } from './handle/verified.ts'
import type { Input } from './input.ts'
import { recorded } from './restart/record.ts'
import type { HeightState, QbftState } from './state.ts'
import type { TransitionContext } from './transitionContext.ts'

export type Transition = { readonly state: QbftState; readonly effects: readonly Effect[] }

function* atHeight(state: QbftState, steps: (height: HeightState) => Steps<HeightState>): Steps<QbftState> {
  return state.height?.active === true ? { ...state, height: yield* steps(state.height) } : state
}

const atHeightNow = (state: QbftState, step: (height: HeightState) => HeightState): QbftState =>
  state.height?.active === true ? { ...state, height: step(state.height) } : state

function* stepsOf(context: TransitionContext, state: QbftState, input: Input): Steps<QbftState> {
  switch (input.kind) {
    case 'head':
      return yield* handleHead(context, state, input.head)
    case 'message':
      return yield* handleMessage(context, state, input.message, input.peer)
    case 'position':
      return yield* handlePosition(context, state, input.peer, { sequence: input.sequence })
    case 'timer':
      if (input.timer.kind === 'recall') return yield* handleRecallTimer(context, state)
      return yield* atHeight(state, height =>
        handleTimer(context, height, input.timer, input.transactionsWaiting),
      )
    case 'block-built':
      return yield* atHeight(state, height => handleBuilt(context, height, input))
    case 'block-verified':
      return yield* atHeight(state, height => handleVerified(context, height, input.hash, input.invalid))
    case 'block-unverified':
      return atHeightNow(state, height => handleUnverified(context, height, input.hash))
    case 'import-failed':
      return atHeightNow(state, height => handleImportFailed(context, height, input.hash))
    case 'peer-connected':
      return atHeightNow(requestPosition(context, state, input.peer), height =>
        handleConnected(context, height, input.peer),
      )
    case 'record-doubted':
      return recallAnew(state)
    case 'transactions-waiting':
      return yield* atHeight(state, height => handleTransactions(context, height))
  }
}

/**
 * The QBFT state machine of one validator (Besu's rules; quoted names in comments are those of the QBFT paper and its Dafny
 * specification): computes the transition for one input. Pure: the same state, input and time give the same result. `nowMs`
 * is milliseconds since 1970. Yields while a large block is decoded or proposed; no other input may be processed until the
 * transition is complete.
 * @throws InvariantBroken, after which this validator must not sign any more
 */
export function* transitionSteps(
  environment: QbftEnvironment,
  state: QbftState,
  input: Input,
  nowMs: number,
): Steps<Transition> {
  const context: TransitionContext = { environment, nowMs, effects: [] }
  const next = yield* stepsOf(context, state, input)
  const effects = recorded(state, next, context.effects)
  checkTransition(state, next, effects)
  return { state: next, effects }
}

/** As `transitionSteps`, without yielding. */
export const transition = (
  environment: QbftEnvironment,
  state: QbftState,
  input: Input,
  nowMs: number,
): Transition => runSteps(transitionSteps(environment, state, input, nowMs))
