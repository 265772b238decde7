import { equalBytes } from '../bytes/bytes.ts'
import { includesAddress } from '../validators/votes.ts'
import type { Effect } from './effect.ts'
import type { QbftEnvironment } from './environment.ts'
import { handleBuilt } from './handle/built.ts'
import { handleHead } from './handle/head.ts'
import { handleMessage } from './handle/message.ts'
import { blockTimerFired, handleTimer } from './handle/timer.ts'
import { handleVerified } from './handle/verified.ts'
import type { Input } from './input.ts'
import { recorded } from './record.ts'
import { startRoundTimer } from './rounds.ts'
import type { HeightState, QbftState } from './state.ts'
import { ask, type Turn } from './turn.ts'

export type Transition = { readonly state: QbftState; readonly effects: readonly Effect[] }

const atHeight = (state: QbftState, step: (height: HeightState) => HeightState): QbftState =>
  state.height?.active === true ? { ...state, height: step(state.height) } : state

const step = (turn: Turn, state: QbftState, input: Input): QbftState => {
  switch (input.kind) {
    case 'head':
      return handleHead(turn, state, input.head)
    case 'message':
      return handleMessage(turn, state, input.message, input.peer)
    case 'timer':
      return atHeight(state, height => handleTimer(turn, height, input.timer, input.transactionsWaiting))
    case 'block-built':
      return atHeight(state, height => handleBuilt(turn, height, input))
    case 'block-verified':
      return atHeight(state, height => handleVerified(turn, height, input.hash, input.invalid))
    case 'import-failed':
      return atHeight(state, height => {
        if (height.importing === undefined || !equalBytes(height.importing, input.hash)) return height
        const open = { ...height, importing: undefined }
        startRoundTimer(turn, open)
        return open
      })
    case 'peer-connected':
      return atHeight(state, height => {
        if (!includesAddress(height.head.validators, input.peer)) return height
        const { ownMessages, ownRoundChange } = height
        for (const message of ownRoundChange === undefined ? ownMessages : [ownRoundChange, ...ownMessages])
          ask(turn, { kind: 'send', message, to: input.peer })
        return height
      })
    case 'transactions-waiting':
      return atHeight(state, height =>
        turn.nowMs < height.head.readyAtMs || height.importing !== undefined
          ? height
          : blockTimerFired(turn, height, true),
      )
  }
}

/**
 * The QBFT consensus of one validator (Besu's rules; quoted names in the comments are those of the QBFT paper and its Dafny
 * specification): what it does about one input. Pure: the same state, input and time give the same result. `nowMs` is
 * milliseconds since 1970.
 */
export const transition = (
  environment: QbftEnvironment,
  state: QbftState,
  input: Input,
  nowMs: number,
): Transition => {
  const turn: Turn = { environment, nowMs, effects: [] }
  const next = step(turn, state, input)
  return { state: next, effects: recorded(state, next, turn.effects) }
}
