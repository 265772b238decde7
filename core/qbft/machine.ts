import { inOneGo, type Steps } from '../steps.ts'
import type { Effect } from './effect.ts'
import type { QbftEnvironment } from './environment.ts'
import { handleBuilt } from './handle/built.ts'
import { handleConnected } from './handle/connected.ts'
import { handleHead } from './handle/head.ts'
import { handleImportFailed } from './handle/importFailed.ts'
import { handleMessage } from './handle/message.ts'
import { askPosition, handlePosition, handleRecallTimer } from './handle/recall.ts'
import { handleTimer, handleTransactions } from './handle/timer.ts'
import { handleUnverified, handleVerified } from './handle/verified.ts'
import type { Input } from './input.ts'
import { recorded } from './record.ts'
import type { HeightState, QbftState } from './state.ts'
import type { Turn } from './turn.ts'

export type Transition = { readonly state: QbftState; readonly effects: readonly Effect[] }

function* atHeight(state: QbftState, steps: (height: HeightState) => Steps<HeightState>): Steps<QbftState> {
  return state.height?.active === true ? { ...state, height: yield* steps(state.height) } : state
}

const inOneStep = (state: QbftState, step: (height: HeightState) => HeightState): QbftState =>
  state.height?.active === true ? { ...state, height: step(state.height) } : state

function* stepsOf(turn: Turn, state: QbftState, input: Input): Steps<QbftState> {
  switch (input.kind) {
    case 'head':
      return yield* handleHead(turn, state, input.head)
    case 'message':
      return yield* handleMessage(turn, state, input.message, input.peer)
    case 'position':
      return yield* handlePosition(turn, state, input.peer, input.position)
    case 'timer':
      if (input.timer.kind === 'recall') return yield* handleRecallTimer(turn, state)
      return yield* atHeight(state, height =>
        handleTimer(turn, height, input.timer, input.transactionsWaiting),
      )
    case 'block-built':
      return yield* atHeight(state, height => handleBuilt(turn, height, input))
    case 'block-verified':
      return yield* atHeight(state, height => handleVerified(turn, height, input.hash, input.invalid))
    case 'block-unverified':
      return inOneStep(state, height => handleUnverified(turn, height, input.hash))
    case 'import-failed':
      return inOneStep(state, height => handleImportFailed(turn, height, input.hash))
    case 'peer-connected':
      askPosition(turn, state, input.peer)
      return inOneStep(state, height => handleConnected(turn, height, input.peer))
    case 'transactions-waiting':
      return yield* atHeight(state, height => handleTransactions(turn, height))
  }
}

/**
 * The QBFT consensus of one validator (Besu's rules; quoted names in the comments are those of the QBFT paper and its Dafny
 * specification): what it does about one input. Pure: the same state, input and time give the same result. `nowMs` is
 * milliseconds since 1970. Yields while a block is read or proposed, for a large one takes long: whoever lets other work
 * have its turn gives the machine nothing else meanwhile.
 */
export function* transitionSteps(
  environment: QbftEnvironment,
  state: QbftState,
  input: Input,
  nowMs: number,
): Steps<Transition> {
  const turn: Turn = { environment, nowMs, effects: [] }
  const next = yield* stepsOf(turn, state, input)
  return { state: next, effects: recorded(state, next, turn.effects) }
}

/** The same in one go. */
export const transition = (
  environment: QbftEnvironment,
  state: QbftState,
  input: Input,
  nowMs: number,
): Transition => inOneGo(transitionSteps(environment, state, input, nowMs))
