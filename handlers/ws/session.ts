import type { Scheduler } from '../../core/scheduler.ts'
import type { Caller } from '../auth/caller.ts'
import type { ConnectionAuthentication } from '../auth/connection.ts'
import type { Admitted, InboundLimits } from '../inbound/inboundLimits.ts'
import { createConnectionUnits } from '../inbound/unitBudget.ts'
import type { Dispatcher, Reply } from '../rpc/dispatch/dispatcher.ts'
import { errorOutcome, replyText } from '../rpc/dispatch/envelope.ts'
import { RPC_ERRORS, type RpcErrorName } from '../rpc/errors.ts'
import type { ConnectionSubscriptions, SubscriptionHub } from '../rpc/subscriptions/subscriptions.ts'
import { createOutbox, type Outbox, POLL_MS } from './outbox.ts'
import { CLOSE_CODES, type Session, type Socket } from './socket.ts'

/** Messages of one connection that are processed at the same time; each may have a long answer. */
export const IN_WORK_MAX = 16

/** Maximum number of waiting messages of one connection, and of their characters: far more than a client sends at once. */
export const WAITING_MAX = 16_384
const WAITING_LENGTH_MAX = 16 * 1024 * 1024

/** No request is shorter: `{"id":1,"method":""}`. Each shorter message costs an answer all the same. */
const SHORT_MESSAGE_LENGTH = 20

/** Messages of a client that is being disconnected, after which it is not waited for any more. */
const LATE_MESSAGES_MAX = 1_000

/** Time for a disconnected client to read the reason. */
export const CUT_GRACE_MS = 5_000

/** Waiting messages started in one turn of the event loop; most are answered at once. */
const TURN_MESSAGES = 64

const INTERNAL_ERROR = replyText('null', errorOutcome('INTERNAL_ERROR'))
const NODE_BUSY = replyText('null', errorOutcome('NODE_BUSY'))
const EMPTY_MESSAGE: Reply = { status: 400, body: replyText('null', errorOutcome('INVALID_REQUEST')) }

export type SessionParts = {
  readonly scheduler: Pick<Scheduler, 'begin' | 'nextTurn'>
  readonly dispatcher: Dispatcher
  readonly hub: SubscriptionHub
  readonly inbound: InboundLimits
  /** Creates the authentication of the connection, which calls `endSubscriptions` when its token ends. */
  readonly authenticate: (endSubscriptions: () => void) => ConnectionAuthentication
  readonly reportError: (method: string, error: unknown) => void
}

/** A message that waits or is processed. */
type Message = { readonly text: string; readonly admitted: Admitted }

export type OpenSession = Session & {
  /** Sends the client the reason, waits briefly until it is read, then closes the connection. */
  end(code: number, reason: string): void
}

type State = Pick<SessionParts, 'scheduler' | 'dispatcher' | 'inbound' | 'reportError'> & {
  readonly socket: Socket
  readonly outbox: Outbox
  readonly subscriptions: ConnectionSubscriptions
  readonly authentication: ConnectionAuthentication
  readonly waiting: Message[]
  /** Counts a short message; false where there are too many. */
  readonly takeUnit: () => boolean
  lateMessages: number
  waitingLength: number
  inWork: number
  isGone: boolean
  cutTimer: ReturnType<typeof setInterval> | undefined
  isTurnDue: boolean
}

/** Stops the session: it accepts, starts and sends no more messages. */
const leave = (state: State): void => {
  state.isGone = true
  for (const { admitted } of state.waiting) admitted.release()
  state.waiting.length = 0
  state.waitingLength = 0
  state.subscriptions.clear()
  state.authentication.close()
  state.outbox.close()
}

/**
 * Starts the closing handshake once the client has read everything. A handshake that waits behind queued messages makes some
 * runtimes keep the connection open forever.
 */
const closeWhenRead = (state: State, code: number, reason: string): void => {
  const { socket } = state
  let leftMs = CUT_GRACE_MS
  const poll = (): void => {
    leftMs -= POLL_MS
    if (socket.bufferedBytes() > 0 && leftMs > 0) return
    clearInterval(state.cutTimer)
    if (leftMs > 0) socket.close(code, reason)
    else socket.terminate()
  }
  state.cutTimer = setInterval(poll, POLL_MS)
  poll()
}

const end = (state: State, code: number, reason: string): void => {
  if (state.isGone) return
  leave(state)
  closeWhenRead(state, code, reason)
}

/** Sends the client that error and disconnects it. */
const cut = (state: State, name: RpcErrorName): void => {
  if (state.isGone) return
  state.outbox.sendLast(replyText('null', errorOutcome(name)))
  end(state, CLOSE_CODES.policyViolation, RPC_ERRORS[name].message)
}

const handle = (state: State, { text, admitted }: Message, caller: Caller): void | Promise<void> => {
  // The connection may have closed while the token was verified.
  if (state.isGone) return
  const request = state.subscriptions.forRequest()
  const finish = ({ body }: Reply): void => {
    if (state.isGone) return
    if (body !== '') state.outbox.reply(body)
    request.answered()
  }
  if (text === '') return finish(EMPTY_MESSAGE)
  const reply = state.dispatcher.handle(text, caller, {
    isGone: () => state.isGone,
    claim: admitted.claim,
    authorization: state.authentication.authorization(),
    connection: { subscriptions: request, presentToken: state.authentication.present },
  })
  return reply instanceof Promise ? reply.then(finish) : finish(reply)
}

/** Returns a promise only where the answer takes time. */
const answer = (state: State, message: Message): void | Promise<void> => {
  const caller = state.authentication.identify()
  return caller instanceof Promise
    ? caller.then(known => handle(state, message, known))
    : handle(state, message, caller)
}

/** Handles an error of the server itself: those of methods become answers. */
const failed = (state: State, error: unknown): void => {
  state.reportError('WebSocket', error)
  if (!state.isGone) state.outbox.reply(INTERNAL_ERROR)
}

const work = (state: State, message: Message): void => {
  const { admitted } = message
  try {
    const answered = answer(state, message)
    if (!(answered instanceof Promise)) return admitted.release()
    state.inWork++
    answered
      .catch((error: unknown) => failed(state, error))
      .finally(() => {
        admitted.release()
        state.inWork--
        workOn(state)
      })
  } catch (error) {
    admitted.release()
    failed(state, error)
  }
}

const isFree = ({ inWork, outbox }: State): boolean => inWork < IN_WORK_MAX && !outbox.isFull()

/** Starts waiting messages, the rest of them in the next turn. */
const workOn = (state: State): void => {
  if (state.isTurnDue) return
  const { waiting } = state
  let started = 0
  while (started < TURN_MESSAGES && started < waiting.length && isFree(state)) {
    const message = waiting[started++] as Message
    state.waitingLength -= message.text.length
    work(state, message)
  }
  waiting.splice(0, started)
  if (waiting.length === 0 || !isFree(state)) return
  workInTurn(state, state.scheduler.nextTurn())
}

/** Works on what waits in the turn that the promise gives. */
const workInTurn = (state: State, turn: Promise<void>): void => {
  state.isTurnDue = true
  void turn.then(() => {
    state.isTurnDue = false
    workOn(state)
  })
}

const receiveLate = (state: State): void => {
  if (++state.lateMessages === LATE_MESSAGES_MAX) state.socket.terminate()
}

const receive = (state: State, text: string): void => {
  if (state.isGone) return receiveLate(state)
  const { waiting, outbox } = state
  if (text.length < SHORT_MESSAGE_LENGTH && !state.takeUnit()) {
    leave(state)
    return state.socket.terminate()
  }
  const admitted = state.inbound.open()
  if (!admitted.claim(text.length)) return outbox.reply(NODE_BUSY)
  const message = { text, admitted }
  const isNext = waiting.length === 0 && isFree(state)
  // A runtime reads tens of thousands of short messages in one turn.
  const turn = isNext ? state.scheduler.begin() : undefined
  if (isNext && turn === undefined) return work(state, message)
  waiting.push(message)
  state.waitingLength += text.length
  if (turn !== undefined && !state.isTurnDue) workInTurn(state, turn)
  if (waiting.length > WAITING_MAX || state.waitingLength > WAITING_LENGTH_MAX) cut(state, 'TOO_MANY_WAITING')
}

/**
 * JSON-RPC on one open connection. Each message is answered as soon as its answer is complete. While a client reads too
 * slowly its next requests are not started; if it does not catch up, it receives the reason and is disconnected.
 */
export const createSession = (socket: Socket, parts: SessionParts): OpenSession => {
  const { scheduler, dispatcher, hub, inbound, reportError } = parts
  const outbox = createOutbox({
    scheduler,
    socket,
    onRoom: () => workOn(state),
    onSlow: () => cut(state, 'SLOW_READER'),
  })
  const subscriptions = hub.connect(
    notification => outbox.notify(notification),
    () => cut(state, 'TOO_MANY_NOTIFICATIONS'),
  )
  const authentication = parts.authenticate(() => {
    if (subscriptions.size === 0) return
    subscriptions.clear()
    outbox.notify(replyText('null', errorOutcome('SUBSCRIPTIONS_ENDED')))
  })
  const state: State = {
    scheduler,
    dispatcher,
    inbound,
    reportError,
    socket,
    outbox,
    subscriptions,
    authentication,
    waiting: [],
    takeUnit: createConnectionUnits('WebSocket messages'),
    lateMessages: 0,
    waitingLength: 0,
    inWork: 0,
    isGone: false,
    cutTimer: undefined,
    isTurnDue: false,
  }
  return {
    message: text => receive(state, text),
    closed: () => {
      leave(state)
      clearInterval(state.cutTimer)
    },
    end: (code, reason) => end(state, code, reason),
  }
}
